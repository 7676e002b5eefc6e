import Type from 'typebox';
import { accessTo } from '../../accounts/access.ts';
import { shownEngines } from '../../checks/check-attributes.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { ENGINES } from '../../checks/registry.ts';
import { CUT_SHORT, cutShortBy } from '../../domain/crawl.ts';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import {
  ADDITIVE,
  count,
  failureCode,
  flag,
  guestToken,
  LIFE,
  nullable,
  TIMESTAMP,
  UUID,
  webAddress,
} from '../../domain/schemas.ts';
import { openSecret } from '../../platform/kept-secret.ts';
import { utcTime } from '../../platform/utc-time.ts';
import type { FixEffect } from '../../store/issues/fixes.ts';
import { pageCountsOf } from '../../store/pages/page-counts.ts';
import { hasCurrentInsights, type ReportWithChecks, type VisibleReport } from '../../store/reports/reports.ts';
import { REPORT_STATUSES, type ReportStatus } from '../../store/schema.ts';
import { CHANGE_COUNTS, CHANGE_COUNTS_EXAMPLE, changeCounts } from '../attributes/change-counts.ts';
import { definitionAttributes, SHOWN_DEFINITION, SIGNS_IN } from '../attributes/definition-attributes.ts';
import { SHOWN_FAIL_ON } from '../attributes/new-schedule.ts';
import { checksAtEndSchema, checksOf, checksSchema, countsAtEnd, PAGES } from '../attributes/report-counts.ts';
import { secretsFor } from '../attributes/secret-attributes.ts';
import { REPORT_SIZE } from '../attributes/sizes.ts';
import type { Call } from '../http/endpoint.ts';
import { proRelated } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { devicePath } from './device.ts';
import { type ReportViewer, seesPrevious, visibleReport } from './visible-report.ts';

function commonIssuesRelated({ kind, words, isPro }: EngineDescription) {
  const name = `common_${kind}_issues`;
  const description = `The types of ${words} issues. Absent without ${words} checks.`;
  return [name, { description, path: `/reports/{report_id}/${name}`, ...(isPro && ({ pro: true } as const)) }] as const;
}

