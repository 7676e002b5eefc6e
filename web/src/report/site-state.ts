import type { Item } from '../api/client.ts';

type Site = Pick<Item<'site'>, 'runs' | 'related'>;

/** Whether a site needs attention: it got worse, or its first report has errors, which cannot be compared with anything. */
export function needsAttention(site: Pick<Item<'site'>, 'attention' | 'runs' | 'change'>): boolean {
  return site.attention !== 'none' || hasFirstErrors(site);
}

/** Whether the errors of the last run are neither new nor old, because there is no earlier report. */
export function hasFirstErrors({ runs: [last], change }: Pick<Item<'site'>, 'runs' | 'change'>): boolean {
  return last !== undefined && !last.stopped && last.errors > 0 && change === null;
}

/** Returns the id of the newest report of a site, which may be running. */
export function newestOf({ related }: Site): string {
  return related.last_report?.split('/').at(-1) ?? '';
}

/** Whether the newest report is still running: runs of a site include only reports that have ended. */
export function isRunning(site: Site): boolean {
  const [last] = site.runs;
  return last?.report_id !== newestOf(site) || last.status === 'checking';
}
