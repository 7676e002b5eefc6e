import type { Item } from '../api/client.ts';

type Site = Pick<Item<'site'>, 'runs' | 'related'>;

/** Returns the id of the newest report of a site, which may be running. */
export function newestOf({ related }: Site): string {
  return related.last_report?.split('/').at(-1) ?? '';
}

/** Whether its newest report has not ended: only reports that have are among its runs. */
export function isRunning(site: Site): boolean {
  const [last] = site.runs;
  return last?.report_id !== newestOf(site) || last.status === 'checking';
}
