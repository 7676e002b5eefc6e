import { randomBytes } from 'node:crypto';
import { lchown, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identifyProcess } from '../platform/process-identity.ts';
import type { BrowserUser } from './browser-user.ts';
import { removeProfileRetries } from './limits.ts';

/** The folder of one browser, with all that it writes. */
export interface BrowserProfile {
  readonly userData: string;
  readonly temporary: string;
  remove(): Promise<void>;
}

/** Makes a folder that is the user's, and removes those of processes that were killed. */
export async function makeProfile(profilesDirectory: string, user: BrowserUser | null): Promise<BrowserProfile> {
  await removeAbandoned(profilesDirectory, user);
  const directory = join(profilesDirectory, `${process.pid}-${randomBytes(6).toString('hex')}`);
  const userData = join(directory, 'profile');
  const temporary = join(directory, 'tmp');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const folder of [userData, temporary]) {
    await mkdir(folder, { mode: 0o700 });
    if (user !== null) await lchown(folder, user.uid, user.gid);
  }
  // Last, so that nobody else can change anything in it before.
  if (user !== null) await lchown(directory, user.uid, user.gid);
  return { userData, temporary, remove: () => removeProfile(directory, user) };
}

async function removeProfile(directory: string, user: BrowserUser | null): Promise<void> {
  try {
    // From now on, nothing that runs as the browser's user gets into it: root removes what it looks at, and no link's target.
    if (user !== null) await lchown(directory, 0, 0);
    await rm(directory, { recursive: true, force: true, maxRetries: removeProfileRetries });
  } catch {
    // The next start tries again.
  }
}

/** Of processes that were killed. Their browsers have ended with them. */
async function removeAbandoned(profilesDirectory: string, user: BrowserUser | null): Promise<void> {
  for (const name of await readdir(profilesDirectory).catch(() => [])) {
    const owner = Number.parseInt(name, 10);
    if (Number.isInteger(owner) && identifyProcess(owner) === null) {
      await removeProfile(join(profilesDirectory, name), user);
    }
  }
}
