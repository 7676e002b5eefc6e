import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import { BrowserFault } from './browser-fault.ts';
import { type BrowserSupervisorOptions, createBrowserSupervisor } from './browser-supervisor.ts';
import type { Containment } from './launch-chromium.ts';
import { collectMemoryShare, crowdedMemoryShare, pagesPerPlace, roomyMemoryShare } from './limits.ts';
import type { LiveBrowser } from './live-browser.ts';
import { type PagePlace, takePlace } from './page-place.ts';
import { type PageUse, type UsePage, usePage } from './use-page.ts';

export interface BrowserPoolOptions extends Omit<BrowserSupervisorOptions, 'slots'> {
  /** Pages that are worked on at a time. More than there are cores gains nothing. */
  readonly slots: number;
}

export interface PageRequest extends PageUse {
  /** What the page is for. Neither kind of work waits for the other to have done all of its own. */
  readonly purpose: 'check' | 'crawl';
}

export interface BrowserPool {
  readonly slots: number;
  /**
   * Finds and starts the browser. Idempotent.
   * @throws AppError browser_missing, browser_failed_to_start
   */
  start(): Promise<void>;
  /** Whether the browser answers, which is started when there is none. Whether it does changes nothing for its pages. */
  isReady(): Promise<boolean>;
  /** What keeps the browser that was started last from the machine; null when none was. */
  containment(): Containment | null;
  /** Ends pages and browsers; resolves when no process is left. */
  stop(): Promise<void>;
  /**
   * Gives `use` an empty page, and takes it back when `use` has ended. What `use` throws is thrown on. While `use` only
   * waits for the page's own time it is to step aside, so that another page is worked on meanwhile.
   * @throws BrowserFault when the browser could not bring the page to its end
   */
  withPage<T>(request: PageRequest, use: UsePage<T>): Promise<T>;
}

/**
 * A pool of pages over one Chromium process: one browser and network process for all slots takes less memory than one
 * for each, and the price, that a browser killed from outside fails the pages of all slots, is paid rarely.
 */
export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const pagesMax = options.slots * pagesPerPlace;
  const supervisor = createBrowserSupervisor({ ...options, slots: pagesMax });
  const openPages = createSemaphore(pagesMax, () => pagesInMemory(options.slots, pagesMax, supervisor.memoryShare()));
  const places = createSemaphore(options.slots);
  const cleanUps = new Set<Promise<void>>();
  let stopping = new AbortController();

  const collectGarbage = async (browser: LiveBrowser): Promise<void> => {
    if (supervisor.memoryShare() > collectMemoryShare) await browser.collectGarbage();
  };

  return {
    slots: options.slots,
    async start() {
      if (stopping.signal.aborted) stopping = new AbortController();
      await supervisor.start();
    },
    async isReady() {
      try {
        return !stopping.signal.aborted && (await (await supervisor.browserForNextPage()).answers());
      } catch {
        return false;
      }
    },
    containment: supervisor.containment,
    async stop() {
      stopping.abort();
      await Promise.allSettled(cleanUps);
      await supervisor.stop();
    },
    async withPage(request, use) {
      const signal = AbortSignal.any([request.signal, stopping.signal]);
      const turn = await waitForTurn({ openPages, places }, request, signal).catch((cause: unknown) => {
        throw new BrowserFault('aborted', 'The page was given up before it had its turn.', { cause });
      });
      const browser = await supervisor.browserForNextPage().catch((error: unknown) => {
        turn.leave();
        throw error;
      });
      const { result, cleaned } = usePage(
        { browser, place: turn.place, log: options.log },
        { ...request, signal },
        use,
      );
      const collected = cleaned.then(() => collectGarbage(browser));
      const cleanUp = collected.finally(() => {
        cleanUps.delete(cleanUp);
        turn.leave();
      });
      cleanUps.add(cleanUp);
      return result;
    },
  };
}

/** How many pages may be open: all while there is room in memory, and ever fewer, down to those that are worked on. */
function pagesInMemory(places: number, pagesMax: number, memoryShare: number): number {
  const room = (crowdedMemoryShare - memoryShare) / (crowdedMemoryShare - roomyMemoryShare);
  return places + Math.floor((pagesMax - places) * Math.min(1, Math.max(0, room)));
}

/** What a page holds in the pool while it is open. */
interface Turn {
  readonly place: PagePlace;
  leave(): void;
}

/** @throws the signal's reason when it is aborted first */
async function waitForTurn(
  { openPages, places }: { readonly openPages: Semaphore; readonly places: Semaphore },
  { purpose, alone }: PageRequest,
  signal: AbortSignal,
): Promise<Turn> {
  const close = await openPages.acquire(purpose, signal, alone);
  try {
    const place = await takePlace(places, purpose, signal);
    const leave = (): void => {
      place.leave();
      close();
    };
    return { place, leave };
  } catch (error) {
    close();
    throw error;
  }
}
