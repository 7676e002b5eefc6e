import { PRESENT_CHANGES, type PresentChange } from '../../packages/client/changes.ts';
import { slicesByWeight, slicesOf } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { findDiff } from '../store/diffs/diffs.ts';
import { type ChangedRange, changedOccurrencesBetween, issuesToCompare } from '../store/diffs/issues-by-change.ts';
import { countOccurrences, type OccurrenceFilter, occurrencesBetween } from '../store/issues/occurrence-list.ts';
import { type Occurrence, type OccurrencesOfIssue, readSingleOccurrences } from '../store/issues/occurrences.ts';
import type { ListPage, PageRequest } from '../store/listing.ts';
import type { CommonIssue } from '../store/schema.ts';
import { markOccurrences } from './mark-occurrences.ts';

/** Occurrences that are compared for a list in a cluster. On 10,000 pages, this takes one or two seconds. */
export const CHANGED_OCCURRENCES_MAX = 10_000;
/** Issues whose occurrences are compared at a time. */
const BATCH_ISSUES = 500;
/** Occurrences that are compared at a time, or all occurrences of one issue. */
const BATCH_OCCURRENCES = 20_000;

type Common = Pick<CommonIssue, 'id' | 'report_id' | 'how_many' | 'kind' | 'fingerprint'>;

/** An occurrence with its change since the previous report. */
export interface ChangedOccurrence extends Occurrence {
  /** Null if it is not compared. */
  readonly change: PresentChange | null;
}

/**
 * Returns a page of the occurrences of a common issue that have one of the changes: in the order of `PRESENT_CHANGES`, then of
 * the pages and of the occurrences on them. The diff with the previous report stores their issues (decision 0067), so that only
 * occurrences of the page are compared.
 * @returns null if more than `CHANGED_OCCURRENCES_MAX` occurrences have to be compared, because nothing is stored about the
 *   changes of clusters
 */
export async function listChangedOccurrences(
  db: Executor,
  common: Common,
  filter: OccurrenceFilter,
  wanted: readonly PresentChange[],
  page: PageRequest,
): Promise<ListPage<ChangedOccurrence> | null> {
  const diff = await findDiff(db, common.report_id, 'previous', 'now');
  if (diff === undefined || !['false', 'all'].includes(filter.muted)) return { total: 0, rows: [] };
  const of = { diffId: diff.id, commonIssueId: common.id };
  const changes = PRESENT_CHANGES.filter((change) => wanted.includes(change));
  if (!diff.lists_issues) return compareAll(db, common, filter, changes, page);
  if (filter.cluster !== undefined)
    return compareAll(db, common, { ...filter, changed: { of, changes } }, changes, page);
  const rows: ChangedOccurrence[] = [];
  let total = 0;
  for (const change of changes) {
    const [offset, end] = [(page.number - 1) * page.size - total, page.number * page.size - total];
    const range = { offset: Math.max(offset, 0), end: Math.max(end, 0) };
    const list = await changedOccurrencesBetween(db, of, change, filter.url, range);
    total += list.total;
    rows.push(...(await readRanges(db, common, change, list.ranges)));
  }
  return { total, rows };
}

/**
 * Returns the occurrences in some ranges, in their order. Occurrences of issues that were replaced in the meantime are left out.
 */
async function readRanges(
  db: Executor,
  common: Common,
  change: PresentChange,
  ranges: readonly ChangedRange[],
): Promise<ChangedOccurrence[]> {
  const wanted: OccurrenceToRead[] = [];
  for (const some of slicesByWeight(ranges, ({ howMany }) => howMany, BATCH_OCCURRENCES)) {
    const issues = await issuesToCompare(
      db,
      some.map(({ issue }) => issue),
    );
    const marks = await markOccurrences(db, common.report_id, common.kind, issues);
    const marksOf = new Map(issues.map(({ id }, index) => [id, marks[index] ?? []]));
    for (const { issue, first, afterLast } of some) {
      const positions = (marksOf.get(issue) ?? []).flatMap((mark, position) =>
        mark.change === change ? position : [],
      );
      wanted.push(...positions.slice(first, afterLast).map((position) => ({ issue, position, change })));
    }
  }
  return readInOrder(db, wanted);
}

interface OccurrenceToRead {
  readonly issue: number;
  /** Its position in the issue, from 0. */
  readonly position: number;
  readonly change: PresentChange;
}

async function readInOrder(db: Executor, wanted: readonly OccurrenceToRead[]): Promise<ChangedOccurrence[]> {
  const found = await readSingleOccurrences(db, wanted);
  const byPosition = new Map(found.map((row) => [`${row.issue_id}-${row.position}`, row]));
  return wanted.flatMap(({ issue, position, change }) => {
    const row = byPosition.get(`${issue}-${position}`);
    return row === undefined ? [] : [{ ...row, change }];
  });
}

/** Returns a page of the occurrences that have one of the changes by comparing all occurrences of the filter. */
async function compareAll(
  db: Executor,
  common: Common,
  filter: OccurrenceFilter,
  changes: readonly PresentChange[],
  { number, size }: PageRequest,
): Promise<ListPage<ChangedOccurrence> | null> {
  const compared = await countOccurrences(db, common, filter);
  if (compared > CHANGED_OCCURRENCES_MAX) return null;
  const found: OccurrenceToRead[] = [];
  const issues = await occurrencesBetween(db, common, filter, { offset: 0, end: compared, total: compared });
  for (const slice of slicesOf(issues, BATCH_ISSUES)) {
    const changesFound = await changesOfOccurrences(db, common, slice);
    const occurrences = slice.flatMap((issue) =>
      issue.occurrences.map(({ position }) => ({ issue: issue.issue_id, position })),
    );
    found.push(
      ...occurrences.flatMap((each, index) => {
        const change = changesFound[index];
        return change == null ? [] : { ...each, change };
      }),
    );
  }
  const all = changes.flatMap((wanted) => found.filter(({ change }) => change === wanted));
  return { total: all.length, rows: await readInOrder(db, all.slice((number - 1) * size, number * size)) };
}

/** Returns the changes of occurrences since the previous report, in their order; null for occurrences that are not compared. */
export async function changesOfOccurrences(
  db: Executor,
  common: Common,
  issues: readonly OccurrencesOfIssue[],
): Promise<readonly (PresentChange | null)[]> {
  const placed = issues.map(({ url, muted, occurrences }) => ({
    pageUrl: url,
    fingerprint: common.fingerprint,
    fingerprints: Buffer.from(occurrences.map(({ fingerprint }) => fingerprint).join(''), 'hex'),
    new_occurrences: null,
    muted,
  }));
  const marks = await markOccurrences(db, common.report_id, common.kind, placed);
  return issues.flatMap(({ occurrences }, issue) =>
    occurrences.map((_, index) => marks[issue]?.[index]?.change ?? null),
  );
}
