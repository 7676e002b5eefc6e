import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, messageOf } from './errors.ts';
import { readOwnedFile } from './owned-file.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { choosePostgresUser, type PostgresUser } from './postgres-user.ts';
import { identifyProcess } from './process-identity.ts';

/** The files of one embedded database. */
export interface PostgresCluster {
  /** The server's own directory, with symbolic links resolved. */
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly password: string;
  readonly user: PostgresUser;
}

/** The name of the only role, which is also the superuser. */
export const POSTGRES_ROLE = 'sitewarden';
const POSTGRES_MAJOR = '18';
/** The name of the server's own directory. */
const PGDATA = 'pgdata';

/**
 * The database files in `directory`, made on first use. They are made beside it and moved there in one step when they
 * are complete, so that a process killed half-way leaves nothing that the next one could take for a database; of two
 * processes that do this at once, the first to finish wins and the other uses what it made.
 * @throws AppError data_directory_unusable, database_failed_to_start
 */
export async function openPostgresCluster(directory: string, binaries: PostgresBinaries): Promise<PostgresCluster> {
  try {
    mkdirSync(dirname(directory), { recursive: true });
    const contents = contentsOf(directory);
    if (contents?.length === 0) await createCluster(directory, binaries);
    else if (contents !== null && !contents.includes(PGDATA)) throw new Error('it holds something else');
    const resolved = realpathSync(directory);
    const user = await choosePostgresUser(binaries.postgres, resolved);
    const dataDirectory = join(resolved, PGDATA);
    checkVersion(dataDirectory, user);
    const password = readOwnedFile(join(resolved, 'password'), user.uid).toString('utf8').trim();
    return { dataDirectory, logFile: join(resolved, 'server.log'), password, user };
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

/** The names in it, or null when it is closed to this user: what that means is told by its owner. */
function contentsOf(directory: string): readonly string[] | null {
  try {
    return existsSync(directory) ? readdirSync(directory) : [];
  } catch {
    return null;
  }
}

function checkVersion(dataDirectory: string, { uid }: PostgresUser): void {
  const version = readOwnedFile(join(dataDirectory, 'PG_VERSION'), uid).toString('utf8').trim();
  if (version === POSTGRES_MAJOR) return;
  throw new AppError(
    'data_directory_unusable',
    `The database in ${dataDirectory} was made by PostgreSQL ${version}, and this version of sitewarden brings ` +
      `PostgreSQL ${POSTGRES_MAJOR}. Back it up with the version of sitewarden that made it, set SITEWARDEN_DATA_DIR to a ` +
      'new folder, and restore it there.',
  );
}

async function createCluster(directory: string, binaries: PostgresBinaries): Promise<void> {
  removeAbandoned(directory);
  const draft = `${directory}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const passwordFile = join(draft, 'password');
    writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
    const user = await choosePostgresUser(binaries.postgres, draft);
    await initdb(binaries, user, join(draft, PGDATA), passwordFile);
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was faster: a directory cannot be renamed onto one that has files.
    if (!existsSync(join(directory, PGDATA, 'PG_VERSION'))) throw error;
  }
}

/** What processes that were killed half-way have left. */
function removeAbandoned(directory: string): void {
  const prefix = `${basename(directory)}.new-`;
  for (const name of readdirSync(dirname(directory))) {
    if (!name.startsWith(prefix)) continue;
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    if (identifyProcess(maker) !== null) continue;
    rmSync(join(dirname(directory), name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The builtin locale sorts by code point and knows the case of all of Unicode, the same on every machine.
 * @throws AppError database_failed_to_start with what initdb said
 */
function initdb(
  binaries: PostgresBinaries,
  user: PostgresUser,
  dataDirectory: string,
  passwordFile: string,
): Promise<void> {
  const { file, args, options } = user.command(binaries.initdb, [
    `--pgdata=${dataDirectory}`,
    `--username=${POSTGRES_ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const fail = (reason: string) =>
      reject(
        new AppError(
          'database_failed_to_start',
          `The embedded database could not be made (${reason}). initdb said:\n${output.trim()}\n` +
            'See to the cause it names, or set DATABASE_URL to a PostgreSQL of your own.',
        ),
      );
    child.once('error', (error) => fail(error.message));
    child.once('close', (status, signal) => {
      if (status === 0) resolve();
      else fail(signal === null ? `status ${status}` : `ended by ${signal}`);
    });
  });
}
