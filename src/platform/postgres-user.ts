import { execFileSync, spawn } from 'node:child_process';
import { lchownSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError } from './errors.ts';
import { postgresCommandTimeoutMs } from './limits.ts';

/** Who the server runs as. Empty: the user of this process. */
export type PostgresUser = { readonly uid: number; readonly gid: number } | Readonly<Record<never, never>>;

export interface Ended {
  /** Null when the program did not run, or did not end by itself. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The server must not take settings (PGPORT, PGDATA and the like) or a locale from whoever started this process. */
const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program to its end as that user, in a session of its own: Ctrl-C in a terminal does not reach it. Never rejects. */
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
 * Chooses the user for the server: this process's own, except that PostgreSQL refuses to run as root. Then it is the
 * owner of the data or, when that is root too, `postgres`, else `nobody`, who is given the data. From then on root neither
 * reads nor writes a file in that directory, nor signals a process that one names: all of it is done by `runAs`, since its
 * owner may put a link in the place of any file.
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
  // Tried out: access lists, mount options and containers make conclusions from file modes unreliable.
  const probe = 'cd "$2" && test -w . && test -r "$1" && test -r "$3" && exec "$1" --version';
  const { status } = await runAs(user, '/bin/sh', ['-c', probe, 'sh', postgres, directory, dirname(postgres)]);
  if (status === 0) return user;
  throw new AppError(
    'data_directory_unusable',
    `PostgreSQL does not run as root, and the user it would run as instead (uid ${user.uid}) cannot reach ${postgres} or ` +
      `${directory}, since a folder above is closed to it. Start sitewarden as an ordinary user, or open that folder ` +
      '(`chmod o+x`), or move sitewarden and its data (SITEWARDEN_DATA_DIR) out of closed folders such as /root, or set DATABASE_URL.',
  );
}

/** The innermost first: as long as a directory is root's, nobody else can put a link into it. */
function giveTree(directory: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name)).sort((a, b) => b.length - a.length);
  for (const path of [...paths, directory]) lchownSync(path, uid, gid);
}

function unprivilegedUser(): { readonly uid: number; readonly gid: number } {
  // 65534 is the kernel's own number for nobody.
  const script = 'for name in postgres nobody; do id -u $name && id -g $name && exit; done; echo 65534 65534';
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [uid = 0, gid = 0] = output.trim().split(/\s+/).map(Number);
  return { uid, gid };
}
