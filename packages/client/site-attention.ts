import type { Item } from './client.ts';

/** Whether there is anything that the owner can acknowledge: it got worse, or it has errors and none was ever acknowledged. */
export function canAcknowledge({
  unacknowledged,
  runs: [last],
  acknowledged_at: at,
}: Pick<Item<'site'>, 'unacknowledged' | 'runs' | 'acknowledged_at'>): boolean {
  const hasErrors = last !== undefined && !last.stopped && (last.now ?? last).errors > 0;
  return unacknowledged !== null || (hasErrors && at === null);
}
