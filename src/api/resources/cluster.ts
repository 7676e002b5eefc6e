import Type from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { count } from '../../domain/schemas.ts';
import { type Cluster, listClusters } from '../../store/issues/clusters.ts';
import { MUTED_FILTER, paramsInReport } from '../attributes/parameters.ts';
import { type Endpoint, endpoint, listed, listOf } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { commonIssueIn } from './common-issue.ts';
import { CLUSTER_ID, MARKUP, SAMPLE, shownOccurrence, shownSample } from './occurrence.ts';
import { reportToRead } from './report.ts';

const CLUSTER = resourceType('cluster', {
  description:
    'Occurrences of a common issue with the same markup, such as a link in the header of all pages or the fields of a form, or with the same cause, such as a color that one style rule sets, or a pair of colors. Values that differ between repeated elements, such as ids, are ignored. Usually, one fix removes all these occurrences.',
  id: CLUSTER_ID,
  attributes: Type.Object({
    ...MARKUP,
    how_many: count('Number of its occurrences in the report.', { examples: [98] }),
    num_web_pages: count('Number of pages with these occurrences.', { examples: [98] }),
    sample: Type.Object(SAMPLE, { description: 'Its first occurrence, which `markup` and `selector` belong to.' }),
  }),
  relationships: {
    occurrences: {
      description: 'Its occurrences.',
      path: '/reports/{report_id}/common_html_issues/{common_html_issue_id}/occurrences',
    },
  },
  self: 'never',
});

const META = Type.Object({
  unlisted: count('Occurrences in clusters beyond the 1,000 largest.', { examples: [0] }),
});

/** The endpoint of the clusters of an engine's common issues. */
export function clusterEndpoints(engine: EngineDescription): Endpoint[] {
  const { kind, words, isPro } = engine;
  const idName = `common_${kind}_issue_id`;
  return [
    endpoint({
      method: 'GET',
      path: `/reports/{report_id}/common_${kind}_issues/{${idName}}/clusters`,
      summary: `List the clusters of a common ${words} issue`,
      description:
        'Groups the occurrences by markup. Sorted by number of occurrences (most first), then by first occurrence.',
      pro: isPro,
      additive: true,
      params: paramsInReport(idName),
      query: Type.Object({ ...PAGING, ...MUTED_FILTER }),
      answers: { ...listOf(CLUSTER), meta: META },
      subject: reportToRead,
      async answer({ call, query, subject, paging }) {
        const muted = query['filter[muted]'] ?? 'false';
        const { id } = await commonIssueIn(call, subject.id, kind, muted);
        const page = await listClusters(call.db, { commonIssueId: id, muted }, paging);
        const path = `/reports/${subject.id}/common_${kind}_issues/${id}/occurrences?`;
        const occurrences = call.links(`${path}${muted === 'false' ? '' : `filter%5Bmuted%5D=${muted}&`}`);
        const { unlisted } = page;
        return listed(page, (cluster) => clusterResource(engine, cluster, occurrences), { unlisted });
      },
    }),
  ];
}

/** @param occurrences URL of the list of all occurrences, to which a filter can be added */
function clusterResource(engine: EngineDescription, cluster: Cluster, occurrences: string): Resource {
  const { id, how_many, num_web_pages, sample } = cluster;
  const { markup, selector, cause, style_rule, background_rule, edited_color } = shownOccurrence(engine, sample);
  const colors = { style_rule, background_rule, edited_color };
  return resource(CLUSTER, {
    id,
    attributes: { markup, selector, cause, ...colors, how_many, num_web_pages, sample: shownSample(engine, sample) },
    related: { occurrences: `${occurrences}filter%5Bcluster%5D=${id}` },
  });
}
