import { normalize } from 'node:path';
import type { Client, Item } from '../../packages/client/client.ts';
import { hasPro, reportDefaults } from '../../packages/client/report-defaults.ts';
import { plural } from '../domain/amounts.ts';
import { AppError } from '../platform/errors.ts';
import { siteSourceMaxCharacters } from '../reports/definition/limits.ts';
import { sitesMax } from '../reports/save-site.ts';
import { faultOf } from './configuration-file/parse.ts';
import { readText } from './configuration-file/read-text.ts';
import type { FileProblem } from './configuration-file/read-yaml.ts';
import { usage } from './configuration-file/usage.ts';
import { applySync } from './sync/apply-sync.ts';
import type { WantedState } from './sync/desired.ts';
import {
  type ChannelStep,
  type MutingStep,
  type Pruning,
  planSync,
  type ScheduleStep,
  type SiteStep,
  type SyncPlan,
  secretsNotCompared,
} from './sync/plan-sync.ts';
import { channelLines, mutingLines, pruneLine, scheduleLines, siteLines, siteRemarks } from './sync/print-sync.ts';
import { readCurrent } from './sync/read-current.ts';
import { readSyncFile } from './sync/read-sync-file.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';
import { withClient } from './with-client.ts';

export interface SyncOptions {
  /** The address of another service; its token is in the settings. Undefined for this installation. */
  readonly service?: string;
  /** Whether to only print the plan. */
  readonly dryRun: boolean;
  /** Whether to send the secrets of existing sites, which cannot be compared. */
  readonly sendSecrets: boolean;
  /** What happens to sites that this file created and no longer has; absent to keep them. */
  readonly prune?: 'archive' | 'delete';
  /** The name of the file; by default, its path. */
  readonly source?: string;
}

/** A thousand sites with notes take less. */
const fileMaxBytes = 2_097_152;

/**
 * Creates and changes sites, schedules and mutings until the account matches a file. The account is the first account of this
 * installation, or the account of the token for another service.
 * @throws AppError invalid_usage if the file has a problem, in which case nothing is changed; invalid if something was refused
 */
export async function sync(terminal: Terminal, path: string, options: SyncOptions): Promise<void> {
  const { service, dryRun, sendSecrets: sendsSecrets, prune = null, source = normalize(path) } = options;
  if (source.trim() === '' || source.length > siteSourceMaxCharacters)
    throw usage(`--source must have 1 to ${siteSourceMaxCharacters} characters`);
  const format = /\.csv$/i.test(path) ? 'csv' : /\.ya?ml$/i.test(path) ? 'yaml' : null;
  if (format === null) throw usage(`${path} must end with .csv, .yaml or .yml`);
  const text = await readText(path, path, fileMaxBytes);
  await withClient(terminal, { command: 'sync', service, works: false }, (client, stopped) =>
    syncWith(terminal, client, { path, text, format, dryRun, sendsSecrets, pruning: { source, how: prune }, stopped }),
  );
}

interface Sync {
  readonly path: string;
  readonly text: string;
  readonly format: 'csv' | 'yaml';
  readonly dryRun: boolean;
  readonly sendsSecrets: boolean;
  readonly pruning: Pruning;
  readonly stopped: AbortSignal;
}

