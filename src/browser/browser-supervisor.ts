import { availableParallelism } from 'node:os';
import type { ChildRegistry } from '../platform/child-registry.ts';
import type { Logger } from '../platform/logger.ts';
import { BrowserFault } from './browser-fault.ts';
import { type ContainedChromium, findContainedChromium } from './contained-chromium.ts';
import type { FindChromiumOptions } from './find-chromium.ts';
import { type Containment, launchChromium } from './launch-chromium.ts';
import { browserMemoryBytes, browserMemoryCores, browserMemoryHardBytes, pagesPerBrowser } from './limits.ts';
import { type LiveBrowser, superviseBrowser } from './live-browser.ts';
import { createMemoryWatch, type MemoryLimits } from './memory-watch.ts';

export interface BrowserLimits extends MemoryLimits {
  /** Number of pages after which a browser is replaced. */
  readonly pages: number;
}

export interface BrowserSupervisorOptions {
  readonly find: FindChromiumOptions;
  /** Folder for the profiles of running browsers. Each removes its own. */
  readonly profilesDirectory: string;
  /** Address of the proxy for all browser traffic; null for none. */
  readonly proxyServer: string | null;
  /** Appended to the user agent of the browser or device; null for nothing. */
  readonly userAgentSuffix: string | null;
  /** Number of pages that can be open at a time. */
  readonly slots: number;
  readonly children: ChildRegistry;
  readonly log: Logger;
  readonly limits?: Partial<BrowserLimits>;
}

/** Keeps a healthy browser running: starts the first one, and replaces it when it ends or is worn out. */
export interface BrowserSupervisor {
  /** Starts a browser, also after `stop`. @throws AppError as `browserForNextPage` does */
  start(): Promise<void>;
  /** @throws AppError browser_missing, browser_failed_to_start; BrowserFault aborted once it is stopped */
  browserForNextPage(): Promise<LiveBrowser>;
  /** How the latest browser is contained; null before the first start. */
  containment(): Containment | null;
  /** The memory of all browsers as a share of the limit at which one is replaced. */
  memoryShare(): number;
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
  /** The current browser, and worn-out ones whose last pages are still open. */
  const running = new Set<LiveBrowser>();
  let contained: ContainedChromium | null = null;
  let containment: Containment | null = null;
  let current: Promise<LiveBrowser> | null = null;
  let stopped = false;

  async function launch(): Promise<LiveBrowser> {
    contained ??= await findContainedChromium(options.find, options.profilesDirectory, options.log);
    const chromium = await launchChromium({ ...options, contained });
    containment = chromium.containment;
    const browser = superviseBrowser(chromium, options.slots, limits.pages, memory.watch(chromium.pid), options.log);
    running.add(browser);
    browser.onGone(() => void browser.kill().then(() => running.delete(browser)));
    return browser;
  }

  async function browserForNextPage(): Promise<LiveBrowser> {
    for (;;) {
      if (stopped) throw new BrowserFault('aborted');
      const asked = current ?? launch();
      current = asked;
      const browser = await asked.catch((error: unknown) => {
        if (current === asked) current = null;
        throw error;
      });
      if (!browser.isGone() && !browser.isWornOut()) return browser;
      // Several callers may have waited for it: the first one retires it.
      if (current !== asked) continue;
      current = null;
      if (!browser.isGone()) browser.retire();
    }
  }

  return {
    browserForNextPage,
    containment: () => containment,
    memoryShare: () => [...running].reduce((sum, browser) => sum + browser.memoryBytes(), 0) / limits.memoryBytes,
    async start() {
      stopped = false;
      await browserForNextPage();
    },
    async stop() {
      stopped = true;
      const starting = current;
      current = null;
      await starting?.catch(() => undefined);
      await Promise.all([...running].map((browser) => browser.quit()));
      await memory.stop();
    },
  };
}
