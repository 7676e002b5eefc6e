import { execFileSync, spawn } from 'node:child_process';
import { lchownSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError } from './errors.ts';
import { postgresCommandTimeoutMs } from './limits.ts';

/** The user that the server runs as. Empty: the user of this process. */
export type PostgresUser = { readonly uid: number; readonly gid: number } | Readonly<Record<never, never>>;

export interface Ended {
  /** Null if the program did not run, or was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The server must not inherit settings (such as PGPORT and PGDATA) or a locale from this process. */
const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program as a user and waits until it ends. In a separate session, so that Ctrl-C does not reach it. Never rejects. */
export function runAs(
  user: PostgresUser,
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly timeoutMs?: number } = {},
): Promise<Ended> {
  const { cwd = '/', env = {}, timeoutMs = postgresCommandTimeoutMs } = options;
  const child = spawn(file, args, {
    ...user,
    cwd,
    env: { ...SERVER_ENVIRONMENT, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]).catch(() => ['', '']);
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ status: null, stdout: '', stderr: message }));
    child.once('close', async (status) => {
      const [stdout = '', stderr = ''] = await output;
      resolve({ status, stdout, stderr: stderr.trim() });
    });
  });
}

/**
 * Chooses the user for the server: the user of this process unless it is root, because PostgreSQL refuses to run as root. In that
 * case, the owner of the data or, if that is root, too, `postgres` or else `nobody`, who becomes the owner. From then on, root
 * neither reads nor writes files in that directory, nor signals a process that a file names: `runAs` does all of this, because
 * the owner may replace any file with a link.
 *
 * @param postgres path of the server's binary
 * @param directory the existing directory of the data, empty or not
 * @throws AppError data_directory_unusable
 */
export async function choosePostgresUser(postgres: string, directory: string): Promise<PostgresUser> {
  const owner = statSync(directory);
  const uid = process.getuid?.();
  if (uid !== 0) {
    if (owner.uid === uid) return {};
    throw new AppError(
      'data_directory_unusable',
      `The database in ${directory} belongs to another user (uid ${owner.uid}). Start sitewarden as the user that created it, ` +
        'or set SITEWARDEN_DATA_DIR to another folder.',
    );
  }
  const user = owner.uid === 0 ? unprivilegedUser() : { uid: owner.uid, gid: owner.gid };
  if (owner.uid === 0) giveTree(directory, user);
  // File modes are not sufficient: access lists, mount options and containers matter, too.
  const probe = 'cd "$2" && test -w . && test -r "$1" && test -r "$3" && exec "$1" --version';
  const { status } = await runAs(user, '/bin/sh', ['-c', probe, 'sh', postgres, directory, dirname(postgres)]);
  if (status === 0) return user;
  throw new AppError(
    'data_directory_unusable',
    `PostgreSQL cannot run as root, and the user to run it as instead (uid ${user.uid}) cannot access ${postgres} or ` +
      `${directory}, because a parent folder denies access. Start sitewarden as a regular user, or allow access to that folder ` +
      '(`chmod o+x`), or move sitewarden and its data (SITEWARDEN_DATA_DIR) out of private folders such as /root, or set DATABASE_URL.',
  );
}

/** Changes the owner, innermost files first: while a directory belongs to root, no other user can put a link into it. */
function giveTree(directory: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name)).sort((a, b) => b.length - a.length);
  for (const path of [...paths, directory]) lchownSync(path, uid, gid);
}

function unprivilegedUser(): { readonly uid: number; readonly gid: number } {
  // 65534 is the kernel's uid of nobody.
  const script = 'for name in postgres nobody; do id -u $name && id -g $name && exit; done; echo 65534 65534';
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [uid = 0, gid = 0] = output.trim().split(/\s+/).map(Number);
  return { uid, gid };
}
