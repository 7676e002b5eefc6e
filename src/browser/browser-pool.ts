import { createRestTimer } from '../platform/rest-timer.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import { BrowserFault } from './browser-fault.ts';
import {
  type BrowserSupervisor,
  type BrowserSupervisorOptions,
  createBrowserSupervisor,
  type LiveBrowser,
} from './browser-supervisor.ts';
import {
  collectMemoryShare,
  crowdedMemoryShare,
  pagesPerCollection,
  pagesPerPlace,
  roomyMemoryShare,
} from './limits.ts';
import { acquirePermit, type PagePermit } from './page-permit.ts';
import { type PageUse, type UsePage, usePage } from './use-page.ts';

export interface BrowserPoolOptions extends Omit<BrowserSupervisorOptions, 'slots'> {
  /** Number of pages that are worked on at a time. More than the number of cores gains nothing. */
  readonly slots: number;
  /** The browser quits after this time without pages, in ms. Default: 0, never. */
  readonly restMs?: number;
}

export interface PageRequest extends PageUse {
  /** Checks, crawls and prints take turns, so that none starves the others. */
  readonly purpose: 'check' | 'crawl' | 'print';
}

export interface BrowserPool extends Pick<BrowserSupervisor, 'containment' | 'isResting' | 'isBroken'> {
  readonly slots: number;
  /**
   * Finds and starts the browser. Idempotent.
   * @throws AppError browser_missing, browser_failed_to_start
   */
  start(): Promise<void>;
  /** Starts the browser if it rests. Never rejects: if it fails to start, the next page reports that. */
  wake(): Promise<void>;
  /**
   * Whether the browser responds, or rests. If there is no browser for another reason, starts one. A missing response has no
   * effect on open pages.
   */
  isReady(): Promise<boolean>;
  /** Returns the version of the browser for the next page; null if there is none. */
  version(): Promise<string | null>;
  /** Ends pages and browsers. Resolves when no process is left. */
  stop(): Promise<void>;
  /**
   * Calls `use` with an empty page and returns its result. While `use` only waits for the page's own requests and timers, it
   * must call `stepAside`, so that another page can be worked on.
   * @throws BrowserFault when the page or the browser failed; anything that `use` throws
   */
  withPage<T>(request: PageRequest, use: UsePage<T>): Promise<T>;
}

/**
 * Creates a pool of pages in one Chromium process. Sharing the browser and network processes saves memory. The price is that a
 * browser that crashes fails all open pages, which is rare.
 */
export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const pagesMax = options.slots * pagesPerPlace;
  const supervisor = createBrowserSupervisor({ ...options, slots: pagesMax });
  const openPages = createSemaphore(pagesMax, () => pagesInMemory(options.slots, pagesMax, supervisor.memoryShare()));
  const permits = createSemaphore(options.slots);
  const cleanUps = new Set<Promise<void>>();
  const restTimer = createRestTimer(options.restMs ?? 0, () => {
    options.log.debug('The browser is stopped until the next page');
    supervisor.rest();
  });
  let stopping = new AbortController();

  const collectGarbage = async (browser: LiveBrowser): Promise<void> => {
    const share = supervisor.memoryShare();
    if (share > crowdedMemoryShare) await browser.collectGarbage(1);
    else if (share > collectMemoryShare) await browser.collectGarbage(pagesPerCollection);
  };

  return {
    slots: options.slots,
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController();
      await supervisor.start().finally(restTimer.begin());
    },
    async wake() {
      const ended = restTimer.begin();
      if (supervisor.isResting()) await supervisor.browserForNextPage().catch(() => undefined);
      ended();
    },
    isResting: supervisor.isResting,
    isBroken: supervisor.isBroken,
    async isReady() {
      // If this restarts the browser, the browser rests later even if no page follows.
      const ended = supervisor.isBroken() ? restTimer.begin() : () => undefined;
      try {
        if (stopping.signal.aborted) return false;
        return (
          supervisor.isResting() || (await (await supervisor.browserForNextPage()).answers()) || supervisor.isResting()
        );
      } catch {
        return false;
      } finally {
        ended();
      }
    },
    async version() {
      const ended = restTimer.begin();
      try {
        return stopping.signal.aborted ? null : (await supervisor.browserForNextPage()).version;
      } catch {
        return null;
      } finally {
        ended();
      }
    },
    containment: supervisor.containment,
    async stop() {
      stopping.abort();
      restTimer.stop();
      await Promise.allSettled(cleanUps);
      await supervisor.stop();
    },
    async withPage(request, use) {
      const workEnded = restTimer.begin();
      const signal = AbortSignal.any([request.signal, stopping.signal]);
      const admission = await admit({ openPages, permits }, request, signal).catch((cause: unknown) => {
        workEnded();
        throw new BrowserFault('aborted', { cause });
      });
      const browser = await supervisor.browserForNextPage().catch((error: unknown) => {
        admission.release();
        workEnded();
        throw error;
      });
      const { result, cleaned } = usePage(
        { browser, permit: admission.permit, log: options.log },
        { ...request, signal },
        use,
      );
      const collected = cleaned.then(() => collectGarbage(browser));
      const cleanUp = collected.finally(() => {
        cleanUps.delete(cleanUp);
        admission.release();
        workEnded();
      });
      cleanUps.add(cleanUp);
      return result;
    },
  };
}

/** Returns how many pages may be open: as memory fills up, the number falls to the number of pages in use. */
function pagesInMemory(places: number, pagesMax: number, memoryShare: number): number {
  const room = (crowdedMemoryShare - memoryShare) / (crowdedMemoryShare - roomyMemoryShare);
  return places + Math.floor((pagesMax - places) * Math.min(1, Math.max(0, room)));
}

/** What a page holds while it is open. */
interface Admission {
  readonly permit: PagePermit;
  release(): void;
}

/** @throws the signal's reason if the signal is aborted first */
async function admit(
  { openPages, permits }: { readonly openPages: Semaphore; readonly permits: Semaphore },
  { purpose, alone }: PageRequest,
  signal: AbortSignal,
): Promise<Admission> {
  const close = await openPages.acquire(purpose, signal, alone);
  try {
    const permit = await acquirePermit(permits, purpose, signal);
    const release = (): void => {
      permit.release();
      close();
    };
    return { permit, release };
  } catch (error) {
    close();
    throw error;
  }
}
