import type { Item } from './client.ts';

/** Whether a site needs attention: it got worse, or its first report has errors, which cannot be compared with anything. */
export function needsAttention(site: Pick<Item<'site'>, 'attention' | 'runs' | 'change'>): boolean {
  return site.attention !== 'none' || hasFirstErrors(site);
}

/** Whether the errors that the last run has now are neither new nor old, because there is no earlier report. */
export function hasFirstErrors({ runs: [last], change }: Pick<Item<'site'>, 'runs' | 'change'>): boolean {
  return last !== undefined && !last.stopped && (last.now ?? last).errors > 0 && change === null;
}
