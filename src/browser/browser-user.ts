import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that a browser runs as. */
export interface BrowserUser {
  readonly uid: number;
  readonly gid: number;
}

/** Just below the usual id of `nobody`. */
const FIRST_UID = 65_533;

/**
 * Returns the user that browsers run as when this process runs as root: an unused id, which owns no files and no processes.
 * Returns null when this process does not run as root: browsers then run as the same user.
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
 * Creates a folder if it is missing, opens it to other users if root owns it, and returns whether the user can enter it. Tries to
 * enter it as that user, because the mode of a folder does not show whether the folders above it are open.
 */
export async function canEnter(user: BrowserUser, directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true });
    const found = await lstat(directory);
    // Never change the target of a link, or another user's folder.
    if (found.isDirectory() && found.uid === 0) await chmod(directory, 0o755);
    await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, cwd: '/', env: {} });
    return true;
  } catch {
    return false;
  }
}
