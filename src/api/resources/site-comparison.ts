import Type, { type Static } from 'typebox';
import { CHANGES } from '../../../packages/client/changes.ts';
import { accessTo, readableReport } from '../../accounts/access.ts';
import { CHANGE_NAMES, PAGE_CHANGES, TYPE_CHANGES } from '../../domain/change.ts';
import { COMPARISON_FORMAT_NAMES, COMPARISON_FORMATS } from '../../domain/export-formats.ts';
import { count, flag, nullable, TIMESTAMP, UUID, webAddress } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { type ComparedPeriod, compareSite, findEnds, numbersOfEnd } from '../../reports/compare-site.ts';
import { NO_CHANGES } from '../../store/diffs/issue-changes.ts';
import type { PassingChange } from '../../store/diffs/passing-pages.ts';
import type { ReportWithChecks, VisibleReport } from '../../store/reports/reports.ts';
import { findOwnSite } from '../../store/reports/shared-sites.ts';
import type { IssueChange } from '../../store/schema.ts';
import { DECIDED } from '../attributes/change-counts.ts';
import { DAY_MS, startOf } from '../attributes/days.ts';
import { IDENTIFIED_ISSUE, OCCURRENCES_BY_CHANGE } from '../attributes/issue-type.ts';
import { comparedRowsMax, exportedRowsMax } from '../attributes/limits.ts';
import { PAGES } from '../attributes/report-counts.ts';
import { type Call, endpoint, fileOf, one } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { parameterProblem, RequestError } from '../jsonapi/errors.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { matchedBy } from './compared-reports.ts';
import { counted, fileNameOf, streamOf } from './export.ts';
import { SETTING_CHANGE, settingsFor } from './issue-change.ts';
import { linkedSite } from './shared-site.ts';
import { visibleReport } from './visible-report.ts';

const END = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  finished_at: Type.With(TIMESTAMP, { description: 'When the report was completed.' }),
  errors: count('Number of its errors, from all checks.', { examples: [7] }),
  num_pages: count('Number of its web pages.', { examples: [5] }),
  pages: nullable(PAGES, 'Same as `pages` of the report.'),
});

const CHANGED_TYPE = Type.Object({
  ...IDENTIFIED_ISSUE,
  change: Type.Enum([...TYPE_CHANGES], {
    description: 'How the issue type as a whole changed, as in the list of changes.',
    examples: ['fixed'],
  }),
  occurrences: OCCURRENCES_BY_CHANGE,
  how_many: count('Occurrences in the last report.', { examples: [0] }),
  how_many_before: count('Occurrences in the first report.', { examples: [4] }),
  num_web_pages: count('Pages with the issue in the last report.', { examples: [0] }),
  num_web_pages_before: count('Pages with the issue in the first report.', { examples: [1] }),
});

const PASSING_CHANGE = Type.Object({
  url: webAddress('The URL of the page, in the last report.'),
  title: nullable(Type.String(), 'Its title; null without one.', { examples: ['Home'] }),
  errors: count('Number of its errors in the report in which it did not pass.', { examples: [3] }),
});

const FOUND = Type.Object({
  changes: Type.Object(
    Object.fromEntries(CHANGES.map((change) => [change, count(`Occurrences that are ${change}.`)])),
    { description: 'Occurrences by change, as in `meta.changes` of the list of changes.' },
  ),
  decided: DECIDED,
  errors: Type.Object(
    {
      fixed: count('Errors among the fixed occurrences.', { examples: [6] }),
      new: count('Errors among the occurrences that are new or back.', { examples: [0] }),
    },
    { description: 'The errors among these occurrences, excluding warnings and findings that need review.' },
  ),
  issue_types: Type.Object(
    Object.fromEntries(CHANGE_NAMES.map((name) => [name, count(`Issue types that \`filter[change]=${name}\` finds.`)])),
    { description: 'Issue types by change, as in the list of changes.' },
  ),
  fixed: Type.Array(CHANGED_TYPE, {
    description: `Issue types with fixed occurrences, most fixed occurrences first: at most ${comparedRowsMax}.`,
  }),
  num_fixed_types: count('Issue types with fixed occurrences.', { examples: [1] }),
  new: Type.Array(CHANGED_TYPE, {
    description: `Issue types with occurrences that are new or back, most of these occurrences first: at most ${comparedRowsMax}.`,
  }),
  num_new_types: count('Issue types with occurrences that are new or back.', { examples: [0] }),
  pages: Type.Object(
    {
      passing: count('Pages that pass now and had errors before.', { examples: [1] }),
      failing: count('Pages that passed before and have errors now.', { examples: [0] }),
      ...Object.fromEntries(PAGE_CHANGES.map((change) => [change, count(`Pages that are ${change}.`)])),
    },
    { description: 'Pages by change. Pages that could not be checked are neither passing nor failing.' },
  ),
  passing: Type.Array(PASSING_CHANGE, {
    description: `Pages that pass now and had errors before, most errors first: at most ${comparedRowsMax}.`,
  }),
  failing: Type.Array(PASSING_CHANGE, {
    description: `Pages that passed before and have errors now, most errors first: at most ${comparedRowsMax}.`,
  }),
  matched_by: Type.Enum(['url', 'path'], {
    description: 'How the pages of the two reports are matched, as in the list of changes.',
    examples: ['url'],
  }),
  settings: Type.Array(SETTING_CHANGE, {
    description: 'The settings that differ between the two reports and affect what they check.',
  }),
});

