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
