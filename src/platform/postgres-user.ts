import { type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from './errors.ts';

/** Starts programs as the user that the server runs as, and gives it files. */
export interface PostgresUser {
  /** What to spawn so that `program` runs as that user with the pid that spawn reports. */
  command(program: string, args: readonly string[]): Command;
  /** Makes a file or directory belong to that user. */
  own(path: string): void;
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
 * owner of the data or, when that is root too, `postgres`, else `nobody`, who is given the data. Where that user cannot
 * reach the binaries or the data because a directory above is closed (a checkout below /root), the server keeps root's
 * one privilege to pass closed directories (CAP_DAC_OVERRIDE) and nothing else.
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
    return { command: (file, args) => ({ file, args, options: { env: serverEnvironment } }), own() {} };
  }

  const account = owner.uid === 0 ? unprivilegedAccount() : { name: 'its owner', uid: owner.uid, gid: owner.gid };
  if (owner.uid === 0) giveTree(directory, account);
  for (const user of [withIdentityOf(account), withIdentityAndOverride(account)]) {
    if (await canReach(user, postgres, directory)) return user;
  }
  throw new AppError(
    'data_directory_unusable',
    `PostgreSQL does not run as root, and the user it would run as instead (${account.name}, uid ${account.uid}) cannot ` +
      `reach ${postgres} or ${directory}. Start sitewarden as an ordinary user, or move it and its data ` +
      '(SITEWARDEN_DATA_DIR) out of folders that are closed to others, such as /root, or set DATABASE_URL.',
  );
}

function belongsToAnother(directory: string, uid: number): AppError {
  return new AppError(
    'data_directory_unusable',
    `The database in ${directory} belongs to another user (uid ${uid}). Start sitewarden as the user that made it, ` +
      'or set SITEWARDEN_DATA_DIR to another folder.',
  );
}

function giveTree(directory: string, account: Account): void {
  chownSync(directory, account.uid, account.gid);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(directory, name), account.uid, account.gid);
  }
}

function withIdentityOf(account: Account): PostgresUser {
  return {
    command: (file, args) => ({ file, args, options: { env: serverEnvironment, uid: account.uid, gid: account.gid } }),
    own: (path) => chownSync(path, account.uid, account.gid),
  };
}

/**
 * With setpriv of util-linux. `no_setuid_fixup` because access(2), with which the binaries look for each other, otherwise
 * judges a user other than root without its privileges.
 */
function withIdentityAndOverride(account: Account): PostgresUser {
  const privileges = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  return {
    command: (file, args) => ({
      file: 'setpriv',
      args: [...privileges, file, ...args],
      options: { env: serverEnvironment },
    }),
    own: (path) => chownSync(path, account.uid, account.gid),
  };
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
