import type { Page } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import type { SignIn } from '../domain/site-access.ts';
import type { Logger } from '../platform/logger.ts';
import { BrowserFault } from './browser-fault.ts';
import { windowsPerPage } from './limits.ts';
import type { LiveBrowser } from './live-browser.ts';
import type { PagePlace, StepAside } from './page-place.ts';
import type { BrowserPage, PageSlot } from './page-slot.ts';
import { signIn } from './sign-in.ts';

export type UsePage<T> = (page: BrowserPage, stepAside: StepAside) => Promise<T>;

export interface PageUse {
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

/**
 * Opens a page in a free slot of the browser, signs it in, and gives it to `use`.
 * @returns the result of `use`, or a BrowserFault when the browser could not bring the page to its end; and a promise that
 * resolves when the slot is ready for another page, which the result need not wait for
 */
export function usePage<T>(
  { browser, place, log }: { readonly browser: LiveBrowser; readonly place: PagePlace; readonly log: Logger },
  request: PageUse,
  use: UsePage<T>,
): { readonly result: Promise<T>; readonly cleaned: Promise<void> } {
  const slot = browser.take(request.cacheGroup);
  const watch = watchPage(browser, request, request.signal);
  const opening = slot.open(request.cacheGroup, request.viewport);
  let isOver = false;
  const stepAside: StepAside = (wait) =>
    watch.untimed(() => (request.stepAside ?? directly)(() => place.stepAside(wait)));

  const work = async (): Promise<T> => {
    const page = await opening;
    watch.see(page.page);
    // It may have been cancelled while it was being opened.
    if (isOver) return watch.fault;
    return request.signIn === undefined
      ? use(page, stepAside)
      : useSignedIn(page, request.signIn, () => use(page, stepAside));
  };
  const result = Promise.race([watch.fault, work()])
    .catch((error: unknown) => {
      if (error instanceof BrowserFault || !browser.isGone()) throw error;
      throw new BrowserFault('browser_gone', { cause: error });
    })
    .finally(() => {
      isOver = true;
      watch.end();
    });
  const cleaned = result
    .then(
      () => true,
      () => false,
    )
    .then((isSound) => cleanUp({ browser, slot, log }, opening, isSound));
  return { result, cleaned };
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

/** Makes the slot ready for the next page: resets the page, else discards it, else kills the browser. */
async function cleanUp(
  { browser, slot, log }: { readonly browser: LiveBrowser; readonly slot: PageSlot; readonly log: Logger },
  opening: Promise<BrowserPage>,
  isSound: boolean,
): Promise<void> {
  const used = await slot.opened(opening);
  if (!browser.isGone()) {
    const isClean = used !== null && ((isSound && (await slot.reset(used))) || (await slot.discard(used)));
    if (!isClean && !browser.isGone()) {
      log.warn('The browser stopped responding and was killed.');
      await browser.kill();
    }
  }
  browser.giveBack(slot);
}

const closeVerdictMs = 200;

/** Looks from outside at what happens to one page. */
interface PageWatch {
  /** Rejects with a BrowserFault at the first thing that ends the page; never resolves. */
  readonly fault: Promise<never>;
  /** Begins to look at the page, too, once there is one. */
  see(page: Page): void;
  /** Does something whose time does not count. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  end(): void;
}

function watchPage(
  browser: LiveBrowser,
  { timeLimitMs, alone = false }: { readonly timeLimitMs: number; readonly alone?: boolean | undefined },
  signal: AbortSignal,
): PageWatch {
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // It may reject before or after anybody waits for it.
  fault.catch(() => undefined);
  const endings: (() => void)[] = [];
  const fail = (kind: BrowserFault['kind']): void => reject(new BrowserFault(kind));

  let timeLeftMs = timeLimitMs;
  let timedSince = performance.now();
  let isOver = false;
  const runTimer = (): NodeJS.Timeout => setTimeout(() => fail('time_limit'), timeLeftMs);
  let timer = runTimer();
  endings.push(() => {
    isOver = true;
    clearTimeout(timer);
  });

  const abort = (): void => fail('aborted');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  endings.push(() => signal.removeEventListener('abort', abort));

  const seeGone = (): void => fail(alone && browser.endedForMemory() === 'browser' ? 'memory' : 'browser_gone');
  endings.push(browser.onGone(seeGone));
  const seeCrash = (): void => fail(browser.endedForMemory() === 'page' ? 'memory' : 'crashed');

  return {
    fault,
    see(page) {
      let windows = 0;
      const closeWindow = (window: Page): void => {
        windows += 1;
        if (windows > windowsPerPage) fail('windows');
        void window.close().catch(() => undefined);
      };
      // A browser that ends closes its pages first; a moment later it is known which of the two it was.
      const seeClose = (): void => void setTimeout(fail, closeVerdictMs, 'closed');
      page.on('crash', seeCrash);
      page.on('close', seeClose);
      page.context().on('page', closeWindow);
      endings.push(() => {
        page.off('crash', seeCrash);
        page.off('close', seeClose);
        page.context().off('page', closeWindow);
      });
    },
    async untimed(work) {
      clearTimeout(timer);
      timeLeftMs -= performance.now() - timedSince;
      try {
        return await work();
      } finally {
        timedSince = performance.now();
        if (!isOver) timer = runTimer();
      }
    },
    end() {
      for (const ending of endings) ending();
    },
  };
}
