import Type from 'typebox';
import { count, UUID, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { commaSeparated } from '../../platform/comma-separated.ts';
import { ERROR_CODES } from '../../platform/errors.ts';
import { tagsMax } from '../../reports/definition/limits.ts';
import { runSites, type SiteRuns } from '../../reports/run-sites.ts';
import { type RunnableSite, selectSitesToRun } from '../../store/reports/site-list.ts';
import { searchTextMaxCharacters, sitesRunMax } from '../attributes/limits.ts';
import { bodyEndpoint, newOne } from '../http/endpoint.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const SITE_ID = Type.With(UUID, { description: 'The id of the site.' });

const BULK_RUN = resourceType('bulk_run', {
  description: 'What became of a request to run several sites: each site was either started or refused. Not stored.',
  id: Type.String({ examples: ['run'] }),
  attributes: Type.Object({
    num_started: count('Number of sites with a new report.', { examples: [59] }),
    num_refused: count('Number of sites that were refused.', { examples: [1] }),
    started: Type.Array(
      Type.Object({ site_id: SITE_ID, report_id: Type.With(UUID, { description: 'The id of its new report.' }) }),
      { description: 'The sites with a new report.' },
    ),
    refused: Type.Array(
      Type.Object({
        site_id: SITE_ID,
        name: Type.String({ description: 'Its name, or its starting URL if it has none.', examples: ['Shop'] }),
        code: Type.Enum([...ERROR_CODES], { description: 'The code of the error.', examples: ['credits_exhausted'] }),
        message: Type.String({ description: 'Why it was refused.', examples: ['You have no credits left.'] }),
      }),
      { description: 'The sites that were refused, with the reason.' },
    ),
  }),
  relationships: {},
  self: 'never',
});

const NEW = Type.Object(
  {
    site_ids: Type.Optional(
      Type.Array(UUID, {
        minItems: 1,
        maxItems: sitesRunMax,
        description: `The ids of your sites, at most ${sitesRunMax}. Cannot be combined with \`tags\` and \`text\`.`,
        examples: [[UUID_EXAMPLE]],
      }),
    ),
    tags: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: tagsMax })], {
        description: 'Runs sites with any of these tags. Separated by commas, or an array. Case is ignored.',
        examples: ['shop', ['shop', 'blog']],
      }),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: searchTextMaxCharacters,
        description: 'Runs sites with this text in the name or the starting URL. Case is ignored.',
        examples: ['example.com'],
      }),
    ),
  },
  { additionalProperties: false },
);

interface Selection {
  readonly ids?: readonly string[];
  readonly tags?: readonly string[];
  readonly text?: string;
}

/** @throws RequestError invalid if the attributes select nothing, or in two ways */
function parseSelection(given: Attributes): Selection {
  const { site_ids: ids, tags, text } = readAttributes(NEW, given);
  const names = (typeof tags === 'string' ? commaSeparated(tags) : (tags ?? [])).map((tag) => tag.trim());
  const wanted = names.filter((tag) => tag !== '');
  const part = text?.trim() ?? '';
  const isFiltered = wanted.length > 0 || part !== '';
  if (ids !== undefined && isFiltered) throw invalid('site_ids', 'cannot be combined with tags or text');
  if (ids !== undefined) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))] };
  // An empty filter would run every site, and cost their credits.
  if (!isFiltered) throw invalid('site_ids', "can't be blank without tags or text");
  return { ...(wanted.length > 0 && { tags: wanted }), ...(part !== '' && { text: part }) };
}

function invalid(name: string, problem: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, problem)]);
}

export const BULK_RUN_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/bulk_runs',
    summary: 'Run several sites now',
    description: `Creates a report for each of the given sites, or for each of your sites with the tags and the text that is not archived: at most ${sitesRunMax} at a time. A site that is refused does not prevent the others, and is listed in \`refused\`. If none can be started for lack of credits or because too many reports are waiting, the request fails.`,
    additive: true,
    answers: newOne(BULK_RUN),
    errors: ['credits_exhausted', 'too_many_reports'],
    body: { attributes: NEW, example: { tags: 'shop' }, parse: parseSelection },
    async answer({ call, body }) {
      const { ids, tags, text } = body;
      const filter = { accountId: call.viewer.accountId, ids, text, tags: tags && { mode: 'any' as const, tags } };
      const sites = await selectSitesToRun(call.db, filter, sitesRunMax + 1);
      if (sites.length > sitesRunMax) {
        throw invalid(tags === undefined ? 'text' : 'tags', `selects more than ${sitesRunMax} sites: select fewer`);
      }
      const usable = sites.filter(({ archived_at: archivedAt }) => archivedAt === null).map(({ id }) => id);
      const runs = await runSites(call, usable, call.viewer.limits);
      return renderRun(sites, { ...runs, refused: [...unusable(ids ?? [], sites), ...runs.refused] });
    },
  }),
];

/** Refuses ids of archived sites, and ids that are no sites of the account. */
function unusable(ids: readonly string[], sites: readonly RunnableSite[]): SiteRuns['refused'] {
  const known = new Map(sites.map((site) => [site.id, site]));
  return ids.flatMap((siteId): SiteRuns['refused'] => {
    const site = known.get(siteId);
    if (site === undefined) return [{ siteId, code: 'not_found', message: 'This site does not exist.' }];
    const message = 'This site is archived. Restore it to run it.';
    return site.archived_at === null ? [] : [{ siteId, code: 'conflict', message }];
  });
}

function renderRun(sites: readonly RunnableSite[], { started, refused }: SiteRuns): Resource {
  const titles = new Map(sites.map(({ id, name, starting_url: url }) => [id, name === '' ? url : name]));
  return resource(BULK_RUN, {
    id: 'run',
    attributes: {
      ...{ num_started: started.length, num_refused: refused.length },
      started: started.map(({ siteId, reportId }) => ({ site_id: siteId, report_id: reportId })),
      refused: refused.map(({ siteId, ...reason }) => ({ site_id: siteId, name: titles.get(siteId) ?? '', ...reason })),
    },
  });
}
