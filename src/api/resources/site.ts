import Type from 'typebox';
import { readableSite, type Viewer } from '../../accounts/access.ts';
import { findDevice } from '../../browser/devices.ts';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { REPORT_COLUMNS, schemasOf } from '../../domain/report-attributes.ts';
import { count, flag, nullable, TIMESTAMP, texts, UUID, webAddress } from '../../domain/schemas.ts';
import { ATTENTIONS, listSites, SITE_SORT_KEYS, type SiteFilter, type SiteRow } from '../../store/reports/site-list.ts';
import { CHANGE_COUNTS, CHANGE_COUNTS_EXAMPLE, changeCounts } from '../attributes/change-counts.ts';
import { SIGNS_IN } from '../attributes/definition-attributes.ts';
import { CREATOR_FILTERS, creatorsOf, TAG_FILTERS, tagFilterOf, textFilter } from '../attributes/parameters.ts';
import { type Call, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource, timestamp } from '../jsonapi/document.ts';
import { PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

export const RUN_STOPPED = flag('Whether it ended before every page was found and checked, because it was stopped.');

export const RUN_VERDICT = nullable(
  Type.Enum(['passed', 'failed']),
  'Whether a report of a schedule passed by its `fail_on`; null if `verdict` of the report is.',
  { examples: ['failed', null] },
);

/** @param failing the number of issues and pages that `fail_on` names; null without a verdict */
export function runVerdict(failing: number | null): 'passed' | 'failed' | null {
  return failing === null ? null : failing > 0 ? 'failed' : 'passed';
}

const RUN = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  status: Type.Enum(['finished', 'failed', 'checking'], {
    description: 'The status of the report: `checking` while some of its pages are being checked again.',
  }),
  finished_at: Type.With(TIMESTAMP, { description: 'When the report was completed.' }),
  errors: count('Total errors of all kinds of check.', { examples: [7] }),
  critical: count('Errors with the impact critical.', { examples: [1] }),
  passed: count('Checked web pages without errors.', { examples: [4] }),
  checked: count('Web pages whose checks have all run.', { examples: [5] }),
  stopped: RUN_STOPPED,
  verdict: RUN_VERDICT,
  change: nullable(
    CHANGE_COUNTS,
    'What the run changed; null if there is no report before it, until they have been compared, and if your plan does not show all kinds of check.',
    { examples: [CHANGE_COUNTS_EXAMPLE, null] },
  ),
});

const COLUMNS = schemasOf(REPORT_COLUMNS);
const SETTINGS = Type.Object(
  {
    max_pages: COLUMNS.max_pages,
    deep_crawl: COLUMNS.deep_crawl,
    prefer_canonical_urls: COLUMNS.prefer_canonical_urls,
    respect_robots_txt: COLUMNS.respect_robots_txt,
    dynamic_crawler: COLUMNS.dynamic_crawler,
    initial_urls: COLUMNS.initial_urls,
    inclusions: COLUMNS.inclusions,
    exclusions: COLUMNS.exclusions,
    device_rotated: COLUMNS.device_rotated,
    wait_for: COLUMNS.wait_for,
    checks: texts('The kinds of check, without those that your plan does not show.', { examples: [['html', 'link']] }),
    device: nullable(Type.String(), 'The name of its device; null for the default one.', {
      examples: ['iPhone 15', null],
    }),
    signs_in: SIGNS_IN,
  },
  { description: 'The settings that distinguish it from other sites with the same starting URL.' },
);

