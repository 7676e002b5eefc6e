import type { Client, Item } from '../../packages/client/client.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { AppError } from '../platform/errors.ts';
import { usage } from './configuration-file/usage.ts';
import { addressOf } from './sync/desired.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';
import { withClient } from './with-client.ts';

export interface RunOptions {
  /** Tags; sites with any of them are run. */
  readonly tag: readonly string[];
  /** Names, starting URLs or ids. */
  readonly site: readonly string[];
  /** Part of the name or the starting URL. */
  readonly text?: string;
  /** Whether to wait until the reports have ended. */
  readonly wait: boolean;
  /** The address of another service; its token is in the settings. Undefined for this installation. */
  readonly service?: string;
}

/**
 * Starts a report of each selected site, and optionally waits until they have ended.
 * @throws AppError invalid_usage if no site is selected; conflict if a site was refused; site_not_checkable if a report failed
 */
export async function run(terminal: Terminal, { tag, site, text, wait, service }: RunOptions): Promise<void> {
  const isFiltered = tag.length > 0 || text !== undefined;
  if (site.length > 0 && isFiltered) throw usage('--site cannot be combined with --tag and --text');
  if (site.length === 0 && !isFiltered) throw usage('run requires --tag, --text or --site');
  await withClient(terminal, { command: 'run', service, works: wait }, async (client, stopped) => {
    const selection =
      site.length > 0
        ? { site_ids: await idsOf(client, site) }
        : { ...(tag.length > 0 && { tags: [...tag] }), ...(text !== undefined && { text }) };
    const bulk = await client.create<'bulk_run'>('/bulk_runs', selection);
    await printRun(terminal, client, { bulk, wait, stopped });
  });
}

interface StartedRun {
  readonly bulk: Item<'bulk_run'>;
  readonly wait: boolean;
  readonly stopped: AbortSignal;
}

async function printRun({ stdout, stderr }: Terminal, client: Client, { bulk, wait, stopped }: StartedRun) {
  const { started, refused } = bulk;
  if (started.length + refused.length === 0) throw new AppError('invalid_usage', 'No site matches.');
  let failed = 0;
  for (const { name, report_id: id } of started) {
    if (!wait) {
      writeText(stdout, `Started ${name}: report ${id}`);
      continue;
    }
    const report = await client.finished(id, { signal: stopped });
    if (report.status === 'failed') failed += 1;
    writeText(stdout, `${name}: ${resultOf(report)} (report ${id})`);
  }
  for (const { name, site_id: id, message } of refused) writeText(stderr, `${name || id}: ${message}`);
  const all = `${plural(started.length, 'site')} ${wait ? 'run' : 'started'}`;
  writeText(stdout, `${all}, ${formatNumber(refused.length)} refused.`);
  if (refused.length > 0) throw new AppError('conflict', `${plural(refused.length, 'site')} could not be started.`);
  if (failed > 0) throw new AppError('site_not_checkable', `${plural(failed, 'site')} could not be checked.`);
}

function resultOf(report: Item<'report'>): string {
  if (report.status === 'failed') return `failed: ${report.crawl_error ?? ''}`;
  const errors = Object.values(report.checks).reduce((sum, check) => sum + (check?.issues.errors ?? 0), 0);
  return `${plural(report.num_pages, 'page')}, ${plural(errors, 'error')}`;
}

/** @throws AppError invalid_usage if a name is unknown or ambiguous */
async function idsOf(client: Client, names: readonly string[]): Promise<string[]> {
  const sites = await Array.fromAsync(client.readAll<'site'>('/sites', { query: { 'filter[archived]': 'all' } }));
  return names.map((name) => {
    const isNamed = (site: Item<'site'>): boolean => site.name === name || site.id === name.toLowerCase();
    const isAt = (site: Item<'site'>): boolean => withSlash(site.starting_url) === withSlash(name);
    const named = sites.filter(isNamed);
    const [found, ...others] = named.length > 0 ? named : sites.filter(isAt);
    if (found === undefined) throw usage(`no site has the name or starting URL ${name}`);
    if (others.length > 0) throw usage(`${others.length + 1} sites match ${name}: pass the id of one`);
    return found.id;
  });
}

/** Addresses are often typed without the slash of the root. */
function withSlash(url: string): string {
  return addressOf(url).replace(/\/$/, '');
}
