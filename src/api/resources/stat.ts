import Type from 'typebox';
import { shownEngines } from '../../checks/check-attributes.ts';
import { ENGINES } from '../../checks/registry.ts';
import { errorsPerPage } from '../../domain/counts.ts';
import { ADDITIVE, count, nullable } from '../../domain/schemas.ts';
import { INTERVALS, type Interval, listStats, STAT_GROUPS, type StatRow } from '../../store/reports/stats.ts';
import { DAY_MS, dayFilter, startOf } from '../attributes/days.ts';
import { engineSchema, issueCounts, issueCountsSchema } from '../attributes/issue-counts.ts';
import { CREATOR_FILTERS, creatorsOf } from '../attributes/parameters.ts';
import { SEVERE_FREE, severeFreeIn } from '../attributes/run-counts.ts';
import { type Call, endpoint, listed, listOf } from '../http/endpoint.ts';
import { visibleChecks } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { parameterProblem, RequestError } from '../jsonapi/errors.ts';
import { PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

/** The default period, up to today. */
const DEFAULT_DAYS: Readonly<Record<Interval, number>> = { day: 31, week: 26 * 7, month: 366 };

const STAT = resourceType('stat', {
  description:
    "A site, a domain or a tag in an interval. Only the pages and issues of each site's last finished report count, even if it was checked more often.",
  id: Type.String({
    description: 'The id of the site, the domain or the tag in lower case, and the interval.',
    examples: ['example.com/2026-W07', 'example.com/2026-02-14', 'shop/2026-02'],
  }),
  attributes: Type.Object({
    name: Type.String({
      description: 'The starting URL of the site, the domain, or the tag.',
      examples: ['example.com'],
    }),
    site_name: Type.String({
      description: 'The name of the site; empty if it has none, and for domains and tags.',
      examples: ['Shop'],
      ...ADDITIVE,
    }),
    interval: Type.String({
      description: 'The day, the week (ISO 8601, from Monday) or the month, in UTC.',
      examples: ['2026-W07', '2026-02-14', '2026-02'],
    }),
    starts_on: Type.String({ description: 'The first day of the interval.', examples: ['2026-02-09'] }),
    sites: count(
      'Sites with a finished report. All attributes after `reports` are computed from the last report of each site.',
      {
        examples: [2],
        ...ADDITIVE,
      },
    ),
    reports: count('Finished reports of these sites.', { examples: [3] }),
    web_pages: count('Web pages of the last reports.', { examples: [120] }),
    ...Object.fromEntries(
      ENGINES.map((engine) => [
        engine.kind,
        engineSchema(
          engine,
          Type.Object({
            checked: count('Web pages that were checked.', { examples: [118], ...ADDITIVE }),
            ...issueCountsSchema(engine.isGraded),
          }),
          `What the ${engine.words} checks of the last reports found.`,
        ),
      ]),
    ),
    checked: count('Web pages whose checks have all run.', { examples: [118] }),
    passed: count('Completely checked web pages without errors.', { examples: [90] }),
    errors_per_page: nullable(
      Type.Number(),
      'Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked.',
      { examples: [4.25], ...ADDITIVE },
    ),
    severe_free: SEVERE_FREE,
  }),
  relationships: {
    site: { description: 'The site. Absent for domains and tags.', path: '/sites/{site_id}' },
  },
  self: 'never',
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  interval: Type.Optional(Type.Enum([...INTERVALS], { default: 'week', description: 'The length of an interval.' })),
  group: Type.Optional(
    Type.Enum([...STAT_GROUPS], { default: 'site', description: 'What to group the statistics by.' }),
  ),
  'filter[from]': dayFilter(
    'The first day. Defaults to 31 days, 26 weeks or 366 days before the last day, depending on `interval`.',
    '2026-01-01',
  ),
  'filter[to]': dayFilter('The last day. Defaults to today.', '2026-12-31'),
  ...CREATOR_FILTERS,
});

export const STAT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/stats',
    summary: 'List statistics over time',
    description:
      'Returns the newest interval first. A report counts in the interval in which it finished. The first and the last interval only count reports from the requested period. A site with several tags counts for each of them.',
    additive: true,
    query: LIST_QUERY,
    answers: listOf(STAT),
    async answer({ call, query, paging }) {
      const { interval = 'week', group = 'site' } = query;
      const filter = { ...creatorsOf(call.viewer, query), interval, group, ...periodOf(call, interval, query) };
      return listed(await listStats(call.db, filter, paging), (stat) => renderStat(stat, call, group === 'site'));
    },
  }),
];

/** @throws RequestError invalid_parameter if the first day is after the last */
function periodOf(
  call: Pick<Call, 'clock'>,
  interval: Interval,
  query: { readonly 'filter[from]'?: string; readonly 'filter[to]'?: string },
): { readonly from: Date; readonly before: Date } {
  const last = startOf(query['filter[to]'] ?? call.clock().toISOString().slice(0, 10)) ?? 0;
  const first = startOf(query['filter[from]'] ?? '') ?? last - (DEFAULT_DAYS[interval] - 1) * DAY_MS;
  if (first > last) {
    throw new RequestError('invalid_parameter', [parameterProblem('filter[from]', 'is after the last day')]);
  }
  return { from: new Date(first), before: new Date(last + DAY_MS) };
}

function renderStat(stat: StatRow, { viewer, links }: Pick<Call, 'viewer' | 'links'>, isOfSite: boolean): Resource {
  const { key, name, site_name, period, starts_on, sites, reports, web_pages, checked, passed } = stat;
  const checks = visibleChecks(viewer, stat.checks);
  const shown = shownEngines(Object.keys(checks)).map(({ kind, isGraded }) => {
    const counts = checks[kind];
    return [kind, counts === undefined ? null : { checked: counts.checked, ...issueCounts(counts, isGraded) }] as const;
  });
  return resource(STAT, {
    id: `${key}/${period}`,
    attributes: {
      ...{ name, site_name, interval: period, starts_on, sites, reports, web_pages },
      ...Object.fromEntries(shown),
      ...{ checked, passed, errors_per_page: errorsPerPage(Object.values(checks)) },
      severe_free: severeFreeIn(Object.entries(checks).map(([kind, counts]) => ({ kind, ...counts }))),
    },
    related: { site: isOfSite ? links(`/sites/${key}`) : undefined },
  });
}
