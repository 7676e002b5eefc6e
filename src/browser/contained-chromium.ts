import { join } from 'node:path';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { type BrowserUser, canEnter, unprivilegedUser } from './browser-user.ts';
import { type FindChromiumOptions, type FoundChromium, findChromium } from './find-chromium.ts';

/** A working browser, and the user and the folder that it runs with. */
export interface ContainedChromium {
  readonly found: FoundChromium;
  /** Null: the user of this process. */
  readonly user: BrowserUser | null;
  readonly profilesDirectory: string;
}

/** Used when root has installed sitewarden in a folder that other users cannot enter, such as /root. */
const OPEN_CACHE = '/var/cache/sitewarden';

/**
 * Finds a browser and, when this process runs as root, a folder in which an unprivileged user can run it. If there is none,
 * logs a warning, and the browser runs as root.
 * @throws AppError browser_missing
 */
export async function findContainedChromium(
  find: FindChromiumOptions,
  profilesDirectory: string,
  log: Logger,
): Promise<ContainedChromium> {
  const user = await unprivilegedUser();
  if (user === null) return { found: await findChromium(find), user, profilesDirectory };
  let reason = `${find.cacheDirectory} is closed to other users`;
  for (const [cacheDirectory, profiles] of [
    [find.cacheDirectory, profilesDirectory],
    [OPEN_CACHE, join(OPEN_CACHE, 'browser-profiles')],
  ] as const) {
    if (!(await canEnter(user, cacheDirectory)) || !(await canEnter(user, profiles))) continue;
    try {
      return { found: await findChromium({ ...find, cacheDirectory, user }), user, profilesDirectory: profiles };
    } catch (error) {
      reason = messageOf(error);
    }
  }
  const found = await findChromium(find);
  log.warn(
    { reason },
    'The browser runs as root and without its sandbox. Check only sites that you trust, or run sitewarden as another user.',
  );
  return { found, user: null, profilesDirectory };
}
