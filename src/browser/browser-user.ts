import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom a browser runs as. */
export interface BrowserUser {
  readonly uid: number;
  readonly gid: number;
}

/** Just below the usual number of `nobody`. */
const FIRST_UID = 65_533;

/**
 * The user for browsers where this process is root's: one with a number that no account has, so that it owns nothing,
 * neither the database nor its processes. Null where this process is not root's: browsers then run as its own user.
 */
export async function unprivilegedUser(): Promise<BrowserUser | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const taken = new Set(`${accounts}\n${groups}`.split('\n').map((line) => Number(line.split(':')[2])));
  let uid = FIRST_UID;
  while (taken.has(uid)) uid -= 1;
  return { uid, gid: uid };
}

/**
 * Whether the user can enter a folder of ours, which is made if it is not there and opened if it is closed. By trying: the
 * mode of a folder says nothing of those above it.
 */
export async function canEnter(user: BrowserUser, directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true });
    const found = await lstat(directory);
    // Not where a link leads, nor what is somebody else's.
    if (found.isDirectory() && found.uid === 0) await chmod(directory, 0o755);
    await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, cwd: '/', env: {} });
    return true;
  } catch {
    return false;
  }
}
