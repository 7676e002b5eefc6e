import type { PresentChange } from '../../packages/client/changes.ts';
import type { OccurrenceMarks } from '../checks/occurrence-marks.ts';
import type { CheckKind } from '../domain/check.ts';
import { COMPARED_OCCURRENCES_MAX, changeOf, occurrenceKeysIn, occurrencesIn } from '../issues/diff-pages.ts';
import { recheckMark } from '../issues/diff-recheck.ts';
import { FINGERPRINT_BYTES } from '../issues/identity.ts';
import { createPace } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { findDiff } from '../store/diffs/diffs.ts';
import { chooseIssueTypes } from '../store/diffs/page-results.ts';
import type { PageIssue } from '../store/issues/issues.ts';
import { diffPages, pairOf } from './compared-pages.ts';

/** Occurrences of an issue on a page: all of them, or the shown ones. */
export interface IssueToMark {
  readonly pageUrl: string;
  /** Fingerprint of the issue type. */
  readonly fingerprint: Buffer;
  /** Fingerprints of the occurrences. */
  readonly fingerprints: Uint8Array;
  /** As `newOccurrences` packs it; null if the last re-check was not compared. */
  readonly new_occurrences: Uint8Array | null;
  readonly muted: boolean;
}

/**
 * Marks the occurrences of issues of one kind of check on any pages of a report, with the changes that its diff with the previous
 * report counts (decision 0054) and with the results of the last re-check (0009). From earlier reports, reads only these issue
 * types on these pages.
 * @returns the marks of each issue, in the order of its occurrences
 */
export async function markOccurrences(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  issues: readonly IssueToMark[],
): Promise<OccurrenceMarks[][]> {
  const changes = await changesOf(
    db,
    reportId,
    kind,
    issues.filter(({ muted }) => !muted),
  );
  const marks: OccurrenceMarks[][] = [];
  const pace = createPace();
  for (const issue of issues) {
    const ofIssue: OccurrenceMarks[] = [];
    const packed = issue.fingerprints;
    for (let start = 0; start < packed.length; start += SLICE_BYTES) {
      for (const fingerprint of occurrencesIn(packed.subarray(start, start + SLICE_BYTES))) {
        const at = ofIssue.length;
        const recheck = issue.muted ? null : recheckMark(issue.new_occurrences, at);
        ofIssue.push({ fingerprint, change: changes.get(issue)?.[at] ?? null, recheck });
      }
      await pace();
    }
    marks.push(ofIssue);
  }
  return marks;
}

/** Marks the occurrences of all issues of one kind of check on a page. @returns the marks by the id of the issue */
export async function markIssues(
  db: Executor,
  kind: CheckKind,
  page: { readonly report_id: string; readonly url: string },
  issues: readonly PageIssue[],
): Promise<ReadonlyMap<number, readonly OccurrenceMarks[]>> {
  const placed = issues.map((issue) => ({ ...issue, fingerprints: neededFingerprints(issue), pageUrl: page.url }));
  const marks = await markOccurrences(db, page.report_id, kind, placed);
  return new Map(issues.map(({ id }, index) => [id, marks[index] ?? []]));
}

/** Returns the fingerprints of all occurrences; if there are too many to compare, of the shown occurrences. */
function neededFingerprints({ fingerprints, how_many: howMany, occurrences }: PageIssue): Uint8Array {
  if (howMany <= COMPARED_OCCURRENCES_MAX || !Array.isArray(occurrences)) return fingerprints;
  return fingerprints.subarray(0, occurrences.length * FINGERPRINT_BYTES);
}

/** Fingerprints of occurrences that are unpacked at a time. */
const SLICE_BYTES = 1_024 * FINGERPRINT_BYTES;

/** Returns the change of an issue on its page: it is new if all its occurrences are. Null if they are not compared. */
export function changeOfIssue(marks: readonly OccurrenceMarks[]): PresentChange | null {
  const changes = new Set(marks.map(({ change }) => change));
  return (
    (['persisting', 'not_checked_before', 'regressed', 'new'] as const).find((change) => changes.has(change)) ?? null
  );
}

type Changes = readonly (PresentChange | null)[];

/** Returns the changes of the occurrences of issues; null for occurrences on pages that are not compared. */
async function changesOf(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  issues: readonly IssueToMark[],
): Promise<ReadonlyMap<IssueToMark, Changes>> {
  const changes = new Map<IssueToMark, Changes>();
  const diff = issues.length === 0 ? undefined : await findDiff(db, reportId, 'previous', 'now');
  if (diff === undefined) return changes;
  const fingerprints = issues.map(({ fingerprint }) => fingerprint);
  const only = await chooseIssueTypes(db, reportId, kind, fingerprints);
  const ofPages = Map.groupBy(issues, ({ pageUrl }) => pageUrl);
  const pair = await pairOf(db, reportId, diff.with_id, 'now');
  for await (const { url, checks, earlier } of diffPages(db, pair, [...ofPages.keys()], only)) {
    const check = checks.get(kind);
    if (check === undefined) continue;
    for (const issue of ofPages.get(url) ?? []) {
      const occurrences = occurrenceKeysIn(issue.fingerprints);
      changes.set(
        issue,
        occurrences.map((occurrence) => changeOf(occurrence, check, earlier)),
      );
    }
  }
  return changes;
}