async function syncWith(
  terminal: Terminal,
  client: Client,
  { path, text, format, dryRun, sendsSecrets, ...sync }: Sync,
) {
  const { pruning, stopped } = sync;
  const { stdout, stderr, variable } = terminal;
  const requireNone = (problems: readonly FileProblem[]): void => {
    if (problems.length === 0) return;
    throw new AppError('invalid_usage', `${faultOf(path, problems).message}\nNothing was changed.`);
  };
  const account = await client.read<'account'>('/account');
  const reading = readSyncFile(text, format, account, variable);
  if ('problems' in reading) return requireNone(reading.problems);
  const { wanted, expired } = withoutExpired(reading.wanted);
  for (const { line } of expired) {
    writeText(stderr, `${path}:${line}: This muting has expired and is skipped. Delete it from the file.`);
  }
  if (pruning.how !== null && wanted.sites.length === 0)
    throw usage(`${path} has no sites, so --prune would remove all sites that it created. Nothing was changed`);
  const planned = planSync(wanted, await readCurrent(client, hasPro(account)), { ...pruning, sendsSecrets });
  if ('problems' in planned) return requireNone(planned.problems);
  const { plan, numSites } = planned;
  requireNone(
    numSites > sitesMax ? [{ line: 1, column: 1, text: `An account can have at most ${sitesMax} sites.` }] : [],
  );
  for (const line of plan.sites.flatMap(siteRemarks)) writeText(stderr, line);
  const notCompared = plan.sites.filter((site) =>
    [site, ...site.schedules].some((of) => secretsNotCompared(of).length > 0),
  );
  if (notCompared.length > 0) {
    writeText(
      stderr,
      `The secrets of ${plural(notCompared.length, 'site')} were not compared. If they have changed, add --send-secrets.`,
    );
  }
  const tally = createTally((line) => writeText(stdout, line), pruning.how);
  if (dryRun) tellPlan(plan, tally);
  let refused = 0;
  if (!dryRun) {
    await applySync(plan, {
      ...{ client, stopped, pruning, defaults: reportDefaults(account) },
      ...tally,
      onRefused(place, reason) {
        refused += 1;
        writeText(stderr, place === null ? reason : `${path}:${place.line}: ${reason}`);
      },
    });
  }
  for (const line of tally.summary(dryRun)) writeText(stdout, line);
  if (dryRun) writeText(stdout, 'Nothing was changed.');
  if (stopped.aborted)
    writeText(stderr, 'Stopped. Changes that are not listed were not made: run the command again to continue.');
  if (refused === 0) return;
  const unpruned = pruning.how !== null && plan.pruned.length > tally.pruned();
  throw new AppError(
    'invalid',
    `${refused} could not be saved. Everything else was saved${unpruned ? ', but no site was removed' : ''}: run the command again to continue.`,
  );
}

/** Expired mutings would be refused. */
function withoutExpired(wanted: WantedState) {
  const isExpired = ({ expiresAt }: WantedState['mutings'][number]): boolean =>
    expiresAt instanceof Date && expiresAt.getTime() <= Date.now();
  return {
    wanted: { ...wanted, mutings: wanted.mutings.filter((muting) => !isExpired(muting)) },
    expired: wanted.mutings.filter(isExpired).map(({ place }) => place),
  };
}

function tellPlan(plan: SyncPlan, { onDone, onDoneSchedule, onPruned }: ReturnType<typeof createTally>): void {
  for (const step of [...plan.mutings, ...plan.channels]) onDone(step);
  for (const site of plan.sites) {
    onDone(site);
    for (const schedule of site.schedules) onDoneSchedule(schedule, site);
  }
  for (const site of plan.pruned) onPruned(site);
}

/** Prints each step that changes something, and counts all steps. */
function createTally(print: (line: string) => void, how: Pruning['how']) {
  const counts = new Map(
    ['Sites', 'Schedules', 'Mutings', 'Channels'].map((name) => [name, { created: 0, changed: 0, unchanged: 0 }]),
  );
  let pruned = 0;
  const add = (
    name: string,
    { existing, changes }: SiteStep | ScheduleStep | MutingStep | ChannelStep,
    lines: readonly string[],
  ) => {
    const count = counts.get(name);
    if (count !== undefined) count[existing === null ? 'created' : changes.length > 0 ? 'changed' : 'unchanged'] += 1;
    for (const line of lines) print(line);
  };
  return {
    onDone(step: SiteStep | MutingStep | ChannelStep): void {
      if ('schedules' in step) add('Sites', step, siteLines(step));
      else if (isChannel(step)) add('Channels', step, channelLines(step));
      else add('Mutings', step, mutingLines(step));
    },
    onDoneSchedule: (step: ScheduleStep, site: SiteStep): void => add('Schedules', step, scheduleLines(step, site)),
    onPruned(site: Item<'site'>): void {
      pruned += 1;
      print(pruneLine(site, how));
    },
    pruned: () => pruned,
    summary: (isPlan: boolean): string[] => [
      ...[...counts].flatMap(([name, { created, changed, unchanged }]) =>
        created + changed + unchanged === 0 && name !== 'Sites'
          ? []
          : isPlan
            ? `${name}: ${created} to create, ${changed} to change, ${unchanged} unchanged.`
            : `${name}: ${created} created, ${changed} changed, ${unchanged} unchanged.`,
      ),
      ...(how === null
        ? []
        : [`No longer in the file: ${pruned} ${isPlan ? 'to ' : ''}${PRUNED[how][isPlan ? 0 : 1]}.`]),
    ],
  };
}

const PRUNED = { archive: ['archive', 'archived'], delete: ['delete', 'deleted'] } as const;

function isChannel(step: MutingStep | ChannelStep): step is ChannelStep {
  return 'kind' in step.wanted;
}
