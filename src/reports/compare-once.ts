import { RetryLater } from '../platform/errors.ts';

/** Pairs of reports that requests compare at the same time in this process. */
const RUNNING_MAX = 2;
const RETRY_AFTER_S = 5;

/** The comparisons that are running. */
const running = new Map<string, Promise<void>>();

/**
 * Compares a pair of reports for a request. Requests for a pair that is being compared wait for that comparison.
 * @param pair identifies the reports
 * @throws RetryLater too_many_comparisons, so that none pile up
 */
export function compareOnce(pair: string, compare: () => Promise<void>): Promise<void> {
  const known = running.get(pair);
  if (known !== undefined) return known;
  if (running.size >= RUNNING_MAX) {
    const detail = 'This server is already comparing two other pairs of reports.';
    throw new RetryLater('too_many_comparisons', detail, RETRY_AFTER_S);
  }
  const comparison = compare().finally(() => running.delete(pair));
  running.set(pair, comparison);
  return comparison;
}