const SITE_COMPARISON = resourceType('site_comparison', {
  description: 'What changed on a site between two of its reports: what was fixed, and what is new.',
  id: UUID,
  attributes: Type.Object({
    since: Type.String({
      description: 'Where the period begins: a day in UTC, `first` or `previous`.',
      examples: ['first', '2026-01-01'],
    }),
    until: nullable(Type.String(), 'The last day of the period, in UTC; null for the newest report.', {
      examples: [null, '2026-12-31'],
    }),
    before: nullable(
      END,
      'The earlier report. The same as `now` if the period has only one report; null without `now`, and if no report precedes it.',
    ),
    before_is_later: flag(
      'Whether the earlier report finished after the day in `since`, because it is the first report of the site.',
    ),
    now: nullable(END, 'The later report; null if no report had finished by then.'),
    found: nullable(FOUND, 'What changed; null unless there are two reports.'),
  }),
  relationships: {
    changes: {
      description: 'Every issue type that changed. Absent unless there are two reports.',
      path: '/reports/{report_id}/changes',
    },
  },
  self: 'never',
});

const SITE_PARAMS = Type.Object({ site_id: UUID });

const PERIOD = {
  since: Type.Optional(
    Type.Refine(
      Type.String({
        default: 'first',
        description:
          'Where the period begins: a day in UTC such as `2026-01-01`, which stands for the last report that had finished by the end of that day, or the first report if there is none; `first` for the first report; `previous` for the report before the last one.',
        examples: ['2026-01-01'],
      }),
      (text) => text === 'first' || text === 'previous' || startOf(text) !== null,
      () => 'must be first, previous or a day, such as 2026-02-14',
    ),
  ),
  until: Type.Optional(
    Type.Refine(
      Type.String({
        description:
          'The last day of the period in UTC, which stands for the last report that had finished by the end of that day. Defaults to the newest report.',
        examples: ['2026-12-31'],
      }),
      (text) => startOf(text) !== null,
      () => 'must be a day, such as 2026-02-14',
    ),
  ),
};

const PERIOD_QUERY = Type.Object(PERIOD);

const FORMATS = COMPARISON_FORMAT_NAMES.map((name) => `\`${name}\` (${COMPARISON_FORMATS[name].about})`).join(', ');

const COMPLETE =
  'Only full reports count, as in `runs` of `GET /share/sites`. The secrets of share links of the site are also accepted.';

export const SITE_COMPARISON_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}/comparison',
    summary: 'Get what was fixed in a period',
    description: `Compares two reports of a site, as the list of changes does: for each of two dates, the last report that had finished by then. ${COMPLETE}`,
    additive: true,
    params: SITE_PARAMS,
    query: PERIOD_QUERY,
    answers: one(SITE_COMPARISON),
    errors: ['too_many_comparisons'],
    subject: siteToCompare,
    answer: async ({ call, query, subject }) =>
      renderComparison(await comparePeriod(call, await readEnds(call, subject, query), comparedRowsMax), call),
  }),
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}/comparison/export',
    summary: 'Download what was fixed in a period',
    description: `Returns the comparison of two reports of a site in the format you choose. ${COMPLETE}`,
    additive: true,
    params: SITE_PARAMS,
    query: Type.Object({
      ...PERIOD,
      format: Type.Enum(COMPARISON_FORMAT_NAMES, { description: `The format: ${FORMATS}.`, examples: ['html'] }),
    }),
    answers: fileOf(
      SITE_COMPARISON,
      COMPARISON_FORMAT_NAMES.map((name) => COMPARISON_FORMATS[name].mediaType.replace(/;.*/, '')),
    ),
    errors: ['too_many_comparisons', 'too_many_exports'],
    subject: siteToCompare,
    async answer({ call, query, subject }) {
      const { mediaType, extension } = COMPARISON_FORMATS[query.format];
      const ends = await readEnds(call, subject, query);
      const { hostname } = new URL(subject.starting_url);
      const day = ends.now?.finished_at ?? ends.until;
      return {
        name: `${fileNameOf(hostname, 'fixed', ...(day === null ? [] : [day]))}.${extension}`,
        mediaType,
        open: () =>
          counted(call.viewer, async () =>
            streamOf(call.exportComparison(await comparePeriod(call, ends, exportedRowsMax), query.format)),
          ),
      };
    },
  }),
];