/** See docs/contract/resources.md#report. */
export const REPORT = resourceType('report', {
  description: 'A validation of a site: its settings, its progress and its results.',
  id: UUID,
  attributes: Type.Object({
    ...SHOWN_DEFINITION,
    untested_rules: Type.Array(Type.String(), {
      description:
        'The rules of `standard` that have not run, because the report was created for another standard. Create a new report to test them.',
      examples: [[]],
      ...ADDITIVE,
    }),
    signs_in: SIGNS_IN,
    domain: Type.String({ description: 'The host name of `starting_url`.', examples: ['example.com'] }),
    site_name: Type.Optional(
      Type.String({
        description: 'The name of its site; empty if it has none. Absent if it is shared with you.',
        examples: ['Shop'],
        ...ADDITIVE,
      }),
    ),
    num_pages: count('Web pages found so far.', { examples: [5] }),
    pages: nullable(
      PAGES,
      'Of the web pages in `num_pages`, how many are checked and how many pass all enabled checks. Null if your plan shows several types of check, but not all types that the report has.',
      ADDITIVE,
    ),
    checks: Type.Object(Object.fromEntries(ENGINES.map((engine) => [engine.kind, checksSchema(engine)])), {
      description: 'The totals of the checks of all web pages, always up to date.',
    }),
    at_end: nullable(
      Type.Object({
        pages: nullable(PAGES, '`pages` at that time.'),
        checks: Type.Object(Object.fromEntries(ENGINES.map((engine) => [engine.kind, checksAtEndSchema(engine)])), {
          description: 'The totals at that time.',
        }),
      }),
      'What the report had found when it ended, if re-checks, mutings or decisions have changed its counts since; otherwise null. Trends, statistics and comparisons show these results.',
      { examples: [null], ...ADDITIVE },
    ),
    status: Type.Enum([...REPORT_STATUSES], {
      description:
        'The progress: waiting, finding pages, checking them, or ended. It is `failed` only if there was no page to check.',
      examples: ['finished'],
      ...ADDITIVE,
    }),
    crawl_error: nullable(Type.String(), 'What went wrong during the crawl, and how to fix it; null if nothing did.', {
      examples: [null],
      ...ADDITIVE,
    }),
    crawl_error_code: failureCode('crawl_error'),
    stopped_early: nullable(
      Type.Enum([...CUT_SHORT]),
      'Why it ended before every page was found and checked: it was stopped (`report_stopped`), or its crawl was interrupted too often (`crawl_broke_off`). Null if neither happened.',
      { examples: [null], ...ADDITIVE },
    ),
    size: REPORT_SIZE,
    fix_effect: nullable(
      Type.Object({
        fixes: count('Number of fixes, at most 5.', { examples: [5] }),
        passing_before: count('Pages that pass now.', { examples: [12] }),
        passing_after: count('Pages that pass once all of these fixes are made.', { examples: [31] }),
      }),
      'How many pages would pass after the best fixes, which are the first in `GET /reports/{id}/fixes`. Null until they are computed, a few seconds after the report ends, or if your plan does not show all checks of the report.',
      ADDITIVE,
    ),
    verdict: nullable(
      Type.Object({
        passed: flag('Whether the report passed: nothing listed in `fail_on` was found.', { examples: [false] }),
        how_many: count('Number of issues and unchecked pages that match `fail_on`.', { examples: [17] }),
        fail_on: SHOWN_FAIL_ON,
      }),
      "Whether a report of a schedule passed according to the schedule's `fail_on` at the time it was created. Null for other reports; until it is computed, a few seconds after the report ends; if the report failed; or if your plan does not show all checks of the report.",
      ADDITIVE,
    ),
    change: Type.Optional(
      nullable(
        CHANGE_COUNTS,
        'What changed since the previous report of the site. Null if there is none; until the reports are compared, a few seconds after this one ends; or if your plan does not show all checks of the report. Absent if it is shared with you.',
        { examples: [CHANGE_COUNTS_EXAMPLE, null], ...ADDITIVE },
      ),
    ),
    share_url: Type.Optional(
      webAddress(
        'Anyone with this URL can read the report, without an account. Its last segment is a secret that `GET /share` accepts in place of an API token. The URL stops working when `shared` becomes false, and changes when the report is shared again. Only shown to the owner and to the host of a guest while the report is shared. Absent for read-only tokens, and if it was encrypted with another key.',
        { examples: ['https://sitewarden.example/share/CtCjvqLc0RPl'], ...ADDITIVE },
      ),
    ),
    shared_by: Type.Optional(
      nullable(
        Type.String(),
        'The name of the account that shares the report; null if it has none. Only shown to readers with a share link.',
        { examples: ['Ada'], ...ADDITIVE },
      ),
    ),
    guest_token: Type.Optional(guestToken('The guest account that created it. Absent if none did.')),
    ...LIFE,
    last_checked_at: nullable(TIMESTAMP, 'When a check last ended; null before the first one.'),
    finished_at: nullable(
      TIMESTAMP,
      'When it was first complete; later checks of its pages do not change this. Null until then, and while pages are being checked again.',
      ADDITIVE,
    ),
  }),
  relationships: {
    web_pages: { description: 'The pages that were found.', path: '/reports/{report_id}/web_pages' },
    ...Object.fromEntries(ENGINES.map(commonIssuesRelated)),
    site: {
      description: 'The site: the results of all its reports over time. Absent if the report is shared with you.',
      path: '/sites/{site_id}',
    },
    previous: {
      description: 'The previous finished report of the same site. Absent if there is none, or if you cannot see it.',
      path: '/reports/{report_id}',
    },
    schedule: {
      description: 'The schedule that created the report, if you own both. Absent if none did.',
      path: '/schedules/{schedule_id}',
      pro: true,
    },
    device: {
      description: 'The device of the accessibility checks. Absent for the default device.',
      path: '/devices/{device_id}',
      pro: true,
    },
    guest_token: {
      description: 'The guest account that created the report, if you are its host or guest. Absent if it was deleted.',
      path: '/guest_accounts/{guest_account_id}',
      pro: true,
    },
    mutings: {
      description: 'The mutings that match at least one of its issues.',
      path: '/reports/{report_id}/mutings',
      pro: true,
    },
    excluded_urls: { description: 'The URLs that it excludes.', path: '/reports/{report_id}/excluded_urls' },
    discovered_urls: {
      description: 'Every URL that the spider found, with its outcome.',
      path: '/reports/{report_id}/discovered_urls',
    },
    changes: { description: 'What changed since the previous report.', path: '/reports/{report_id}/changes' },
    fixes: { description: 'What to fix first.', path: '/reports/{report_id}/fixes' },
  },
});

export function reportAttributes(report: VisibleReport): AttributesOf<typeof REPORT> {
  return {
    ...definitionAttributes(report, Object.keys(report.checks)),
    untested_rules: untestedRulesOf(report),
    signs_in: report.site_access !== null,
    domain: report.domain,
    ...(report.change !== undefined && { site_name: report.site_name }),
    num_pages: report.num_pages,
    pages: pageCountsOf(report),
    checks: Object.fromEntries(
      shownEngines(Object.keys(report.checks)).map((engine) => [
        engine.kind,
        checksOf(engine, report.checks[engine.kind]),
      ]),
    ),
    at_end: countsAtEnd(report),
    status: report.status,
    crawl_error: fullSentenceOf(report.crawl_error),
    crawl_error_code: codeOf(report.crawl_error),
    stopped_early: cutShortBy(report.crawl_error?.code),
    size: sizeOf(report),
    fix_effect: fixEffectOf(report),
    verdict: verdictOf(report),
    ...(report.change !== undefined && { change: report.change && changeCounts(report.change) }),
    ...(report.guest_account_id === null ? {} : { guest_token: report.guest_account_id }),
    inserted_at: utcTime(report.inserted_at),
    updated_at: utcTime(report.updated_at),
    last_checked_at: utcTime(report.last_checked_at),
    finished_at: endTime(report.status, report.finished_at),
  };
}

