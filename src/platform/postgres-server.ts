import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { AppError } from './errors.ts';
import {
  databaseLogMaxBytes,
  databaseLogTailLines,
  databaseStartTimeoutSeconds,
  databaseStopTimeoutSeconds,
  postgresCommandTimeoutMs,
} from './limits.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { type Ended, runAs } from './postgres-user.ts';

/** Starts, finds and stops the server by pg_ctl, as its user. */

/** Settings of the server by name; see PostgreSQL's documentation for names and values. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** For a laptop with two cores and a single application with much data, none of which may be lost. */
const defaultSettings: PostgresSettings = {
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
  // There is no replication, so the log only has to serve recovery.
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
};

/** Rotates a log that is too large before pg_ctl, `$@`, opens it. */
const WITH_LOG = `
  umask 077
  if [ -n "$(find "$0" -size +${databaseLogMaxBytes}c 2>/dev/null)" ]; then mv -f "$0" "$0.old"; fi
  : >>"$0" && exec "$@"`;

/** The status of pg_ctl if the server did not start. */
const NOT_STARTED = 1;
const PASSING_REASON =
  /lock file "postmaster\.pid" (already exists|is empty)|pre-existing shared memory block|could not create any TCP\/IP sockets|the database system is |terminating connection/;

/**
 * Starts the server in a separate session and waits until it is ready.
 * @returns null if it is, or the server's output if it ended for a temporary reason: another process was faster, the port was just
 *   taken, processes of a killed server are still ending, or it was killed
 * @throws AppError database_failed_to_start
 */
export async function startServer(cluster: PostgresCluster, settings: PostgresSettings): Promise<string | null> {
  const { binaries, dataDirectory, directory, logFile, user } = cluster;
  const all = { ...defaultSettings, ...settings, port: String(await choosePort(cluster)) };
  const flags = Object.entries(all).map(([name, value]) => `-c "${escaped(`${name}=${value}`)}"`);
  // pg_ctl inserts these, and the name of the log, unescaped into a shell command.
  const options = [`-D "${escaped(dataDirectory)}"`, ...flags].join(' ');
  const [server, log] = [escaped(join(binaries, 'postgres')), basename(logFile)];
  const how = ['-s', '-t', String(databaseStartTimeoutSeconds), '-l', log, '-p', server, '-o', options];
  const sizeBefore = lstatSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const { status, stderr } = await runAs(
    user,
    '/bin/sh',
    ['-c', WITH_LOG, log, join(binaries, 'pg_ctl'), 'start', ...how],
    {
      cwd: directory,
      env: { PGDATA: dataDirectory },
      timeoutMs: databaseStartTimeoutSeconds * 1_000 + postgresCommandTimeoutMs,
    },
  );
  if (status === 0) return null;
  const start = sizeBefore > databaseLogMaxBytes ? 1 : sizeBefore + 1;
  const { stdout: output } = await runAs(user, 'tail', ['-c', `+${start}`, logFile]);
  // A server that logs no reason was killed, such as for lack of memory: the next start may succeed.
  const mayPass = status === NOT_STARTED && (PASSING_REASON.test(output) || !/FATAL|PANIC/.test(output));
  if (mayPass) return output || stderr;
  throw failedToStart(cluster, status === NOT_STARTED ? 'it ended immediately' : stderr || `status ${status}`, output);
}

/** Escapes a text for double quotes in a shell. */
function escaped(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&');
}

/** Creates the error of a server that does not start, with the last lines of its output and what to do. */
export function failedToStart({ logFile }: PostgresCluster, reason: string, output: string): AppError {
  const tail = output.trim().split('\n').slice(-databaseLogTailLines).join('\n');
  return new AppError(
    'database_failed_to_start',
    `The embedded database does not start: ${reason}.\n${tail === '' ? '' : `Its log ends with:\n${tail}\n`}` +
      `Fix the cause (see the whole log in ${logFile}), or set DATABASE_URL to your own PostgreSQL.`,
  );
}

/**
 * Returns the port of the server that runs on these files, ready or not; 0 while it is unknown, null if there is no server. Removes
 * the lock file of a killed server if another process has its pid now, as is likely after a restart of a container or the machine:
 * PostgreSQL would mistake that process for its server.
 */
export async function findServer(cluster: PostgresCluster): Promise<number | null> {
  const { status, stdout } = await pgCtl(cluster, 'status');
  if (status !== 0) return null;
  const pid = Number(/PID: (\d+)/.exec(stdout)?.[1]);
  if (isServerOf(pid, cluster.dataDirectory)) return portIn(stdout);
  const removal = 'read -r pid <"$0" && [ "$pid" = "$1" ] && rm -f "$0"';
  await runAs(cluster.user, '/bin/sh', ['-c', removal, join(cluster.dataDirectory, 'postmaster.pid'), String(pid)]);
  return null;
}

/** Stops the server, which closes its clients' connections, and waits until it has ended. @returns whether it has ended */
export async function stopServer(cluster: PostgresCluster): Promise<boolean> {
  const { status } = await pgCtl(cluster, 'stop', '-m', 'fast', '-t', String(databaseStopTimeoutSeconds));
  return status === 0 || (await findServer(cluster)) === null;
}

function pgCtl({ user, binaries, dataDirectory }: PostgresCluster, ...args: readonly string[]): Promise<Ended> {
  return runAs(user, join(binaries, 'pg_ctl'), [...args, '-D', dataDirectory]);
}

/** Recognizes the server by the path in its command line, which every user can read. A zombie has none. */
function isServerOf(pid: number, dataDirectory: string): boolean {
  try {
    const commandLine =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        : execFileSync('/bin/ps', ['-o', 'command=', '-ww', '-p', String(pid)], { encoding: 'utf8' });
    return commandLine.includes(dataDirectory);
  } catch {
    return false;
  }
}

/**
 * Returns the server's last port, so that processes that used a killed server find the next one, or else any free port. If another
 * process takes it before the server does, the start is repeated.
 */
async function choosePort({ user, dataDirectory }: PostgresCluster): Promise<number> {
  const { stdout } = await runAs(user, 'cat', [join(dataDirectory, 'postmaster.opts')]);
  return freePort(portIn(stdout)).catch(() => freePort(0));
}

/** Returns the port in a command line that the server recorded at its start; 0 if there is none. */
function portIn(commandLine: string): number {
  return Number(/"port=(\d{1,5})"/.exec(commandLine)?.[1] ?? 0);
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
