import { randomBytes } from 'node:crypto';
import { access, constants, lchown, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { ChildRegistry } from '../platform/child-registry.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { inTimeOr } from '../platform/in-time.ts';
import type { Logger } from '../platform/logger.ts';
import { identifyProcess } from '../platform/process-identity.ts';
import type { BrowserUser } from './browser-user.ts';
import { chromiumFlags } from './chromium-flags.ts';
import { type ChromiumProcess, killGroup, killHard, startChromium } from './chromium-process.ts';
import { createDevtoolsPipe, type DevtoolsPipe } from './devtools-pipe.ts';
import type { DevtoolsSession } from './devtools-session.ts';
import type { ContainedChromium, FoundChromium } from './find-chromium.ts';
import { endGraceMs, launchTimeoutMs, quitGraceMs, removeProfileRetries } from './limits.ts';

export interface LaunchOptions {
  /** Each browser gets its own folder in `profilesDirectory`, which is removed when the browser ends. */
  readonly contained: ContainedChromium;
  /** The maximum memory that all browsers may use together. */
  readonly memoryHardBytes: number;
  /** Address of the proxy for all traffic, including loopback; null for none. */
  readonly proxyServer: string | null;
  /** Appended to the user agent of the browser or the device; null for nothing. */
  readonly userAgentSuffix: string | null;
  readonly children: ChildRegistry;
  readonly log: Logger;
}

/** How a browser is isolated from the machine. */
export interface Containment {
  readonly sandbox: boolean;
  /** The unprivileged user that the browser runs as; null for the user of this process. */
  readonly uid: number | null;
}

/** A running browser. Its pid is also the id of its process group. */
export interface RunningChromium {
  readonly browser: Browser;
  readonly pid: number;
  readonly containment: Containment;
  /** Resolves when the process has ended, with a description that includes the end of its log. */
  readonly ended: Promise<string>;
  /** Opens a session of the DevTools protocol for a page, which ends with the page. */
  openSession(page: Page): Promise<DevtoolsSession>;
  /** Returns the user agent to send instead of a device's own: the device's user agent with the suffix. */
  userAgentFor(own: string): string;
  /** Quits the browser, and kills it after `quitGraceMs`. Resolves when none of its processes is left. */
  quit(): Promise<void>;
  /** Kills the browser. Resolves when none of its processes is left. */
  kill(): Promise<void>;
}

/** Null until a launch shows whether the sandbox works on this machine. */
let sandboxWorks: boolean | null = null;

/**
 * Starts a headless browser that is controlled over a pipe, so that it ends when this process ends. The sandbox is on, unless the
 * browser runs as root or the machine does not allow a sandbox; in these cases, a warning is logged.
 * @throws AppError browser_failed_to_start
 */
export async function launchChromium(options: LaunchOptions): Promise<RunningChromium> {
  const isRoot = process.getuid?.() === 0 && options.contained.user === null;
  if (isRoot || sandboxWorks === false) return launch(options, false);
  try {
    const running = await launch(options, true);
    sandboxWorks = true;
    return running;
  } catch (error) {
    if (sandboxWorks === true || !/sandbox/i.test(messageOf(error))) throw error;
    const running = await launch(options, false);
    sandboxWorks = false;
    options.log.warn(
      'The browser runs without its sandbox, because this machine does not allow unprivileged user namespaces. ' +
        'Check only sites that you trust, or allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0, ' +
        'in a container as docs/containers.md says).',
    );
    return running;
  }
}

async function launch(options: LaunchOptions, sandbox: boolean): Promise<RunningChromium> {
  const { found, user, profilesDirectory } = options.contained;
  const profile = await makeProfile(profilesDirectory, user);
  const { userData, temporary } = profile;
  const folders = { TMPDIR: temporary, XDG_CACHE_HOME: temporary, XDG_CONFIG_HOME: temporary };
  // Other users cannot enter root's home.
  const home = user === null ? {} : { HOME: temporary };
  try {
    const started = await startChromium({
      executable: found.executable,
      args: chromiumFlags({
        profile: userData,
        sandbox,
        proxyServer: options.proxyServer,
        keepsSharedMemoryInFiles: !(await hasRoomForSharedMemory(options.memoryHardBytes)),
      }),
      environment: { ...found.environment, ...folders, ...home },
      user,
    });
    options.children.add(started.pid, 'browser');
    return await connect(started, profile, { sandbox, uid: user?.uid ?? null }, options);
  } catch (error) {
    await profile.remove();
    throw failedToStart(found, error);
  }
}

/**
 * Whether all browsers fit into a folder for shared memory, and any user may write to it. Containers limit `/dev/shm` to 64 MB,
 * and a browser crashes when it is full. Without such a folder, shared memory is in files, which the system writes to disk, at a
 * cost of a few percent of processor time.
 */
export async function hasRoomForSharedMemory(bytes: number, folder = '/dev/shm'): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    const [{ mode }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    return (mode & constants.S_IWOTH) !== 0 && bavail * bsize >= bytes;
  } catch {
    return false;
  }
}

