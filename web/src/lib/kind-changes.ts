/** What became of the places of a kind of issue: one of the rows of a comparison. */
interface Row {
  readonly kind: string;
  readonly fingerprint: string;
  readonly change: 'new' | 'regressed' | 'persisting' | 'unverified' | 'fixed';
  readonly how_many: number;
  readonly how_many_before: number;
}

/** What became of a kind of issue as a whole. */
export type KindChange = 'new' | 'more' | 'fewer' | 'fixed' | 'same';

/**
 * Counts kinds of issue by what became of them as a whole. A comparison has a row for each kind, change and cause. Places that
 * could not be verified count as still there.
 */
export function kindChanges(rows: readonly Row[]): Readonly<Record<KindChange, number>> {
  const counts: Record<KindChange, number> = { new: 0, more: 0, fewer: 0, fixed: 0, same: 0 };
  for (const group of Map.groupBy(rows, ({ kind, fingerprint }) => `${kind} ${fingerprint}`).values()) {
    counts[changeOf(group)] += 1;
  }
  return counts;
}

function changeOf(group: readonly Row[]): KindChange {
  const came = sum(group, ({ change, how_many }) => (change === 'new' || change === 'regressed' ? how_many : 0));
  const went = sum(group, ({ change, how_many_before }) => (change === 'fixed' ? how_many_before : 0));
  const stayed = group.some(({ change }) => change === 'persisting' || change === 'unverified');
  if (!stayed && came > 0 && went === 0) return 'new';
  if (!stayed && came === 0) return 'fixed';
  if (came === went) return 'same';
  return came > went ? 'more' : 'fewer';
}

function sum(group: readonly Row[], of: (row: Row) => number): number {
  return group.reduce((total, row) => total + of(row), 0);
}
