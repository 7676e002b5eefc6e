import { type SpawnOptions, spawn } from 'node:child_process';
import { lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from './errors.ts';

/** Starts programs as the user that the server runs as. */
export interface PostgresUser {
  /** Whose files may be trusted; undefined where users have no numbers. */
  readonly uid: number | undefined;
  /** What to spawn so that `program` runs as that user with the pid that spawn reports. */
  command(program: string, args: readonly string[]): Command;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'uid' | 'gid' | 'env'>;
}

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The server must not take up settings (PGPORT, PGDATA and the like) or a locale from whoever started us. */
const serverEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Chooses the user for the server: this process's own, except that PostgreSQL refuses to run as root. Then it is the
 * owner of the data or, when that is root too, `postgres`, else `nobody`, who is given the data. From then on nothing in
 * that directory is written, opened for writing or believed as root: its owner may put a link in the place of any file.
 *
 * @param postgres path of the server's binary
 * @param directory the existing directory of the data, empty or not
 * @throws AppError data_directory_unusable
 */
export async function choosePostgresUser(postgres: string, directory: string): Promise<PostgresUser> {
  const owner = statSync(directory);
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (uid !== undefined && owner.uid !== uid) throw belongsToAnother(directory, owner.uid);
    return { uid, command: (file, args) => ({ file, args, options: { env: serverEnvironment } }) };
  }

  const account = owner.uid === 0 ? unprivilegedAccount() : { name: 'its owner', uid: owner.uid, gid: owner.gid };
  if (owner.uid === 0) giveTree(directory, account);
  const user = withIdentityOf(account);
  if (await canReach(user, postgres, directory)) return user;
  throw new AppError(
    'data_directory_unusable',
    `PostgreSQL does not run as root, and the user it would run as instead (${account.name}, uid ${account.uid}) cannot ` +
      `reach ${postgres} or ${directory}, since a folder above is closed to it. Start sitewarden as an ordinary user, or ` +
      'open that folder (`chmod o+x`), or move sitewarden and its data (SITEWARDEN_DATA_DIR) out of closed folders such ' +
      'as /root, or set DATABASE_URL.',
  );
}

function belongsToAnother(directory: string, uid: number): AppError {
  return new AppError(
    'data_directory_unusable',
    `The database in ${directory} belongs to another user (uid ${uid}). Start sitewarden as the user that made it, ` +
      'or set SITEWARDEN_DATA_DIR to another folder.',
  );
}

/** The innermost first: as long as a directory is root's, nobody else can put a link into it. */
function giveTree(directory: string, account: Account): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name)).sort((a, b) => b.length - a.length);
  for (const path of [...paths, directory]) lchownSync(path, account.uid, account.gid);
}

function withIdentityOf(account: Account): PostgresUser {
  const options = { env: serverEnvironment, uid: account.uid, gid: account.gid };
  return { uid: account.uid, command: (file, args) => ({ file, args, options }) };
}

/** By trying: access lists, mount options and containers make any reasoning from file modes a guess. */
function canReach(user: PostgresUser, postgres: string, directory: string): Promise<boolean> {
  const probe = 'cd "$2" && test -w . && test -r "$1" && test -r "$3" && exec "$1" --version';
  const { file, args, options } = user.command('/bin/sh', ['-c', probe, 'sh', postgres, directory, dirname(postgres)]);
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, cwd: '/', stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (status) => resolve(status === 0));
  });
}

function unprivilegedAccount(): Account {
  const accounts = readAccounts();
  const account = accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody');
  // 65534 is the kernel's own number for nobody.
  return account ?? { name: 'nobody', uid: 65534, gid: 65534 };
}

function readAccounts(): readonly Account[] {
  let lines: string[];
  try {
    lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  } catch {
    return [];
  }
  return lines
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => Number.isInteger(uid) && Number.isInteger(gid) && uid > 0);
}