async function connect(
  started: ChromiumProcess,
  profile: BrowserProfile,
  containment: Containment,
  { children, userAgentSuffix: suffix }: LaunchOptions,
): Promise<RunningChromium> {
  const { pid, input, output, ended, clearLog } = started;
  let cleaned: Promise<void> | null = null;
  const cleanUp = async (): Promise<void> => {
    await killGroup(pid);
    children.remove(pid);
    await profile.remove();
  };
  const kill = (): Promise<void> => {
    killHard(-pid);
    cleaned ??= cleanUp();
    return cleaned;
  };
  try {
    // This import takes a quarter of the startup time, and most commands do not need it. The browser starts at the same time.
    const { chromium } = await import('playwright-core');
    const pipe = createDevtoolsPipe(input, output);
    const connected = chromium.connectOverCDP(pipe, {
      artifactsDir: profile.temporary,
      timeout: launchTimeoutMs,
    });
    // When the browser ends, the connection is lost first, and its error does not say why.
    const browser = await connected.catch(async (error) => {
      throw new Error(await inTimeOr(ended, endGraceMs, messageOf(error)));
    });
    // The log lines of a successful start do not explain why the browser ended later.
    clearLog();
    const quit = (): Promise<void> => {
      const closed = browser.close().then(() => ended);
      cleaned ??= inTimeOr(closed, quitGraceMs, undefined).then(cleanUp);
      return cleaned;
    };
    const userAgentFor = (own: string): string => (suffix === null ? own : `${own} ${suffix}`);
    browser.on('disconnected', pipe.endSessions);
    const openSession = createSessionOpener(browser, pipe);
    return { browser, pid, containment, ended, openSession, userAgentFor, quit, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

function createSessionOpener(browser: Browser, pipe: DevtoolsPipe): RunningChromium['openSession'] {
  let ofBrowser: Promise<CDPSession> | null = null;
  return async (page) => {
    ofBrowser ??= browser.newBrowserCDPSession();
    // Playwright does not name the target of a page. If the browser ends, both promises reject.
    const [ofPage, session] = await Promise.all([page.context().newCDPSession(page), ofBrowser]);
    const { targetInfo } = await ofPage.send('Target.getTargetInfo');
    void ofPage.detach().catch(() => undefined);
    const target = { targetId: targetInfo.targetId, flatten: true };
    const { sessionId } = await session.send('Target.attachToTarget', target);
    return pipe.openSession(sessionId);
  };
}

function failedToStart(found: FoundChromium, cause: unknown): AppError {
  const reason = messageOf(cause).trim().slice(0, 2_000);
  return new AppError(
    'browser_failed_to_start',
    `The browser ${found.executable} (${found.version}) did not start: ${reason}. ` +
      'Set SITEWARDEN_CHROMIUM to another Chromium or Chrome binary, or unset it to use the bundled one.',
    { cause },
  );
}

/** The folders that a browser writes to. */
interface BrowserProfile {
  readonly userData: string;
  readonly temporary: string;
  remove(): Promise<void>;
}

/** Creates the folder of a browser, owned by its user, and removes the folders that killed processes left behind. */
async function makeProfile(profilesDirectory: string, user: BrowserUser | null): Promise<BrowserProfile> {
  await removeAbandoned(profilesDirectory, user);
  const directory = join(profilesDirectory, `${process.pid}-${randomBytes(6).toString('hex')}`);
  const userData = join(directory, 'profile');
  const temporary = join(directory, 'tmp');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const folder of [userData, temporary]) {
    await mkdir(folder, { mode: 0o700 });
    if (user !== null) await lchown(folder, user.uid, user.gid);
  }
  // Last, so that the user cannot change anything earlier.
  if (user !== null) await lchown(directory, user.uid, user.gid);
  return { userData, temporary, remove: () => removeProfile(directory, user) };
}

async function removeProfile(directory: string, user: BrowserUser | null): Promise<void> {
  try {
    // Locks out the browser's user, which could otherwise swap in links while root removes the files.
    if (user !== null) await lchown(directory, 0, 0);
    await rm(directory, { recursive: true, force: true, maxRetries: removeProfileRetries });
  } catch {
    // The next start tries again.
  }
}

/** Removes the profiles of processes that were killed. Their browsers have ended with them. */
async function removeAbandoned(profilesDirectory: string, user: BrowserUser | null): Promise<void> {
  for (const name of await readdir(profilesDirectory).catch(() => [])) {
    const owner = Number.parseInt(name, 10);
    if (Number.isInteger(owner) && identifyProcess(owner) === null) {
      await removeProfile(join(profilesDirectory, name), user);
    }
  }
}
