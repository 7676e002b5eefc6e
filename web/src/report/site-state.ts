import type { Item } from '../api/client.ts';
import { shortUrl } from '../lib/formats.ts';

type Site = Pick<Item<'site'>, 'runs' | 'related'>;

/** Returns what its owner calls a site, or its address. */
export function siteName({ name, starting_url: url }: Pick<Item<'site'>, 'name' | 'starting_url'>): string {
  return name === '' ? shortUrl(url) : name;
}

/** Returns what its owner calls the site of a report or schedule, or its starting URL. */
export function reportName({
  site_name: name,
  starting_url: url,
}: Pick<Item<'report'>, 'site_name' | 'starting_url'>): string {
  return name === undefined || name === '' ? shortUrl(url) : name;
}

/** Whether a site belongs to the account. A host only sees the sites of guests. */
export function isOwn({ related }: Pick<Site, 'related'>): boolean {
  return related.reports !== undefined;
}

/** Returns the id of the newest report of a site, which may be running; empty without a report. */
export function newestOf({ related }: Site): string {
  return related.last_report?.split('/').at(-1) ?? '';
}

/** Whether the newest report is still running: runs of a site include only reports that have ended. */
export function isRunning(site: Site): boolean {
  const [last] = site.runs;
  if (newestOf(site) === '') return false;
  return last?.report_id !== newestOf(site) || last.status === 'checking';
}
