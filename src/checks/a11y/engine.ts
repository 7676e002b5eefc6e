import type { BrowserPool } from '../../browser/browser-pool.ts';
import { pageFailure } from '../../browser/page-load/page-failure.ts';
import { showDocument } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-place.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import type { CheckInput, EngineRuntime } from '../check-engine.ts';
import { A11Y_LIMITS, type A11yLimits } from './limits.ts';
import { prepareAxe, runAxe } from './run-axe.ts';

export interface A11yEngineOptions {
  /** Its slots limit how many pages are checked at a time. */
  readonly pool: BrowserPool;
  /** Overrides of `A11Y_LIMITS`. */
  readonly limits?: Partial<A11yLimits>;
}

/** Creates the accessibility check: axe-core in Chromium, on the fetched document, with the viewport of the report's device. */
export function createA11yEngine({ pool, ...options }: A11yEngineOptions): EngineRuntime {
  const limits = { ...A11Y_LIMITS, ...options.limits };
  const prepared = new WeakSet<BrowserPage>();

  const timeLimitOf = ({ alone = false }: CheckInput): number =>
    alone ? limits.aloneTimeoutMs : limits.checkTimeoutMs;

  return {
    concurrency: pool.slots,
    start: pool.start,
    isReady: pool.isReady,
    stop: pool.stop,
    async collect(input, signal) {
      const { viewport, cacheGroup, signIn, alone, stepAside } = input;
      const timeLimitMs = timeLimitOf(input);
      const request = {
        purpose: 'check',
        alone,
        viewport,
        cacheGroup,
        signIn,
        timeLimitMs,
        signal,
        stepAside,
      } as const;
      try {
        return await pool.withPage(request, async (browserPage, aside) => {
          if (!prepared.has(browserPage)) {
            prepared.add(browserPage);
            await prepareAxe(browserPage.cdp);
          }
          return checkPage(browserPage, { ...input, stepAside: aside }, limits);
        });
      } catch (error) {
        throw pageFailure(error, { work: 'check', timeLimitMs });
      }
    },
  };
}

function checkPage(
  browserPage: BrowserPage,
  { document, waitFor = null, keepsRaw = false, stepAside }: CheckInput & { readonly stepAside: StepAside },
  limits: A11yLimits,
): Promise<Buffer> {
  const toShow = { url: document.url, document, waitFor, stepAside };
  return showDocument(browserPage, toShow, limits, (shown) => runAxe(shown, keepsRaw, limits));
}