function sizeOf({ size }: Pick<VisibleReport, 'size'>) {
  if (size === null) return null;
  return { results: size.results_bytes, documents: size.documents_bytes, screenshots: size.screenshots_bytes };
}

/** Returns the rules of the report's standard that have not run. */
export function untestedRulesOf({ standard, tested_standard: tested, checks }: VisibleReport): string[] {
  return ENGINES.flatMap(({ kind, rulesNotRun }) => {
    if (rulesNotRun === undefined || checks[kind] === undefined) return [];
    const unneeded = rulesNotRun(standard);
    return rulesNotRun(tested).filter((rule) => !unneeded.includes(rule));
  });
}

/** When a report was completed; null while it is incomplete, including while its pages are checked again. */
export function endTime(status: ReportStatus, finishedAt: Date | null): string | null {
  return status === 'finished' || status === 'failed' ? utcTime(finishedAt) : null;
}

export interface ReportView extends Pick<Call, 'credentialStore' | 'baseUrl' | 'links'> {
  readonly viewer: ReportViewer;
}

export function renderReport(report: ReportWithChecks, view: ReportView): Resource {
  const { viewer, links } = view;
  const visible = visibleReport(report, viewer);
  const enabled = ENGINES.filter(({ kind }) => visible.checks[kind] !== undefined);
  const self = links(`/reports/${report.id}`);
  return resource(REPORT, {
    id: report.id,
    attributes: {
      ...reportAttributes(visible),
      ...shareUrlOf(report, view),
      ...(viewer.link !== null && { shared_by: report.owner_name || null }),
    },
    related: {
      web_pages: `${self}/web_pages`,
      ...Object.fromEntries(enabled.map(({ kind }) => [`common_${kind}_issues`, `${self}/common_${kind}_issues`])),
      ...siteRelated(report, { viewer, links }),
      ...proRelated(viewer, {
        // Share links do not give access to devices.
        device:
          viewer.link === null && (enabled.some(({ showsPages }) => showsPages) || report.device_id !== null)
            ? links(devicePath(report.device_id))
            : undefined,
        // Only the owner of a schedule can see it.
        schedule:
          report.schedule_id === null || report.account_id !== viewer.accountId
            ? undefined
            : links(`/schedules/${report.schedule_id}`),
        // Only host and guest can see a guest account, and only while it exists.
        guest_token:
          report.host_id === null || accessTo(report, viewer) !== 'all'
            ? undefined
            : links(`/guest_accounts/${report.guest_account_id}`),
        mutings: `${self}/mutings`,
      }),
      excluded_urls: `${self}/excluded_urls`,
      discovered_urls: `${self}/discovered_urls`,
      changes: `${self}/changes`,
      fixes: `${self}/fixes`,
    },
    self,
  });
}

/** If there is nothing to fix, the number of passing pages stays the same. */
function fixEffectOf(report: VisibleReport): FixEffect | null {
  const { fix_effect: effect, passed_pages: passing } = report;
  if (effect !== null || passing === null || !hasCurrentInsights(report)) return effect;
  return { fixes: 0, passing_before: passing, passing_after: passing };
}

function verdictOf({ fail_on: failOn, num_failing: howMany }: VisibleReport): AttributesOf<typeof REPORT>['verdict'] {
  if (failOn === null || howMany === null) return null;
  return { passed: howMany === 0, how_many: howMany, fail_on: failOn };
}

/** Returns the URL of the report's share link, if the viewer may share it. */
function shareUrlOf(
  report: ReportWithChecks,
  { viewer, credentialStore, baseUrl }: ReportView,
): { readonly share_url?: string } {
  const { shared, share_hash: hash, share_sealed: sealed } = report;
  if (!shared || hash === null || accessTo(report, viewer) !== 'all') return {};
  const secret = openSecret(credentialStore.box, hash, sealed);
  return secret === null ? {} : secretsFor(viewer, { share_url: `${baseUrl}/share/${secret}` });
}

/** The site and the previous report are only shown to viewers who can see more than this report. */
function siteRelated(
  report: ReportWithChecks,
  { viewer, links }: Pick<ReportView, 'viewer' | 'links'>,
): { readonly site?: string; readonly previous?: string } {
  if (accessTo(report, viewer) !== 'all') return {};
  const { previous } = report;
  return {
    site: links(`/sites/${report.site_id}`),
    ...(previous !== null && seesPrevious(report, viewer) && { previous: links(`/reports/${previous.id}`) }),
  };
}
