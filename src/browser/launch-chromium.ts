import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { ChildRegistry } from '../platform/child-registry.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { identifyProcess } from '../platform/process-identity.ts';
import { chromiumFlags } from './chromium-flags.ts';
import type { FoundChromium } from './find-chromium.ts';
import { killGraceMs, launchTimeoutMs, quitGraceMs, reapGraceMs, removeProfileRetries } from './limits.ts';
import { groupMembers, isGroupGone, killHard } from './process-group.ts';

export interface LaunchOptions {
  readonly found: FoundChromium;
  /** Each browser gets a folder of its own in here, removed when it ends. */
  readonly profilesDirectory: string;
  /** Address of the proxy through which all traffic goes, loopback included; null for none. */
  readonly proxyServer: string | null;
  /** Appended to the user agent of the browser or the device; null for nothing. */
  readonly userAgentSuffix: string | null;
  readonly children: ChildRegistry;
  readonly log: Logger;
}

/** A running browser. Its pid is the id of its process group, too. */
export interface RunningChromium {
  readonly browser: Browser;
  readonly pid: number;
  /** The user agent to send in the place of a device's own. */
  userAgentFor(own: string): string;
  /** Ends it in order, by force if it does not end by itself. Resolves when no process of it is left. */
  quit(): Promise<void>;
  /** Ends it at once, from outside. Resolves when no process of it is left. */
  kill(): Promise<void>;
}

/** Null until a launch has shown whether the sandbox works on this machine. */
let sandboxWorks: boolean | null = null;

/**
 * Starts a browser without a window, controlled through a pipe, so that it ends when this process dies. Its sandbox is
 * on unless this process is root's or the machine does not allow it; then a warning says so.
 * @throws AppError browser_failed_to_start
 */
export async function launchChromium(options: LaunchOptions): Promise<RunningChromium> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && sandboxWorks === null) {
    options.log.warn(
      'The browser runs without its sandbox, because this process is run by root. Run it as another user.',
    );
    sandboxWorks = false;
  }
  if (sandboxWorks === false) return launch(options, false);
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
        'Check only sites that you trust, or allow them (sysctl kernel.apparmor_restrict_unprivileged_userns=0).',
    );
    return running;
  }
}

async function launch(options: LaunchOptions, sandbox: boolean): Promise<RunningChromium> {
  await removeAbandonedProfiles(options.profilesDirectory);
  const profile = join(options.profilesDirectory, `${process.pid}-${randomBytes(6).toString('hex')}`);
  const temporary = join(profile, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  let context: BrowserContext;
  try {
    context = await chromium.launchPersistentContext(join(profile, 'profile'), {
      executablePath: options.found.executable,
      headless: true,
      env: { ...options.found.environment, TMPDIR: temporary, XDG_CACHE_HOME: temporary, XDG_CONFIG_HOME: temporary },
      args: chromiumFlags({ profile: join(profile, 'profile'), sandbox, proxyServer: options.proxyServer }),
      ignoreDefaultArgs: true,
      artifactsDir: temporary,
      timeout: launchTimeoutMs,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      viewport: null,
      acceptDownloads: false,
    });
  } catch (error) {
    await removeProfile(profile);
    throw failedToStart(options.found, error);
  }
  return supervise(context, profile, options);
}

async function supervise(context: BrowserContext, profile: string, options: LaunchOptions): Promise<RunningChromium> {
  const browser = context.browser();
  if (browser === null) throw failedToStart(options.found, 'it has no process of its own');
  const pid = await pidOf(browser).catch(async (error: unknown) => {
    await context.close().catch(() => undefined);
    await removeProfile(profile);
    throw failedToStart(options.found, error);
  });
  options.children.add(pid);
  const cleanUp = async (): Promise<void> => {
    await killGroup(pid);
    options.children.remove(pid);
    await removeProfile(profile);
  };
  let ended: Promise<void> | null = null;
  const kill = (): Promise<void> => {
    killHard(-pid);
    ended ??= cleanUp();
    return ended;
  };
  const quit = (): Promise<void> => {
    ended ??= Promise.race([context.close().catch(() => undefined), delay(quitGraceMs)]).then(cleanUp);
    return ended;
  };
  const { userAgentSuffix: suffix } = options;
  const userAgentFor = (own: string): string => (suffix === null ? own : `${own} ${suffix}`);
  return { browser, pid, userAgentFor, quit, kill };
}

/**
 * Makes sure that nothing of a group is left. Killed processes whose parent was killed, too, are reaped by the system's
 * first process; that is waited for only shortly, since in some containers it never does.
 */
async function killGroup(pid: number): Promise<void> {
  const start = Date.now();
  while (!isGroupGone(pid) && Date.now() - start < killGraceMs) {
    killHard(-pid);
    await delay(20);
    if (Date.now() - start > reapGraceMs && (await groupMembers(pid)).length === 0) return;
  }
}

async function pidOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find((process) => process.type === 'browser')?.id;
  if (pid === undefined) throw new Error('it does not tell its process id');
  return pid;
}

async function removeProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: removeProfileRetries }).catch(() => undefined);
}

/** Of processes that were killed. Their browsers have ended with them. */
async function removeAbandonedProfiles(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const owner = Number.parseInt(name, 10);
    if (Number.isInteger(owner) && identifyProcess(owner) === null) await removeProfile(join(directory, name));
  }
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
