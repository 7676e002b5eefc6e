import type { Item } from './client.ts';

/** Whether a site needs attention: it got worse, or it has errors and its owner has never acknowledged any. */
export function needsAttention(site: Pick<Item<'site'>, 'attention' | 'runs' | 'acknowledged_at'>): boolean {
  return site.attention !== 'none' || hasFirstErrors(site);
}

/** Whether the last run has errors now, and the owner has never acknowledged what a run found. */
export function hasFirstErrors({
  runs: [last],
  acknowledged_at: at,
}: Pick<Item<'site'>, 'runs' | 'acknowledged_at'>): boolean {
  return last !== undefined && !last.stopped && (last.now ?? last).errors > 0 && at === null;
}

/** Whether there is anything that the owner can acknowledge. */
export function canAcknowledge({
  unacknowledged,
  ...site
}: Pick<Item<'site'>, 'unacknowledged' | 'runs' | 'acknowledged_at'>): boolean {
  return unacknowledged !== null || hasFirstErrors(site);
}
