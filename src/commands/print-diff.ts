import { CHANGE_WORDS, type Change } from '../../packages/client/changes.ts';
import { ENGINES, engineOf } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import type { ChangeCause } from '../domain/change.ts';
import type { NewIssueType } from '../exports/check-outcome.ts';
import type { Baseline } from '../reports/baseline.ts';
import type { BaselineDiff, NamedOccurrence, NewIssue } from '../reports/diff-with-baseline.ts';
import type { Database } from '../store/database.ts';
import { engineVersions } from '../store/diffs/baselines.ts';
import { findCommonIssue } from '../store/issues/common-issues.ts';
import { findIssueWithPage } from '../store/issues/issues.ts';
import { ISSUE_TYPES_SHOWN, type OccurrencesOnPage, printIssueType } from './print-issue-type.ts';
import type { Summary } from './summary-output.ts';

/** A report compared with a baseline. */
export interface Compared {
  /** What messages call the baseline. */
  readonly name: string;
  readonly baseline: Baseline;
  readonly result: BaselineDiff;
}

/** Adds up the occurrences with a change and, if given, a cause. */
export function countChanged({ counts }: BaselineDiff, change: Change, cause?: ChangeCause): number {
  const counted = counts.filter((count) => count.change === change && (cause ?? count.cause) === count.cause);
  return counted.reduce((sum, { occurrences }) => sum + occurrences, 0);
}

/** Returns the issue types that are new, the worst first. */
export async function newIssueTypesOf(
  db: Database,
  reportId: string,
  added: readonly NewIssue[],
  max: number,
): Promise<readonly NewIssueType[]> {
  const kinds = added.slice(0, max).map(async ({ kind, id, howMany, pages }) => {
    const issue = await findCommonIssue(db, reportId, kind, id, undefined);
    return issue === undefined ? [] : [{ ...issue, how_many: howMany, num_web_pages: pages }];
  });
  return (await Promise.all(kinds)).flat();
}

/** Returns what changed since a baseline: `2 new · 0 as before · 5 fixed`. */
export function changesOf(result: BaselineDiff, styleNew = (text: string, _isBad: boolean): string => text): string {
  const count = (change: Change): number => countChanged(result, change);
  const words = (change: Change): string => `${formatNumber(count(change))} ${CHANGE_WORDS[change]}`;
  return [
    styleNew(words('new'), count('new') > 0),
    words('persisting'),
    words('fixed'),
    ...(count('unverified') > 0 ? [words('unverified')] : []),
  ].join(' · ');
}

/** Prints the changes since a baseline, and every new occurrence, the worst issue types first. */
export async function printDiff(summary: Summary, { name, baseline, result }: Compared): Promise<void> {
  const { db, report, verbose, style, line } = summary;
  line(`Compared with ${name}`, { style: 'bold' });
  line(
    changesOf(result, (text, isBad) => style(isBad ? 'red' : 'green', text)),
    { indent: 2 },
  );
  const remarks = await remarksOn(db, report.id, baseline, result);
  for (const remark of remarks) line(remark, { indent: 2, style: 'dim' });
  const shown = verbose ? result.added : result.added.slice(0, ISSUE_TYPES_SHOWN);
  for (const issue of shown) await printNewIssue(summary, issue);
  if (result.added.length > shown.length) {
    const more = plural(result.added.length - shown.length, 'more new issue type');
    line(`and ${more} (--verbose lists all)`, { indent: 2, style: 'dim' });
  }
  line();
}

async function printNewIssue(summary: Summary, { kind, id, howMany, pages, occurrences }: NewIssue): Promise<void> {
  const { db, report } = summary;
  const issue = await findCommonIssue(db, report.id, kind, id, undefined);
  if (issue === undefined) return;
  printIssueType(summary, { issue, howMany, pages, occurrences: await occurrencesWithPages(db, occurrences) });
}

/** Reads occurrences with their pages. */
export async function occurrencesWithPages(
  db: Database,
  occurrences: readonly NamedOccurrence[],
): Promise<OccurrencesOnPage[]> {
  const pages: OccurrencesOnPage[] = [];
  for (const [id, named] of Map.groupBy(occurrences, ({ issue }) => issue)) {
    const issue = await findIssueWithPage(db, id);
    if (issue === undefined) continue;
    const shown = engineOf(issue.kind).issues.shownOccurrences(issue);
    pages.push({ url: issue.page_url, occurrences: named.flatMap(({ position }) => shown[position] ?? []) });
  }
  return pages;
}

/** Explains what other than the site may have caused changes. */
async function remarksOn(db: Database, reportId: string, baseline: Baseline, result: BaselineDiff): Promise<string[]> {
  const changedBy = (cause: ChangeCause): string => {
    const [added, fixed] = [countChanged(result, 'new', cause), countChanged(result, 'fixed', cause)];
    return [
      ...(added > 0 ? [`${formatNumber(added)} new`] : []),
      ...(fixed > 0 ? [`${formatNumber(fixed)} fixed`] : []),
    ].join(' and ');
  };
  const [byEngine, byMeasurement] = [changedBy('engine'), changedBy('measurement')];
  const now = await engineVersions(db, reportId);
  const before = await baseline.engines();
  const upgraded = ENGINES.flatMap(({ kind, title }) => {
    const [then, today] = [before.get(kind)?.join(', ') ?? '', now.get(kind)?.join(', ') ?? ''];
    return then === '' || today === '' || then === today
      ? []
      : [`${title} was checked with ${then}, now with ${today}.`];
  });
  return [
    ...remarksOnUnverified(result),
    ...upgraded,
    ...(byEngine === '' ? [] : [`As a result, on documents that did not change: ${byEngine}.`]),
    ...(byMeasurement === ''
      ? []
      : [
          `On documents that did not change: ${byMeasurement}. Either results vary, or an image or data loaded by scripts changed.`,
        ]),
  ];
}

/** Why occurrences that are in a report do not count. */
const UNCOUNTED = { muting: 'muted', decision: 'marked as not an error', settings: 'outside the standard' } as const;

/** Says why occurrences of the baseline are neither found again nor fixed. */
function remarksOnUnverified(result: BaselineDiff): string[] {
  const uncounted = (Object.keys(UNCOUNTED) as (keyof typeof UNCOUNTED)[])
    .map((cause) => ({ howMany: countChanged(result, 'unverified', cause), words: UNCOUNTED[cause] }))
    .filter(({ howMany }) => howMany > 0);
  const parts = uncounted.map(({ howMany, words }) => `${formatNumber(howMany)} ${words}`);
  const explained = uncounted.reduce((sum, { howMany }) => sum + howMany, 0);
  return [
    ...(countChanged(result, 'unverified') > explained
      ? [
          'Issues that are not verified could not be compared: their page or check failed or was not part of this report.',
        ]
      : []),
    ...(parts.length > 0 ? [`Not verified because they no longer count: ${parts.join(', ')}.`] : []),
  ];
}
