import type { Page } from 'playwright-core';
import { BrowserFault } from './browser-fault.ts';
import { windowsPerPage } from './limits.ts';
import type { LiveBrowser } from './live-browser.ts';

const closeVerdictMs = 200;

/** Looks from outside at what happens to one page. */
export interface PageWatch {
  /** Rejects with a BrowserFault at the first thing that ends the page; never resolves. */
  readonly fault: Promise<never>;
  /** Begins to look at the page, too, once there is one. */
  see(page: Page): void;
  /** Does something whose time does not count. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  end(): void;
}

export function watchPage(
  browser: LiveBrowser,
  { timeLimitMs, alone = false }: { readonly timeLimitMs: number; readonly alone?: boolean | undefined },
  signal: AbortSignal,
): PageWatch {
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // It may reject before or after anybody waits for it.
  fault.catch(() => undefined);
  const endings: (() => void)[] = [];
  const fail = (kind: BrowserFault['kind'], message: string): void => reject(new BrowserFault(kind, message));

  let timeLeftMs = timeLimitMs;
  let timedSince = performance.now();
  let isOver = false;
  const runTimer = (): NodeJS.Timeout =>
    setTimeout(() => fail('time_limit', `The page did not end within ${timeLimitMs / 1000} seconds.`), timeLeftMs);
  let timer = runTimer();
  endings.push(() => {
    isOver = true;
    clearTimeout(timer);
  });

  const abort = (): void => fail('aborted', 'The page was given up because the work on it was cancelled.');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  endings.push(() => signal.removeEventListener('abort', abort));

  const advice = 'Open it in a browser and look at its memory with the developer tools.';
  function failForMemory(): void {
    fail('memory', `The page took more memory than a page may, and was ended. ${advice}`);
  }
  function seeGone(): void {
    if (alone && browser.endedForMemory() === 'browser') failForMemory();
    else fail('browser_gone', 'The browser ended while the page was in it.');
  }
  endings.push(browser.onGone(seeGone));

  function seeCrash(): void {
    if (browser.endedForMemory() === 'page') failForMemory();
    else fail('crashed', `The page crashed the browser. ${advice}`);
  }

  return {
    fault,
    see(page) {
      let windows = 0;
      const closeWindow = (window: Page): void => {
        windows += 1;
        if (windows > windowsPerPage) fail('windows', `The page opened more than ${windowsPerPage} windows.`);
        void window.close().catch(() => undefined);
      };
      // A browser that ends closes its pages first; a moment later it is known which of the two it was.
      const seeClose = (): void => void setTimeout(fail, closeVerdictMs, 'crashed', 'The page closed itself.');
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
