import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/errors.ts';
import { inTimeOr } from '../platform/in-time.ts';
import type { Logger } from '../platform/logger.ts';
import { createOutage, type Outage } from '../platform/outage.ts';
import { oneLine } from '../platform/shorten.ts';
import { BrowserFault } from './browser-fault.ts';
import { type ContainedChromium, type FindChromiumOptions, findContainedChromium } from './find-chromium.ts';
import { type Containment, type LaunchOptions, launchChromium, type RunningChromium } from './launch-chromium.ts';
import {
  browserMemoryBytes,
  browserMemoryCores,
  browserMemoryHardBytes,
  endReasonCharacters,
  livenessIntervalMs,
  livenessTimeoutMs,
  pagesPerBrowser,
  readinessTimeoutMs,
} from './limits.ts';
import { type BrowserMemory, createMemoryWatch, type MemoryLimits } from './memory-watch.ts';
import { createPageSlot, type PageSlot } from './page-slot.ts';

export interface BrowserLimits extends MemoryLimits {
  /** Number of pages after which a browser is replaced. */
  readonly pages: number;
}

export interface BrowserSupervisorOptions extends Omit<LaunchOptions, 'contained' | 'memoryHardBytes'> {
  readonly find: FindChromiumOptions;
  /** Folder for the profiles of running browsers. Each removes its own. */
  readonly profilesDirectory: string;
  /** Number of pages that can be open at a time. */
  readonly slots: number;
  readonly limits?: Partial<BrowserLimits>;
}

/** Keeps a healthy browser running: starts the first browser, and replaces it when it ends or is worn out. */
export interface BrowserSupervisor {
  /** Starts a browser, even after `stop`. @throws AppError as `browserForNextPage` does */
  start(): Promise<void>;
  /** @throws AppError browser_missing, browser_failed_to_start; BrowserFault aborted after `stop` */
  browserForNextPage(): Promise<LiveBrowser>;
  /** How the latest browser is isolated; null before the first start. */
  containment(): Containment | null;
  /** The memory of all browsers as a share of the limit at which a browser is replaced. */
  memoryShare(): number;
  /** Quits the browser once its pages have ended. The next page starts another. */
  rest(): void;
  /** Whether there is no browser because of `rest`. */
  isResting(): boolean;
  /** Whether the latest attempt to start a browser failed. */
  isBroken(): boolean;
  /** Quits every browser. Resolves when no process is left. */
  stop(): Promise<void>;
}

/** Machines with more cores have more memory and work on more pages at a time. */
function memoryLimitsFor(cores: number): MemoryLimits {
  const scale = Math.max(1, cores / browserMemoryCores);
  return { memoryBytes: browserMemoryBytes * scale, memoryHardBytes: browserMemoryHardBytes * scale };
}

export function createBrowserSupervisor(options: BrowserSupervisorOptions): BrowserSupervisor {
  const limits: BrowserLimits = {
    pages: pagesPerBrowser,
    ...memoryLimitsFor(availableParallelism()),
    ...options.limits,
  };
  const memory = createMemoryWatch(limits, options.log);
  const outage = createOutage(options.log, 'The browser is working again');
  /** The current browser, and worn-out ones whose last pages are still open. */
  const running = new Set<LiveBrowser>();
  let contained: ContainedChromium | null = null;
  let containment: Containment | null = null;
  let current: Promise<LiveBrowser> | null = null;
  let stopped = false;
  let resting = false;
  let broken = false;

  /**
   * Looks for a browser at the first start, and again if its files are gone. If the first browser did not run as root, no later
   * one does.
   */
  async function findAgain(known: ContainedChromium | null): Promise<ContainedChromium> {
    if (known !== null && existsSync(known.found.executable)) return known;
    const { find, profilesDirectory, log } = options;
    return findContainedChromium({ find, profilesDirectory, log, mayRunAsRoot: known?.user == null });
  }

  async function launch(): Promise<LiveBrowser> {
    resting = false;
    contained = await findAgain(contained);
    const chromium = await launchChromium({ ...options, contained, memoryHardBytes: limits.memoryHardBytes });
    containment = chromium.containment;
    broken = false;
    outage.end();
    const watched = memory.watch(chromium.pid);
    const logs = { log: options.log, outage };
    const browser = superviseBrowser(chromium, options.slots, limits.pages, watched, logs);
    running.add(browser);
    browser.onGone(() => void browser.kill().then(() => forget(browser)));
    return browser;
  }

  function forget(browser: LiveBrowser): void {
    running.delete(browser);
    // The thread takes a few megabytes, and the next browser starts another.
    if (resting && running.size === 0) void memory.stop();
  }

  function noteFailedStart(error: unknown): void {
    current = null;
    broken = true;
    outage.begin();
    // The caller of the first start reports its failure.
    if (containment !== null) options.log.warn({ reason: messageOf(error) }, 'The browser could not be restarted');
  }

  async function browserForNextPage(): Promise<LiveBrowser> {
    for (;;) {
      if (stopped) throw new BrowserFault('aborted');
      const asked = current ?? launch();
      current = asked;
      const browser = await asked.catch((error: unknown) => {
        if (current === asked) noteFailedStart(error);
        throw error;
      });
      if (!browser.isGone() && !browser.isWornOut()) return browser;
      // Several callers may have waited for the browser: the first of them retires it.
      if (current !== asked) continue;
      current = null;
      if (!browser.isGone()) browser.retire();
    }
  }

  return {
    browserForNextPage,
    containment: () => containment,
    memoryShare: () => [...running].reduce((sum, browser) => sum + browser.memory.bytes(), 0) / limits.memoryBytes,
    async start() {
      stopped = false;
      await browserForNextPage();
    },
    rest() {
      const asked = current;
      current = null;
      resting = true;
      void asked?.then(
        (browser) => browser.retire(),
        () => undefined,
      );
    },
    // A broken browser does not rest: pages wait for it.
    isResting: () => resting && !broken,
    isBroken: () => broken,
    async stop() {
      stopped = true;
      resting = false;
      const starting = current;
      current = null;
      await starting?.catch(() => undefined);
      await Promise.all([...running].map((browser) => browser.quit()));
      await memory.stop();
    },
  };
}

