import type { Item } from '../api/client.ts';

type Site = Pick<Item<'site'>, 'runs' | 'related'>;

/** Whether a site needs attention: something became worse, or its first report has errors, to which nothing can be compared. */
export function needsAttention(site: Pick<Item<'site'>, 'attention' | 'runs' | 'change'>): boolean {
  return site.attention !== 'none' || hasFirstErrors(site);
}

/** Whether the errors of the last run are neither new nor old, because there is nothing to compare them with. */
export function hasFirstErrors({ runs: [last], change }: Pick<Item<'site'>, 'runs' | 'change'>): boolean {
  return last !== undefined && !last.stopped && last.errors > 0 && change === null;
}

/** Returns the id of the newest report of a site, which may be running. */
export function newestOf({ related }: Site): string {
  return related.last_report?.split('/').at(-1) ?? '';
}

/** Whether its newest report has not ended: only reports that have are among its runs. */
export function isRunning(site: Site): boolean {
  const [last] = site.runs;
  return last?.report_id !== newestOf(site) || last.status === 'checking';
}
