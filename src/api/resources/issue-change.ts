import Type, { type Static } from 'typebox';
import { CHANGES } from '../../../packages/client/changes.ts';
import { accessTo, mayRead, type Viewer } from '../../accounts/access.ts';
import { findDevice } from '../../browser/devices.ts';
import { engineOf } from '../../checks/registry.ts';
import { noneOf } from '../../domain/amounts.ts';
import {
  CHANGE_CAUSES,
  CHANGE_NAMES,
  type ChangeName,
  LISTED_PAGE_CHANGES,
  PAGE_CHANGES,
  type PageChangeName,
  TYPE_CHANGES,
} from '../../domain/change.ts';
import { codeOf, sentenceOf } from '../../domain/failures/failure.ts';
import { count, failureCode, flag, nullable, UUID_EXAMPLE, webAddress } from '../../domain/schemas.ts';
import { pairOf } from '../../reports/compared-pages.ts';
import { compareWith } from '../../reports/compute-insights.ts';
import type { KeptDiff } from '../../store/diffs/diffs.ts';
import {
  type ChangedCounts,
  type ListedChange,
  NO_CHANGES,
  NOTHING_CHANGED,
  readIssueChanges,
} from '../../store/diffs/issue-changes.ts';
import { listPageChanges, NO_PAGES, type PageChangePage } from '../../store/diffs/page-changes.ts';
import { matchPages, type PageMatch } from '../../store/diffs/page-match.ts';
import type { ListPage } from '../../store/listing.ts';
import { type SettingChange, settingChanges } from '../../store/reports/examined-settings.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import type { ResultsAt } from '../../store/reports/results-at-end.ts';
import { IDENTIFIED_ISSUE, OCCURRENCES_BY_CHANGE } from '../attributes/issue-type.ts';
import { REPORT_PARAMS, uuid } from '../attributes/parameters.ts';
import { type Call, endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { parameterProblem, RequestError } from '../jsonapi/errors.ts';
import { choiceParameter, chosenOf, PAGING, type Paging } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { SAMPLE, shownSample } from './occurrence.ts';
import { reportToRead } from './report.ts';

const NO_CAUSES = noneOf(CHANGE_CAUSES);

export const ISSUE_CHANGE = resourceType('issue_change', {
  description: 'How an issue type changed since an earlier report.',
  id: Type.String({ examples: ['17-3'] }),
  attributes: Type.Object({
    ...IDENTIFIED_ISSUE,
    change: Type.Enum([...TYPE_CHANGES], {
      description:
        'Of the issue type: all its occurrences are `new`, or some of them `regressed`, which means fixed before and back now; all are `fixed`; it has `more`, `fewer` or as many occurrences (`persisting`), without those that are not checked before or unverified; or it has only those: `not_checked_before` or `unverified`.',
      examples: ['more'],
    }),
    occurrences: OCCURRENCES_BY_CHANGE,
    cause: Type.Enum([...CHANGE_CAUSES], {
      description:
        'Why most of its occurrences changed. `site`: the document, a style sheet, a script or a font changed. `engine`: the document is the same, but the validator, axe or the browser has another version. `settings`: the two reports have different settings. `muting`: the occurrence is muted in one of the two reports. `measurement`: none of these changed, so the result varies, or an image or data loaded by scripts changed. For occurrences that only one report looked for, also `page_gone`: the page now returns 404 or 410. `not_checked`: the page could not be checked for another reason. `page_missing`: only one report has the page. `too_many_occurrences`: one of the reports has too many occurrences.',
      examples: ['site'],
    }),
    causes: Type.Object(
      Object.fromEntries(CHANGE_CAUSES.map((cause) => [cause, count(`Occurrences changed by the cause ${cause}.`)])),
      { description: 'Changed occurrences by cause.', examples: [NO_CAUSES] },
    ),
    how_many: count('Occurrences in this report.', { examples: [6] }),
    how_many_before: count('Occurrences in the earlier report.', { examples: [4] }),
    num_web_pages: count('Pages with the issue in this report.', { examples: [2] }),
    num_web_pages_before: count('Pages with the issue in the earlier report.', { examples: [1] }),
    sample: nullable(
      Type.Object(SAMPLE),
      'One of the occurrences in this report, a new one if there is one; null if this report has none, and until the comparison is made again after its page was checked again.',
      { examples: [null] },
    ),
  }),
  relationships: {
    common_issue: {
      description:
        'The issue type with all its occurrences: in this report, or in the earlier report if this one has none.',
      path: '/reports/{report_id}/common_html_issues/{common_html_issue_id}',
    },
  },
  self: 'never',
});

const PAGE_CHANGE = resourceType('page_change', {
  description: 'A page that broke or recovered since the earlier report, or that is in only one of the two reports.',
  id: Type.String({ examples: ['4711'] }),
  attributes: Type.Object({
    change: Type.Enum([...PAGE_CHANGES], {
      description:
        '`broken`: a check that ran in the earlier report failed in this one because of the page, for example because it now returns 404. `recovered`: the reverse. `added` and `removed`: only this report or only the earlier one has the page.',
      examples: ['broken'],
    }),
    url: webAddress('The URL of the page.'),
    title: nullable(Type.String(), 'Its title; null without one.', { examples: ['Home'] }),
    http_status: nullable(
      Type.Integer(),
      'Its HTTP status, in the earlier report for a removed page; null if there was no response.',
      { examples: [404] },
    ),
    http_status_before: nullable(
      Type.Integer(),
      'Its HTTP status in the earlier report; null if there was no response, and for an added page.',
      { examples: [200] },
    ),
    deleted: flag(
      'Whether the other report lacks the page because someone deleted it from that report. False for pages that both reports have.',
      { examples: [false] },
    ),
    found_again: flag(
      'Whether an added page is in one of the ten reports of the site before the earlier one. False for other changes.',
      { examples: [false] },
    ),
    error: nullable(Type.String(), 'Why a broken or added page could not be checked; null if it could.', {
      examples: ['The page answered 404.'],
    }),
    error_code: failureCode('error'),
  }),
  relationships: {
    web_page: { description: 'The page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
  self: 'never',
});

const WITH = {
  with: Type.Optional(
    Type.String({
      default: 'previous',
      description:
        'The report to compare with: its id, or `previous` for the previous finished report of the same site. Pages of reports of different origins, such as staging and production, are matched by path.',
      examples: [UUID_EXAMPLE],
    }),
  ),
};
const AT = {
  at: Type.Optional(
    Type.Enum(['end', 'now'], {
      default: 'end',
      description:
        'Which results of this report to compare: `end`, as the report ended, or `now`, which re-checks and mutings have changed since. Results of the earlier report are always as it ended.',
      examples: ['now'],
    }),
  ),
};
const compared = {
  with: nullable(
    Type.String(),
    'The id of the earlier report; null if there is none that you can read, or if the comparison is not computed yet.',
    {
      examples: [UUID_EXAMPLE],
    },
  ),
  matched_by: nullable(
    Type.Enum(['url', 'path']),
    'How the pages of the two reports are matched: by `url`; or by `path`, the part of the URL after the host, because the reports are of different origins, such as staging and production. Null if `with` is null.',
    { examples: ['url'] },
  ),
};

const SETTING_VALUE = Type.Union([
  Type.String(),
  Type.Integer(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.String()),
]);
export const SETTING_CHANGE = Type.Object({
  name: Type.String({
    description:
      'The attribute of the report; `checks` for the enabled kinds of check, `device` for the name of the device, `signs_in` for site credentials.',
    examples: ['max_pages'],
  }),
  before: Type.With(SETTING_VALUE, { description: 'Its value in the earlier report.', examples: [10] }),
  now: Type.With(SETTING_VALUE, { description: 'Its value in this report.', examples: [500] }),
});

const META = Type.Object({
  ...compared,
  settings: Type.Array(SETTING_CHANGE, {
    description: 'The settings that differ between the two reports and decide what they check, in no particular order.',
  }),
  is_current: flag(
    'Whether the comparison reflects the current state of the report; false while it is being computed.',
  ),
  changed_since_end: flag(
    'Whether re-checks or mutings have changed the results of this report since it ended, so that `at=now` returns other changes.',
    { examples: [false] },
  ),
  changes: Type.Object(
    Object.fromEntries(CHANGES.map((change) => [change, count(`Occurrences that are ${change}.`)])),
    {
      description: 'Occurrences by change, regardless of filters: the sums of `occurrences` of all issue types.',
    },
  ),
  issue_types: Type.Object(
    Object.fromEntries(CHANGE_NAMES.map((name) => [name, count(`Issue types that \`filter[change]=${name}\` finds.`)])),
    { description: 'Issue types by change, regardless of filters. A type can have several changes.' },
  ),
});

const PAGES_META = Type.Object({
  ...compared,
  changes: Type.Object(Object.fromEntries(PAGE_CHANGES.map((change) => [change, count(`Pages that are ${change}.`)])), {
    description: 'Pages by change, regardless of filters.',
  }),
});

/** Renders the settings that differ, without the kinds of check that the viewer does not see. */
export function settingsFor(
  viewer: Pick<Viewer, 'plan'>,
  changes: readonly SettingChange[],
): Static<typeof META>['settings'] {
  const shown = (name: SettingChange['name'], value: SettingChange['now']) => {
    if (name === 'device_id') return typeof value === 'string' ? (findDevice(value)?.name ?? value) : null;
    if (!Array.isArray(value)) return value;
    return name === 'checks' ? kindsSeenBy(viewer).filter((kind) => value.includes(kind)) : value;
  };
  return changes.map(({ name, before, now }) => ({
    name: name === 'device_id' ? 'device' : name,
    before: shown(name, before),
    now: shown(name, now),
  }));
}

export const matchedBy = ({ origins }: PageMatch): 'url' | 'path' => (origins === null ? 'url' : 'path');

/** What the client wants to compare. */
interface Compared {
  readonly with: string | undefined;
  readonly at: ResultsAt;
}

/**
 * Returns the diff of a report with the report that the client has chosen.
 * @returns undefined before it is made, without a previous report, and if the viewer may not read the previous report
 */
async function diffToRead(
  call: Call,
  report: ReportWithChecks,
  { with: given = 'previous', at }: Compared,
): Promise<KeptDiff | undefined> {
  const of = accessTo(report, call.viewer) === 'all' ? 'owner' : 'reader';
  if (given !== 'previous') {
    const id = uuid(given);
    if (id === null)
      throw new RequestError('invalid_parameter', [parameterProblem('with', 'must be a report id or previous')]);
    return compareWith(call.db, report, (await reportToRead(call, { report_id: id })).id, at, of);
  }
  const diff = await compareWith(call.db, report, given, at, of);
  if (diff === undefined || !(await mayRead(call.db, call.viewer, diff.with_id))) return undefined;
  return diff;
}

interface ChangesToRead {
  readonly diff: KeptDiff | undefined;
  readonly page: ListPage<ListedChange>;
  readonly counts: ChangedCounts;
}

/** Lists the changes of a diff. If it is replaced in the meantime, reads the new diff. */
async function changesToRead(
  call: Call,
  report: ReportWithChecks,
  wanted: Compared & { readonly changes: readonly ChangeName[] | undefined },
  paging: Paging,
): Promise<ChangesToRead> {
  const diff = await diffToRead(call, report, wanted);
  if (diff === undefined) return { diff, page: { total: 0, rows: [] }, counts: NOTHING_CHANGED };
  const compared = { id: diff.id, reportId: report.id, withId: diff.with_id };
  const filter = { kinds: kindsSeenBy(call.viewer), changes: wanted.changes };
  const read = await readIssueChanges(call.db, compared, filter, paging);
  return read === null ? changesToRead(call, report, wanted, paging) : { diff, ...read };
}

interface PageChangesToRead {
  readonly page: PageChangePage;
  /** Null without a diff. */
  readonly withId: string | null;
  readonly match: PageMatch | null;
}

/** Lists the changes of a diff. If it is replaced in the meantime, reads the new diff. */
async function pageChangesToRead(
  call: Call,
  report: ReportWithChecks,
  wanted: Compared & { readonly changes: readonly PageChangeName[] },
  paging: Paging,
): Promise<PageChangesToRead> {
  const diff = await diffToRead(call, report, wanted);
  if (diff === undefined) return { page: { total: 0, rows: [], counts: NO_PAGES }, withId: null, match: null };
  const { id, with_id: withId } = diff;
  const pair = await pairOf(call.db, report.id, withId, wanted.at);
  const filter = { kinds: kindsSeenBy(call.viewer), changes: wanted.changes };
  const page = await listPageChanges(call.db, { id, ...pair }, filter, paging);
  return page === null ? pageChangesToRead(call, report, wanted, paging) : { page, withId, match: pair.match };
}

const comparedIn = (query: { readonly with?: string; readonly at?: ResultsAt }): Compared => ({
  with: query.with,
  at: query.at ?? 'end',
});

function issueChangeResource(call: Call, change: ListedChange): Resource {
  const { id: _, diff_id: of, position, common_issue: common, ...rest } = change;
  const {
    sample_issue_id: _issue,
    sample_occurrence: _occurrence,
    worse: _worse,
    fingerprint,
    sample,
    occurrences,
    causes,
    ...attributes
  } = rest;
  const { kind } = attributes;
  return resource(ISSUE_CHANGE, {
    id: `${of}-${position}`,
    attributes: {
      ...attributes,
      fingerprint: fingerprint.toString('hex'),
      occurrences: { ...NO_CHANGES, ...occurrences },
      causes: { ...NO_CAUSES, ...causes },
      sample: sample && shownSample(engineOf(kind), sample),
    },
    related: {
      common_issue:
        common === null ? undefined : call.links(`/reports/${common.report_id}/common_${kind}_issues/${common.id}`),
    },
  });
}

export const CHANGE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/changes',
    summary: 'List what changed since an earlier report',
    description:
      'Returns one row per issue type: new issues first, then the worst. Muted issues are not included. An occurrence keeps its identity when other parts of its page change.',
    additive: true,
    params: REPORT_PARAMS,
    query: Type.Object({
      ...PAGING,
      ...WITH,
      ...AT,
      'filter[change]': choiceParameter(CHANGE_NAMES, {
        description:
          'Only issue types with at least one occurrence that has one of these changes, or with `more` or `fewer` occurrences than before where both reports looked for them',
      }),
    }),
    answers: { ...listOf(ISSUE_CHANGE), meta: META },
    errors: ['too_many_comparisons'],
    subject: reportToRead,
    async answer({ call, query, subject, paging }) {
      const changes = chosenOf(query['filter[change]'], CHANGE_NAMES);
      const { diff, page, counts } = await changesToRead(call, subject, { ...comparedIn(query), changes }, paging);
      const match = diff && (await matchPages(call.db, subject.id, diff.with_id));
      const meta = {
        with: diff?.with_id ?? null,
        matched_by: match === undefined ? null : matchedBy(match),
        settings:
          diff === undefined ? [] : settingsFor(call.viewer, await settingChanges(call.db, subject.id, diff.with_id)),
        is_current: diff?.is_current ?? (!subject.insights_pending && subject.status === 'finished'),
        changed_since_end: subject.changed_since_end,
        changes: counts.occurrences,
        issue_types: counts.issueTypes,
      };
      return listed(page, (change) => issueChangeResource(call, change), meta);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/changes/pages',
    summary: 'List pages added or removed since an earlier report',
    description:
      'With `filter[change]`, also pages that broke or recovered. Broken pages come first, followed by recovered, added and removed pages, each sorted by URL. A page is not broken if its checks failed because of this service or because credits ran out.',
    additive: true,
    params: REPORT_PARAMS,
    query: Type.Object({
      ...PAGING,
      ...WITH,
      ...AT,
      'filter[change]': choiceParameter(PAGE_CHANGES, {
        description: 'These changes',
        default: LISTED_PAGE_CHANGES.join(),
      }),
    }),
    answers: { ...listOf(PAGE_CHANGE), meta: PAGES_META },
    errors: ['too_many_comparisons'],
    subject: reportToRead,
    async answer({ call, query, subject, paging }) {
      const changes = chosenOf(query['filter[change]'], PAGE_CHANGES) ?? LISTED_PAGE_CHANGES;
      const { page, withId, match } = await pageChangesToRead(call, subject, { ...comparedIn(query), changes }, paging);
      return listed(
        page,
        ({ id, report_id: of, error, ...attributes }) =>
          resource(PAGE_CHANGE, {
            id,
            attributes: { ...attributes, error: error && sentenceOf(error), error_code: codeOf(error) },
            related: { web_page: call.links(`/reports/${of}/web_pages/${id}`) },
          }),
        { with: withId, matched_by: match && matchedBy(match), changes: page.counts },
      );
    },
  }),
];