/** Returns the site that a path names, if the viewer can see it, or if the viewer's share link opens it. */
async function siteToCompare(
  call: Call,
  { site_id: id }: { readonly site_id: string },
): Promise<ComparedPeriod['site']> {
  if (call.viewer.link !== null) return linkedSite(call, id);
  const site = await findOwnSite(call.db, call.viewer.accountId, id);
  if (site === undefined) throw notFound('site');
  return site;
}

/** A period of a site, with the complete reports at its start and end. */
interface PeriodToCompare extends Pick<ComparedPeriod, 'site' | 'since' | 'until' | 'isLater'> {
  readonly now: ReportWithChecks | null;
  readonly before: ReportWithChecks | null;
}

/** Finds the two reports to compare for a period. @throws RequestError invalid_parameter if it ends before it begins */
async function readEnds(
  call: Call,
  site: ComparedPeriod['site'],
  { since = 'first', until = null }: { readonly since?: string; readonly until?: string | null },
): Promise<PeriodToCompare> {
  const [from, to] = [startOf(since), until === null ? null : startOf(until)];
  if (from !== null && to !== null && from > to) {
    throw new RequestError('invalid_parameter', [parameterProblem('since', 'is after the last day')]);
  }
  const { db, viewer } = call;
  const ends = await findEnds(db, {
    siteId: site.id,
    creators: viewer.link === null ? { accountId: viewer.accountId, createdBy: 'all' } : null,
    since: from === null ? (since === 'previous' ? 'previous' : 'first') : new Date(from + DAY_MS),
    until: to === null ? null : new Date(to + DAY_MS),
  });
  const read = async (id: string | null) => (id === null ? null : await readableReport(db, viewer, id));
  return { site, since, until, isLater: ends.isLater, now: await read(ends.now), before: await read(ends.before) };
}

/** Compares a period as the viewer sees it. @param max rows of each list */
async function comparePeriod(call: Call, period: PeriodToCompare, max: number): Promise<ComparedPeriod> {
  const { db, viewer } = call;
  const { now, before } = period;
  const isPair = now !== null && before !== null && now.id !== before.id;
  const of = isPair && accessTo(now, viewer) === 'all' ? 'owner' : 'reader';
  const reader = { kinds: kindsSeenBy(viewer), of, max } as const;
  const comparison = isPair ? await compareSite(db, { now: now.id, before: before.id }, reader) : null;
  return {
    ...period,
    comparison,
    now: now && visibleReport(now, viewer),
    before: before && visibleReport(before, viewer),
    settings: comparison === null ? [] : settingsFor(viewer, comparison.settings),
  };
}

function endOf(report: VisibleReport | null): Static<typeof END> | null {
  if (report === null) return null;
  return {
    report_id: report.id,
    finished_at: utcTime(report.finished_at ?? report.updated_at),
    ...numbersOfEnd(report),
  };
}

function renderComparison(period: ComparedPeriod, { links }: Pick<Call, 'links'>): Resource {
  const { site, since, until, now, before, isLater } = period;
  const attributes: AttributesOf<typeof SITE_COMPARISON> = {
    ...{ since, until, before_is_later: isLater },
    before: endOf(before),
    now: endOf(now),
    found: foundOf(period),
  };
  const changes = period.comparison === null ? undefined : links(`/reports/${now?.id}/changes?with=${before?.id}`);
  return resource(SITE_COMPARISON, { id: site.id, attributes, related: { changes } });
}

function foundOf({ comparison, settings }: ComparedPeriod): Static<typeof FOUND> | null {
  if (comparison === null) return null;
  const { counts, errors, fixed, appeared, pages, passing, failing, match } = comparison;
  return {
    changes: counts.occurrences,
    decided: counts.decided,
    errors: { fixed: errors.fixed, new: errors.appeared },
    issue_types: counts.issueTypes,
    fixed: fixed.rows.map(typeOf),
    num_fixed_types: fixed.total,
    new: appeared.rows.map(typeOf),
    num_new_types: appeared.total,
    pages: { passing: passing.total, failing: failing.total, ...pages },
    passing: passing.rows.map(pageOf),
    failing: failing.rows.map(pageOf),
    matched_by: matchedBy(match),
    settings: [...settings],
  };
}

function typeOf(change: IssueChange): Static<typeof CHANGED_TYPE> {
  const { kind, message, rule_id, impact, fingerprint, issue_type, how_many, how_many_before } = change;
  const { num_web_pages, num_web_pages_before } = change;
  return {
    ...{ kind, message, rule_id, impact, issue_type, change: change.change },
    ...{ how_many, how_many_before, num_web_pages, num_web_pages_before },
    fingerprint: fingerprint.toString('hex'),
    occurrences: { ...NO_CHANGES, ...change.occurrences },
  };
}

function pageOf({ url, title, errors }: PassingChange): Static<typeof PASSING_CHANGE> {
  return { url, title, errors };
}