const SITE = resourceType('site', {
  description:
    'A website that you check repeatedly: a starting URL with the settings that determine what is checked. Reports that differ only in tags, sharing or rate limit belong to the same site.',
  id: UUID,
  attributes: Type.Object({
    starting_url: webAddress('The starting URL of its reports.'),
    tags: texts('The tags of its newest report.', { examples: [['shop', 'autumn']] }),
    runs: Type.Array(RUN, { description: 'Its last 12 reports that have ended, newest first.' }),
    change: nullable(
      CHANGE_COUNTS,
      'What the last run changed, of the kinds of check in your plan; null if there is no report before it, or until they have been compared.',
      {
        examples: [CHANGE_COUNTS_EXAMPLE, null],
      },
    ),
    attention: Type.Enum([...ATTENTIONS], {
      description:
        'The most urgent reason to look at it: the last run failed (`failed`), found critical errors of accessibility that are new or back (`new_critical`), or other such errors (`new_errors`), credits ran out in it or you have none for the next run (`no_credits`), pages that could be checked before could not in it (`broken_pages`), it did not pass by `fail_on` of its schedule (`not_passed`), or `none`.',
      examples: ['none'],
    }),
    next_run_at: nullable(TIMESTAMP, "When a schedule checks it next; null if none does, and for a guest's site.", {
      examples: ['2026-02-06T00:00:00'],
    }),
    runs_on_deploy: flag(
      'Whether the deploy hook of an active schedule that has no times checks it. False for a site of a guest.',
    ),
    settings: SETTINGS,
    last_checked_at: nullable(TIMESTAMP, 'When a check of its newest report last ended; null before the first one.'),
  }),
  relationships: {
    last_report: { description: 'Its newest report, which may be running.', path: '/reports/{report_id}' },
    reports: {
      description: "All its reports. Absent for a guest's site.",
      path: '/reports?filter%5Bsite_id%5D={site_id}',
    },
  },
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('the starting URL', 'example.com'),
  ...TAG_FILTERS,
  ...CREATOR_FILTERS,
  sort: sortParameter(SITE_SORT_KEYS, {
    description: 'By default, the sites that need the most attention come first.',
    example: 'last_checked_at-desc',
  }),
});

const SITE_PARAMS = Type.Object({ site_id: UUID });

export const SITE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/sites',
    summary: 'List sites',
    description:
      "Returns your sites or your guests' sites, with their last runs, what changed, and what needs attention. Sites without reports are not listed.",
    additive: true,
    query: LIST_QUERY,
    answers: listOf(SITE),
    async answer({ call, query, paging }) {
      const filter = {
        ...creatorsOf(call.viewer, query),
        url: query['filter[url]'],
        tags: tagFilterOf(query),
        ...kindsFor(call.viewer),
        scheduleTimeMs: call.scheduleTimeMs,
      };
      const order = parseSort(query.sort ?? 'attention-asc', SITE_SORT_KEYS);
      return listed(await listSites(call.db, filter, order, paging), (site) => renderSite(site, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}',
    summary: 'Get a site',
    description: "Returns one of your sites or your guests' sites.",
    additive: true,
    params: SITE_PARAMS,
    answers: one(SITE),
    subject: ({ db, viewer, scheduleTimeMs }, { site_id: id }) =>
      readableSite(db, viewer, id, { ...kindsFor(viewer), scheduleTimeMs }),
    answer: async ({ call, subject }) => renderSite(subject, call),
  }),
];

function renderSite(site: SiteRow, { viewer, links }: Pick<Call, 'viewer' | 'links'>): Resource {
  const { starting_url, tags, change, attention } = site;
  const attributes: AttributesOf<typeof SITE> = {
    ...{ starting_url, tags, attention },
    runs: site.runs.map(({ num_failing: failing, finished_at, ...run }) => ({
      ...run,
      finished_at: timestamp(new Date(finished_at)),
      verdict: runVerdict(failing),
      change: run.change && changeCounts(run.change),
    })),
    change: change && changeCounts(change),
    next_run_at: timestamp(site.next_run_at),
    runs_on_deploy: site.runs_on_deploy,
    settings: settingsOf(site, viewer),
    last_checked_at: timestamp(site.last_checked_at),
  };
  return resource(SITE, {
    id: site.id,
    attributes,
    related: {
      last_report: links(`/reports/${site.last_report_id}`),
      reports: site.account_id === viewer.accountId ? links(`/reports?filter%5Bsite_id%5D=${site.id}`) : undefined,
    },
    self: links(`/sites/${site.id}`),
  });
}

function settingsOf({ settings }: SiteRow, viewer: Pick<Viewer, 'plan'>): AttributesOf<typeof SITE>['settings'] {
  const { device_id: device, checks, ...others } = settings;
  const seen = kindsSeenBy(viewer);
  return {
    ...others,
    checks: checks.filter((kind) => seen.includes(kind)),
    device: device === null ? null : (findDevice(device)?.name ?? null),
  };
}

/** The kinds of check whose issues a viewer can see. */
function kindsFor(viewer: Pick<Viewer, 'plan'>): Pick<SiteFilter, 'kinds' | 'seesAllKinds'> {
  const kinds = kindsSeenBy(viewer);
  return { kinds, seesAllKinds: kinds.length === CHECK_KINDS.length };
}
