import type { BrowserPool } from '../../browser/browser-pool.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { pageFailure } from '../../browser/showing/page-failure.ts';
import { showDocument } from '../../browser/showing/show-document.ts';
import type { CheckEngine, CheckInput } from '../check-engine.ts';
import type { AxeRaw } from './axe-raw.ts';
import { interpretAxe } from './interpret-axe.ts';
import { A11Y_LIMITS, type A11yLimits } from './limits.ts';
import { prepareAxe, runAxe } from './run-axe.ts';

export interface A11yEngineOptions {
  /** Where pages are shown; as many at a time as it has slots. */
  readonly pool: BrowserPool;
  /** Other limits than `A11Y_LIMITS`. */
  readonly limits?: Partial<A11yLimits>;
}

/**
 * The accessibility check: axe-core in Chromium, with the report's viewport, on the document as it was fetched. A viewport
 * with a user agent of its own gets what the server answers that user agent, so there the browser requests the document.
 */
export function createA11yEngine({ pool, ...options }: A11yEngineOptions): CheckEngine<AxeRaw> {
  const limits = { ...A11Y_LIMITS, ...options.limits };
  const prepared = new WeakSet<BrowserPage>();

  async function collectOn(browserPage: BrowserPage, input: CheckInput): Promise<AxeRaw> {
    if (!prepared.has(browserPage)) {
      prepared.add(browserPage);
      await prepareAxe(browserPage.cdp);
    }
    return checkPage(browserPage, input, limits);
  }

  return {
    kind: 'a11y',
    concurrency: pool.slots,
    showsPages: true,
    start: pool.start,
    isReady: pool.isReady,
    stop: pool.stop,
    async collect(input, signal) {
      const { viewport, cacheGroup, signIn } = input;
      const timeLimitMs = limits.checkTimeoutMs;
      try {
        if (requestsItself(input)) await input.requestTurn?.near();
        const request = { purpose: 'check', viewport, cacheGroup, signIn, timeLimitMs, signal } as const;
        return await pool.withPage(request, (browserPage) => collectOn(browserPage, input));
      } catch (error) {
        throw pageFailure(error, { name: 'The accessibility check', timeLimitMs });
      }
    },
    interpret: interpretAxe,
    rawCheck: (raw) => raw.full,
  };
}

/** Whether the document is what the server answers the browser, and not what the spider was answered. */
function requestsItself({ viewport }: CheckInput): boolean {
  return viewport.userAgent !== null;
}

function checkPage(browserPage: BrowserPage, input: CheckInput, limits: A11yLimits): Promise<AxeRaw> {
  const { document, requestTurn } = input;
  const toShow = {
    url: document.url,
    document: requestsItself(input) ? null : document,
    requestTurn: requestTurn?.take,
  };
  return showDocument(browserPage, toShow, limits, (shown) => runAxe(shown, input.keepsRaw ?? false, limits));
}
