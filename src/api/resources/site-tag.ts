import Type from 'typebox';
import { count, nullable } from '../../domain/schemas.ts';
import { ATTENTION_CHOICES } from '../../store/reports/site-list.ts';
import { listSiteTags, type SiteSums } from '../../store/reports/site-tags.ts';
import { CREATOR_FILTERS, creatorsOf, TAG_FILTERS, tagFilterOf, textFilter } from '../attributes/parameters.ts';
import { ARCHIVED_FILTER, ATTENTION_FILTER, isArchived } from '../attributes/site-selection.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsFilter } from '../http/pro-features.ts';
import { resource } from '../jsonapi/document.ts';
import { chosenOf, PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const SUMS = {
  num_sites: count('Number of sites.', { examples: [12] }),
  num_needing_attention: count('Sites that need attention: the sites of `filter[attention]=any`.', { examples: [2] }),
  errors: count('Total errors that the last runs of the sites have now, of the types of check in your plan.', {
    examples: [70],
  }),
  critical: count('Errors with critical impact among them.', { examples: [1] }),
};

const SITE_TAG = resourceType('site_tag', {
  description: 'A tag with the totals of its sites, such as the sites of a client. A site counts for each of its tags.',
  id: Type.String({ description: 'The tag in lower case; empty for sites without tags.', examples: ['shop'] }),
  attributes: Type.Object({
    tag: nullable(Type.String(), 'The tag; null for the sites without tags.', { examples: ['Shop', null] }),
    ...SUMS,
  }),
  relationships: {},
  self: 'never',
});

const META = Type.Object({
  sums: Type.Object(SUMS, { description: 'The totals of all sites that match the filters. Each site counts once.' }),
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[text]': textFilter('the name or the starting URL', 'shop'),
  ...ARCHIVED_FILTER,
  ...ATTENTION_FILTER,
  ...TAG_FILTERS,
  ...CREATOR_FILTERS,
});

export const SITE_TAG_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/site_tags',
    summary: 'List the tags of sites',
    description:
      'Returns the tags of the sites that match the filters, by name, with the number of sites, the errors that their last runs have now, and how many need attention. The sites without tags come last.',
    additive: true,
    query: LIST_QUERY,
    answers: { ...listOf(SITE_TAG), meta: META },
    async answer({ call, query, paging }) {
      const filter = {
        ...creatorsOf(call.viewer, query),
        text: query['filter[text]'],
        isArchived: isArchived(query['filter[archived]']),
        attention: chosenOf(query['filter[attention]'], ATTENTION_CHOICES),
        tags: tagFilterOf(query),
        ...kindsFilter(call.viewer),
        scheduleTimeMs: call.scheduleTimeMs,
      };
      const page = await listSiteTags(call.db, filter, paging);
      return listed(
        page,
        ({ tag, ...sums }) =>
          resource(SITE_TAG, { id: tag?.toLowerCase() ?? '', attributes: { tag, ...shownSums(sums) } }),
        { sums: shownSums(page.sums) },
      );
    },
  }),
];

function shownSums({ sites, needing, errors, critical }: SiteSums) {
  return { num_sites: sites, num_needing_attention: needing, errors, critical };
}
