import type { Page } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import type { SignIn } from '../domain/site-access.ts';
import type { Logger } from '../platform/logger.ts';
import { BrowserFault } from './browser-fault.ts';
import type { LiveBrowser } from './browser-supervisor.ts';
import { windowsPerPage } from './limits.ts';
import type { PagePermit, StepAside } from './page-permit.ts';
import type { BrowserPage, PageSlot } from './page-slot.ts';
import { useSignedIn } from './sign-in.ts';

export type UsePage<T> = (page: BrowserPage, stepAside: StepAside) => Promise<T>;

export interface PageUse {
  /**
   * Whether no other page may be open at the same time, so that this page must be the cause of anything that happens to the
   * browser.
   */
  readonly alone?: boolean | undefined;
  readonly viewport: Viewport;
  /** Pages of one group share the HTTP cache of their slot and nothing else. Groups share nothing. */
  readonly cacheGroup: string;
  /** Credentials for the site; the same for all pages of a group. */
  readonly signIn?: SignIn | undefined;
  /** Time limit for opening the page and for `use`, not counting the waits for a slot and in `stepAside`. */
  readonly timeLimitMs: number;
  /** Called around the page's own `stepAside`, for callers that also limit the work in progress. */
  readonly stepAside?: StepAside | undefined;
  readonly signal: AbortSignal;
}

/**
 * Opens a page in a free slot of the browser, signs it in, and calls `use` with it.
 * @returns `result`: the result of `use`; rejects with a BrowserFault when the browser could not complete the page. `cleaned`:
 * resolves when the slot is ready for another page.
 */
export function usePage<T>(
  { browser, permit, log }: { readonly browser: LiveBrowser; readonly permit: PagePermit; readonly log: Logger },
  request: PageUse,
  use: UsePage<T>,
): { readonly result: Promise<T>; readonly cleaned: Promise<void> } {
  const slot = browser.take(request.cacheGroup);
  const watch = watchPage(browser, request, request.signal);
  const opening = slot.open(request.cacheGroup, request.viewport);
  let isOver = false;
  const stepAside: StepAside = (wait) =>
    watch.untimed(() => (request.stepAside ?? directly)(() => permit.stepAside(wait)));

  const work = async (): Promise<T> => {
    const page = await opening;
    watch.observe(page.page);
    // The request may have been canceled while the page was being opened.
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
    .then((hasSucceeded) => cleanUp({ browser, slot, log }, opening, hasSucceeded));
  return { result, cleaned };
}

const directly: StepAside = (wait) => wait();

/** Makes the slot ready for the next page: resets the page, or else discards it, or else kills the browser. */
async function cleanUp(
  { browser, slot, log }: { readonly browser: LiveBrowser; readonly slot: PageSlot; readonly log: Logger },
  opening: Promise<BrowserPage>,
  hasSucceeded: boolean,
): Promise<void> {
  const used = await slot.whenOpen(opening);
  if (!browser.isGone()) {
    const isClean = used !== null && ((hasSucceeded && (await slot.reset(used))) || (await slot.discard(used)));
    if (!isClean && !browser.isGone()) {
      log.warn('The browser stopped responding and was killed.');
      await browser.kill();
    }
  }
  browser.giveBack(slot);
}

/** A browser that ends closes its pages first. After this time, it is clear whether the page or the browser ended. */
const closeVerdictMs = 200;

/** Watches for faults of one page. */
interface PageWatch {
  /** Rejects with a BrowserFault at the first fault; never resolves. */
  readonly fault: Promise<never>;
  /** Also watches the page, once it is open. */
  observe(page: Page): void;
  /** Runs work that does not count toward the time limit. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  end(): void;
}

function watchPage(
  browser: LiveBrowser,
  { timeLimitMs, alone = false }: { readonly timeLimitMs: number; readonly alone?: boolean | undefined },
  signal: AbortSignal,
): PageWatch {
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // It may reject when nothing awaits it.
  fault.catch(() => undefined);
  const endings: (() => void)[] = [];
  const fail = (kind: BrowserFault['kind']): void => reject(new BrowserFault(kind));

  const timer = createPausableTimer(timeLimitMs, () => fail('time_limit'));
  endings.push(timer.end);

  const abort = (): void => fail('aborted');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  endings.push(() => signal.removeEventListener('abort', abort));

  const onGone = (): void => fail(alone && browser.memory.killedForMemory() === 'browser' ? 'memory' : 'browser_gone');
  endings.push(browser.onGone(onGone));
  const onCrash = (): void => fail(browser.memory.killedForMemory() === 'page' ? 'memory' : 'crashed');

  return {
    fault,
    observe(page) {
      let windows = 0;
      const closeWindow = (window: Page): void => {
        windows += 1;
        if (windows > windowsPerPage) fail('windows');
        void window.close().catch(() => undefined);
      };
      const onClose = (): void => void setTimeout(fail, closeVerdictMs, 'closed');
      page.on('crash', onCrash);
      page.on('close', onClose);
      page.context().on('page', closeWindow);
      endings.push(() => {
        page.off('crash', onCrash);
        page.off('close', onClose);
        page.context().off('page', closeWindow);
      });
    },
    async untimed(work) {
      timer.pause();
      try {
        return await work();
      } finally {
        timer.resume();
      }
    },
    end() {
      for (const ending of endings) ending();
    },
  };
}

interface PausableTimer {
  pause(): void;
  resume(): void;
  end(): void;
}

/** Calls back after `timeMs`, not counting the time while the timer is paused. */
function createPausableTimer(timeMs: number, callback: () => void): PausableTimer {
  let leftMs = timeMs;
  let startedAt = performance.now();
  let isOver = false;
  let timer = setTimeout(callback, leftMs);
  return {
    pause() {
      clearTimeout(timer);
      leftMs -= performance.now() - startedAt;
    },
    resume() {
      startedAt = performance.now();
      if (!isOver) timer = setTimeout(callback, leftMs);
    },
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