/** A running browser process and its page slots. */
export interface LiveBrowser {
  /** Takes a free slot, preferably a slot with the group's HTTP cache. */
  take(cacheGroup: string): PageSlot;
  giveBack(slot: PageSlot): void;
  /**
   * Collects garbage in the empty pages of free slots that have shown `pagesMin` documents since the last time. Never rejects.
   */
  collectGarbage(pagesMin: number): Promise<void>;
  /** Whether the browser should be replaced because of its age or its memory. */
  isWornOut(): boolean;
  /** Quits once its open pages have ended. */
  retire(): void;
  isGone(): boolean;
  /** Calls back when the browser ends for any reason, or at once if it has ended. Returns a function that unsubscribes. */
  onGone(listener: () => void): () => void;
  readonly memory: BrowserMemory;
  /** Its version, such as `153.0.8010.0`. */
  readonly version: string;
  /** Whether the browser responds in time. On a busy machine, a healthy one may not. */
  answers(): Promise<boolean>;
  kill(): Promise<void>;
  quit(): Promise<void>;
}

/** @param pagesMax number of pages after which the browser should be replaced */
function superviseBrowser(
  chromium: RunningChromium,
  slots: number,
  pagesMax: number,
  memory: BrowserMemory,
  { log, outage }: { readonly log: Logger; readonly outage: Outage },
): LiveBrowser {
  const free = Array.from({ length: slots }, () => createPageSlot(chromium));
  const listeners = new Set<() => void>();
  let pages = 0;
  let gone = false;
  let retiring = false;
  /** Whether this process is ending the browser, so that its end needs no warning. */
  let ending = false;
  chromium.browser.on('disconnected', () => {
    memory.end();
    gone = true;
    if (!ending) noteUnexpectedEnd();
    for (const listener of listeners) listener();
    void chromium.kill();
  });
  void killWhenSilent(
    chromium,
    () => gone,
    () => {
      log.warn('The browser stopped responding and was killed.');
      return kill();
    },
  );

  function noteUnexpectedEnd(): void {
    // The next browser may already be running.
    if (!retiring) outage.begin();
    if (memory.killedForMemory() === 'browser') return;
    void chromium.ended.then((description) => {
      log.warn({ reason: oneLine(description, endReasonCharacters) }, 'The browser stopped unexpectedly');
    });
  }

  function quit(): Promise<void> {
    ending = true;
    return chromium.quit();
  }

  function kill(): Promise<void> {
    if (!gone && !retiring) outage.begin();
    ending = true;
    return chromium.kill();
  }

  function quitWhenIdle(): void {
    if (retiring && free.length === slots) void quit();
  }

  return {
    take(cacheGroup) {
      pages += 1;
      // The most recently used slot has the warmest caches, and idle ones stay idle.
      const known = free.findLastIndex((slot) => slot.hasCacheOf(cacheGroup));
      const [slot] = free.splice(Math.max(known, 0), 1);
      if (slot === undefined) throw new Error('There are more open pages than slots.');
      return slot;
    },
    giveBack(slot) {
      free.push(slot);
      quitWhenIdle();
    },
    async collectGarbage(pagesMin) {
      await Promise.all(free.map((slot) => slot.collectGarbage(pagesMin)));
    },
    isWornOut: () => pages >= pagesMax || memory.isWorn(),
    retire() {
      retiring = true;
      quitWhenIdle();
    },
    isGone: () => gone,
    onGone(listener) {
      listeners.add(listener);
      if (gone) listener();
      return () => listeners.delete(listener);
    },
    memory,
    version: chromium.browser.version(),
    answers: () => answersWithin(chromium, readinessTimeoutMs),
    kill,
    quit,
  };
}

async function killWhenSilent(
  chromium: RunningChromium,
  isGone: () => boolean,
  kill: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await delay(livenessIntervalMs, undefined, { ref: false });
    if (isGone()) return;
    if (await answersWithin(chromium, livenessTimeoutMs)) continue;
    if (!isGone()) await kill();
    return;
  }
}

function answersWithin(chromium: RunningChromium, timeoutMs: number): Promise<boolean> {
  return inTimeOr(ask(chromium), timeoutMs, false);
}

async function ask(chromium: RunningChromium): Promise<boolean> {
  const session = await chromium.browser.newBrowserCDPSession();
  await session.send('Browser.getVersion');
  await session.detach();
  return true;
}
