import { spawn } from 'node:child_process';
import { lstatSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from './errors.ts';
import {
  databaseFastStopMs,
  databaseImmediateStopMs,
  databaseLogMaxBytes,
  databaseLogTailLines,
  databasePollMs,
  databaseStartTimeoutMs,
} from './limits.ts';
import { readOwnedFile } from './owned-file.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { postmasterPidFile, readPostgresStatus, type ServerFiles } from './postgres-status.ts';
import type { PostgresUser } from './postgres-user.ts';
import { belongsTo, isRunning, type ProcessIdentity } from './process-identity.ts';

/** Settings of the server by name; see PostgreSQL's documentation for names and values. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** For a laptop with two cores and a single application, which keeps much and must not lose any of it. */
const usualSettings: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  // Paths of sockets are limited to about 100 bytes, and data directories are not.
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '192MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  // Nothing replicates from this server, so the log need only serve recovery.
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
};

/**
 * Starts the server in a session of its own, so that Ctrl-C in a terminal and the end of this process do not reach it.
 * Resolves with null when it is ready, or with the server's own words when it ended for a reason that may pass:
 * another process was faster, the port was just taken, remains of a killed server are still about, somebody ended it.
 * @throws AppError database_failed_to_start
 */
export async function launchPostgres(
  postgres: string,
  cluster: PostgresCluster,
  settings: PostgresSettings,
): Promise<string | null> {
  const all = { ...usualSettings, ...settings, port: String(await choosePort(cluster)) };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [postgres, '-D', cluster.dataDirectory, ...flags];
  const log = serverLog(cluster);
  const { file, args, options } = cluster.user.command('/bin/sh', ['-c', WITH_LOG, cluster.logFile, ...server]);

  const ended = new AbortController();
  let failure = '';
  const child = spawn(file, args, { ...options, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  // Of the shell alone: the server says everything into its log.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    failure += text;
  });
  child.once('error', (error) => {
    failure = error.message;
    ended.abort();
  });
  let endedBy: NodeJS.Signals | null = null;
  child.once('close', (_status, signal) => {
    endedBy = signal;
    ended.abort();
  });
  child.unref();

  const deadline = Date.now() + databaseStartTimeoutMs;
  while (!ended.signal.aborted) {
    const status = readPostgresStatus(cluster);
    if (status !== null && status !== 'stale' && status.process.pid === child.pid && status.isReady) return null;
    if (Date.now() > deadline) {
      child.kill('SIGQUIT');
      throw failedToStart(cluster, `it was not ready after ${databaseStartTimeoutMs / 1000} s`, log.tail());
    }
    await delay(databasePollMs);
  }

  // Somebody ended it, such as a machine out of memory: that says nothing about the next start.
  if (endedBy !== null) return `it was ended by ${endedBy}`;
  const ownWords = log.lines().filter((line) => line.includes(` [${child.pid}] `));
  if (ownWords.some((line) => PASSING_REASON.test(line))) return ownWords.join('\n');
  throw failedToStart(cluster, failure.trim() || 'it ended at once', log.tail());
}

/**
 * The user that the server runs as opens its log, as `$0`, and puts one that has grown too large aside: done by root, it
 * would follow a link that this user has put there.
 */
const WITH_LOG = `
  umask 077
  if [ -n "$(find "$0" -size +${databaseLogMaxBytes}c 2>/dev/null)" ]; then mv -f "$0" "$0.old"; fi
  exec >>"$0" 2>&1 && exec "$@"`;

const PASSING_REASON =
  /lock file .* already exists|pre-existing shared memory block|could not create any TCP\/IP sockets/;

/** The error of a server that does not start, with the last lines of its log and what to do. */
export function failedToStart(cluster: PostgresCluster, reason: string, logTail: string): AppError {
  return new AppError(
    'database_failed_to_start',
    `The embedded database does not start: ${reason}.\n${logTail === '' ? '' : `Its log ends with:\n${logTail}\n`}` +
      `See to the cause (the whole log is ${cluster.logFile}), or set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

/**
 * Stops the server, which ends its clients' sessions, and waits for its end. Resolves with false when this user may not, or
 * when the process is not the server's user's: root could end any.
 */
export async function stopPostgres(server: ProcessIdentity, { uid }: Pick<PostgresUser, 'uid'>): Promise<boolean> {
  const steps = [
    ['SIGINT', databaseFastStopMs],
    ['SIGQUIT', databaseImmediateStopMs],
    ['SIGKILL', databaseImmediateStopMs],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    const deadline = Date.now() + patienceMs;
    if (!isRunning(server)) return true;
    if (!belongsTo(server.pid, uid)) return !isRunning(server);
    try {
      process.kill(server.pid, signal);
    } catch {
      return !isRunning(server);
    }
    while (isRunning(server) && Date.now() < deadline) await delay(databasePollMs);
  }
  return !isRunning(server);
}

/** Removes a lock file that only seems to belong to a running server, unless another process has just done so. */
export function removeStaleLock(files: ServerFiles): void {
  if (readPostgresStatus(files) === 'stale') rmSync(postmasterPidFile(files.dataDirectory), { force: true });
}

interface ServerLog {
  /** What has been written since the server was started. */
  lines(): readonly string[];
  tail(): string;
}

function serverLog({ logFile, user }: PostgresCluster): ServerLog {
  const size = lstatSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const start = size > databaseLogMaxBytes ? 0 : size;
  const read = (): Buffer => {
    try {
      return readOwnedFile(logFile, user.uid);
    } catch {
      return Buffer.alloc(0);
    }
  };
  const lines = () =>
    read()
      .subarray(start)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { lines, tail: () => lines().slice(-databaseLogTailLines).join('\n') };
}

/**
 * The port of the last time, so that processes that used a server that was killed find the next one; else any that is
 * free at this moment. Should another process take it before the server does, the start is repeated.
 */
async function choosePort(files: ServerFiles): Promise<number> {
  const last = lastPort(files);
  if (last === null) return freePort(0);
  return freePort(last).catch(() => freePort(0));
}

/** From the command line of the last start, which the server writes down. */
function lastPort({ dataDirectory, user }: ServerFiles): number | null {
  try {
    const commandLine = readOwnedFile(join(dataDirectory, 'postmaster.opts'), user.uid).toString('utf8');
    const port = Number(/"port=(\d+)"/.exec(commandLine)?.[1]);
    return Number.isInteger(port) ? port : null;
  } catch {
    return null;
  }
}

function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
