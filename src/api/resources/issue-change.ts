import Type, { type Static } from 'typebox';
import { CHANGES } from '../../../packages/client/changes.ts';
import type { Viewer } from '../../accounts/access.ts';
import { findDevice } from '../../browser/devices.ts';
import { engineOf } from '../../checks/registry.ts';
import { noneOf } from '../../domain/amounts.ts';
import { CHANGE_CAUSES, CHANGE_NAMES, type ChangeName, TYPE_CHANGES } from '../../domain/change.ts';
import { count, flag, nullable } from '../../domain/schemas.ts';
import type { KeptDiff } from '../../store/diffs/diffs.ts';
import {
  type ChangedCounts,
  type ListedChange,
  NO_CHANGES,
  NOTHING_CHANGED,
  readIssueChanges,
} from '../../store/diffs/issue-changes.ts';
import { matchPages } from '../../store/diffs/page-match.ts';
import type { ListPage } from '../../store/listing.ts';
import { type SettingChange, settingChanges } from '../../store/reports/examined-settings.ts';
import { hasCurrentInsights, type ReportWithChecks } from '../../store/reports/reports.ts';
import { DECIDED, NOTHING_DECIDED } from '../attributes/change-counts.ts';
import { IDENTIFIED_ISSUE, OCCURRENCES_BY_CHANGE } from '../attributes/issue-type.ts';
import { REPORT_PARAMS } from '../attributes/parameters.ts';
import { type Call, endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, PAGING, type Paging } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { AT, COMPARED, type Compared, comparedIn, comparedOf, diffToRead, WITH } from './compared-reports.ts';
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
        'How the issue type changed. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `fixed`: all are fixed. `more`, `fewer`, `persisting`: it has more occurrences than before, fewer, or the same number, compared only where both reports looked for them. `not_checked_before`: no occurrence could be compared, and some were not checked before. `unverified`: all are unverified.',
      examples: ['more'],
    }),
    occurrences: OCCURRENCES_BY_CHANGE,
    cause: Type.Enum([...CHANGE_CAUSES], {
      description:
        'Why most of its occurrences changed. `site`: the document, a style sheet, a script or a font changed. `engine`: the document is the same, but the version of the validator, axe or the browser is different. `settings`: the two reports have different settings. `muting`: the occurrence is muted in one of the two reports. `decision`: a decision makes it an error, or not an error, in one of the two reports. `measurement`: none of these changed, so the result varies, or an image or data loaded by scripts changed. For occurrences that only one report looked for, also `page_gone`: the page now returns 404 or 410. `not_checked`: the page could not be checked for another reason. `page_missing`: only one report has the page. `too_many_occurrences`: one of the reports has too many occurrences.',
      examples: ['site'],
    }),
    causes: Type.Object(
      Object.fromEntries(CHANGE_CAUSES.map((cause) => [cause, count(`Occurrences changed by the cause ${cause}.`)])),
      {
        description:
          'Changed occurrences by cause, and occurrences in both reports that are errors in one of them only because of a decision.',
        examples: [NO_CAUSES],
      },
    ),
    decided: DECIDED,
    how_many: count('Occurrences in this report.', { examples: [6] }),
    how_many_before: count('Occurrences in the earlier report.', { examples: [4] }),
    num_web_pages: count('Pages with the issue in this report.', { examples: [2] }),
    num_web_pages_before: count('Pages with the issue in the earlier report.', { examples: [1] }),
    sample: nullable(
      Type.Object(SAMPLE),
      'One of the occurrences in this report, a new one if there is one; null if this report has none, and while the comparison is recomputed after a re-check of its page.',
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
      'The attribute of the report; `checks` for the enabled types of check, `device` for the name of the device, `signs_in` for site credentials. For `journeys`, the names: both lists are the same if only steps differ.',
    examples: ['max_pages'],
  }),
  before: Type.With(SETTING_VALUE, { description: 'Its value in the earlier report.', examples: [10] }),
  now: Type.With(SETTING_VALUE, { description: 'Its value in this report.', examples: [500] }),
});

const META = Type.Object({
  ...COMPARED,
  settings: Type.Array(SETTING_CHANGE, {
    description: 'The settings that differ between the two reports and affect what they check, in no particular order.',
  }),
  is_current: flag(
    'Whether the comparison reflects the current state of the report; false while it is being computed.',
  ),
  changed_since_end: flag(
    'Whether re-checks, mutings or decisions have changed the results of this report since it ended, so that `at=now` returns other changes.',
    { examples: [false] },
  ),
  changes: Type.Object(
    Object.fromEntries(CHANGES.map((change) => [change, count(`Occurrences that are ${change}.`)])),
    {
      description: 'Occurrences by change, regardless of filters: the sums of `occurrences` of all issue types.',
    },
  ),
  decided: DECIDED,
  issue_types: Type.Object(
    Object.fromEntries(CHANGE_NAMES.map((name) => [name, count(`Issue types that \`filter[change]=${name}\` finds.`)])),
    { description: 'Issue types by change, regardless of filters. A type can have several changes.' },
  ),
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

export interface ChangesToRead {
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
    decided,
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
      decided: { ...NOTHING_DECIDED, ...decided },
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
      const match = diff === undefined ? null : await matchPages(call.db, subject.id, diff.with_id);
      const meta = {
        ...(await comparedOf(call.db, subject.id, diff?.with_id ?? null, match)),
        settings:
          diff === undefined ? [] : settingsFor(call.viewer, await settingChanges(call.db, subject.id, diff.with_id)),
        is_current: diff?.is_current ?? hasCurrentInsights(subject),
        changed_since_end: subject.changed_since_end,
        changes: counts.occurrences,
        decided: counts.decided,
        issue_types: counts.issueTypes,
      };
      return listed(page, (change) => issueChangeResource(call, change), meta);
    },
  }),
];
