import type { Item } from '../api/client.ts';

type Site = Pick<Item<'site'>, 'runs' | 'related'>;

/** Returns the id of the newest report of a site, which may be running. */
export function newestOf({ related }: Site): string {
  return related.last_report?.split('/').at(-1) ?? '';
}

/** Whether the newest report is still running: runs of a site include only reports that have ended. */
export function isRunning(site: Site): boolean {
  const [last] = site.runs;
  return last?.report_id !== newestOf(site) || last.status === 'checking';
}
