import type { Viewport } from '../domain/check.ts';
import type { SignIn } from '../domain/site-access.ts';
import { messageOf } from '../platform/errors.ts';
import { createSemaphore, type Semaphore } from '../platform/semaphore.ts';
import { BrowserFault } from './browser-fault.ts';
import { type BrowserSupervisorOptions, createBrowserSupervisor } from './browser-supervisor.ts';
import type { Containment } from './launch-chromium.ts';
import { collectMemoryShare, crowdedMemoryShare, pagesPerPlace, roomyMemoryShare } from './limits.ts';
import type { LiveBrowser } from './live-browser.ts';
import { type PagePlace, type StepAside, takePlace } from './page-place.ts';
import type { BrowserPage, PageSlot } from './page-slot.ts';
import { watchPage } from './page-watch.ts';
import { signIn } from './sign-in.ts';

export interface BrowserPoolOptions extends Omit<BrowserSupervisorOptions, 'slots'> {
  /** Pages that are worked on at a time. More than there are cores gains nothing. */
  readonly slots: number;
}

export interface PageRequest {
  /** What the page is for. Neither kind of work waits for the other to have done all of its own. */
  readonly purpose: 'check' | 'crawl';
  /** Whether no other page may be shown meanwhile, so that what happens to the browser is this page's doing. */
  readonly alone?: boolean | undefined;
  readonly viewport: Viewport;
  /** Pages of one group share the HTTP cache of their slot, and nothing else. Groups share nothing. */
  readonly cacheGroup: string;
  /** What signs the page in to its site; the same for all pages of a group. */
  readonly signIn?: SignIn | undefined;
  /** Time for opening the page and for the work on it, not for the wait for a slot nor while it steps aside. */
  readonly timeLimitMs: number;
  /** Told when the page steps aside, for who counts the work under way as well. */
  readonly stepAside?: StepAside | undefined;
  readonly signal: AbortSignal;
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

type UsePage<T> = (page: BrowserPage, stepAside: StepAside) => Promise<T>;

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

  /** Makes the slot ready for the next page, with more force at each step. */
  async function cleanUp(
    browser: LiveBrowser,
    slot: PageSlot,
    opening: Promise<BrowserPage>,
    sound: boolean,
  ): Promise<void> {
    const used = await slot.opened(opening);
    if (!browser.isGone()) {
      const clean = used !== null && ((sound && (await slot.reset(used))) || (await slot.discard(used)));
      if (!clean && !browser.isGone()) {
        options.log.warn('The browser did not answer in time and was killed.');
        await browser.kill();
      }
    }
    browser.giveBack(slot);
    if (supervisor.memoryShare() > collectMemoryShare) await browser.collectGarbage();
  }

  async function show<T>(request: PageRequest, signal: AbortSignal, turn: Turn, use: UsePage<T>): Promise<T> {
    const { place, leave } = turn;
    const browser = await supervisor.browserForNextPage().catch((error: unknown) => {
      leave();
      throw error;
    });
    const slot = browser.take(request.cacheGroup);
    const watch = watchPage(browser, request, signal);
    const opening = slot.open(request.cacheGroup, request.viewport);
    let outcome: 'open' | 'sound' | 'broken' = 'open';
    const stepAside: StepAside = (wait) =>
      watch.untimed(() => (request.stepAside ?? directly)(() => place.stepAside(wait)));
    const work = async (): Promise<T> => {
      const page = await opening;
      watch.see(page.page);
      // It may have been given up while it was being opened.
      if (outcome !== 'open') return watch.fault;
      return request.signIn === undefined
        ? use(page, stepAside)
        : useSignedIn(page, request.signIn, () => use(page, stepAside));
    };
    try {
      const result = await Promise.race([watch.fault, work()]);
      outcome = 'sound';
      return result;
    } catch (error) {
      outcome = 'broken';
      if (error instanceof BrowserFault || !browser.isGone()) throw error;
      throw new BrowserFault('browser_gone', `The browser ended while the page was in it: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      watch.end();
      // The result need not wait for the cleaning, only the next page in this slot.
      const cleaning = cleanUp(browser, slot, opening, outcome === 'sound').finally(() => {
        cleanUps.delete(cleaning);
        leave();
      });
      cleanUps.add(cleaning);
    }
  }

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
      return show(request, signal, turn, use);
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

const directly: StepAside = (wait) => wait();

async function useSignedIn<T>(page: BrowserPage, access: SignIn, use: () => Promise<T>): Promise<T> {
  const end = await signIn(page, access);
  try {
    return await use();
  } finally {
    await end().catch(() => undefined);
  }
}
