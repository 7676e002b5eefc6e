import Type from 'typebox';
import { readableSite, type Viewer } from '../../accounts/access.ts';
import { findDevice } from '../../browser/devices.ts';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { REPORT_COLUMNS, schemasOf } from '../../domain/report-attributes.ts';
import { count, flag, nullable, TIMESTAMP, texts, UUID, webAddress } from '../../domain/schemas.ts';
import { ATTENTIONS, listSites, SITE_SORT_KEYS, type SiteFilter, type SiteRow } from '../../store/site-list.ts';
import { type Call, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource, timestamp } from '../jsonapi/document.ts';
import { PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { CREATOR_FILTERS, creatorsOf, TAG_FILTERS, tagFilterOf, textFilter } from './parameters.ts';
import { SIGNS_IN } from './site-access-attributes.ts';

export const RUN_STOPPED = flag('Whether it ended before every page was found and checked, because it was stopped.');

export const RUN_VERDICT = nullable(
  Type.Enum(['passed', 'failed']),
  'Whether a report of a schedule passed by its `fail_on`; null if `verdict` of the report is.',
  { examples: ['failed', null] },
);

/** @param failing how many issues and pages `fail_on` names; null without a verdict */
export function runVerdict(failing: number | null): 'passed' | 'failed' | null {
  return failing === null ? null : failing > 0 ? 'failed' : 'passed';
}

const RUN = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  status: Type.Enum(['finished', 'failed', 'checking'], {
    description: 'The status of the report: `checking` while pages of it are checked again.',
  }),
  finished_at: Type.With(TIMESTAMP, { description: 'When the report was complete.' }),
  errors: count('Errors of all kinds of check.', { examples: [7] }),
  critical: count('Those of them with the impact critical.', { examples: [1] }),
  passed: count('Web pages without errors, of those that are checked.', { examples: [4] }),
  checked: count('Web pages whose checks of all kinds have run.', { examples: [5] }),
  stopped: RUN_STOPPED,
  verdict: RUN_VERDICT,
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
    exclusions: COLUMNS.exclusions,
    device_rotated: COLUMNS.device_rotated,
    wait_for: COLUMNS.wait_for,
    checks: texts('The kinds of check, without those that your plan does not show.', { examples: [['html', 'link']] }),
    device: nullable(Type.String(), 'The name of its device; null for the default one.', {
      examples: ['iPhone 15', null],
    }),
    signs_in: SIGNS_IN,
  },
  { description: 'The settings that tell it apart from other sites with the same starting URL.' },
);

export const SITE_CHANGE = Type.Object({
  new: count('Places of issues that the previous report did not have.', { examples: [2] }),
  fixed: count('Places that only the previous report has.', { examples: [3] }),
  regressed: count('Places that had been fixed in an earlier report and are back.', { examples: [0] }),
  broken_pages: count('Pages that could be checked in the previous report, and not in this one.', { examples: [1] }),
  recovered_pages: count('Pages that could not be checked in the previous report, and could in this one.', {
    examples: [0],
  }),
});

const SITE = resourceType('site', {
  description:
    'What you check again and again: a starting URL with the settings that decide what is checked. Reports with other tags, sharing or rate limit are of the same site.',
  id: UUID,
  attributes: Type.Object({
    starting_url: webAddress('Where its reports start.'),
    tags: texts('The tags of its newest report.', { examples: [['shop', 'autumn']] }),
    runs: Type.Array(RUN, { description: 'Its last 12 reports that have ended, newest first.' }),
    change: nullable(
      SITE_CHANGE,
      'What the last run changed, of the kinds of check in your plan; null if there is no report before it, or until they have been compared.',
      {
        examples: [{ new: 2, fixed: 3, regressed: 0, broken_pages: 1, recovered_pages: 0 }, null],
      },
    ),
    attention: Type.Enum([...ATTENTIONS], {
      description:
        'The most urgent reason to look at it: the last run failed (`failed`), found new critical errors of accessibility (`new_critical`) or other new errors (`new_errors`), credits ran out in it or you have none for the next run (`no_credits`), pages that could be checked before could not in it (`broken_pages`), it did not pass by `fail_on` of its schedule (`not_passed`), or `none`.',
      examples: ['none'],
    }),
    next_run_at: nullable(TIMESTAMP, 'When a schedule checks it next; null if none does, and for a site of a guest.', {
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
      description: 'All its reports. Absent for a site of a guest.',
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
    description: 'By default, what needs attention most comes first.',
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
      'Your sites or those of your guests: the last runs, what changed, and what needs attention first. A site without reports is not listed.',
    additive: true,
    query: LIST_QUERY,
    answers: listOf(SITE),
    async answer({ call, query, paging }) {
      const filter = {
        ...creatorsOf(call.viewer, query),
        url: query['filter[url]'],
        tags: tagFilterOf(query),
        ...kindsFor(call.viewer),
      };
      const order = parseSort(query.sort ?? 'attention-asc', SITE_SORT_KEYS);
      return listed(await listSites(call.db, filter, order, paging), (site) => renderSite(site, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}',
    summary: 'Get a site',
    description: 'A site of yours or of your guests.',
    additive: true,
    params: SITE_PARAMS,
    answers: one(SITE),
    subject: (call, { site_id: id }) => readableSite(call.db, call.viewer, id, kindsFor(call.viewer)),
    answer: async ({ call, subject }) => renderSite(subject, call),
  }),
];

function renderSite(
  site: SiteRow,
  { viewer, links, scheduleTimeMs }: Pick<Call, 'viewer' | 'links' | 'scheduleTimeMs'>,
): Resource {
  const { starting_url, tags, change, attention, next_run_at: nextDay } = site;
  const attributes: AttributesOf<typeof SITE> = {
    ...{ starting_url, tags, attention },
    runs: site.runs.map(({ num_failing: failing, finished_at, ...run }) => ({
      ...run,
      finished_at: timestamp(new Date(finished_at)),
      verdict: runVerdict(failing),
    })),
    change: change && {
      new: change.new,
      fixed: change.fixed,
      regressed: change.regressed,
      broken_pages: change.broken_pages,
      recovered_pages: change.recovered_pages,
    },
    next_run_at: nextDay && timestamp(new Date(nextDay.getTime() + scheduleTimeMs)),
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
