import { BrowserFault } from '../../browser/browser-fault.ts';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { pageFailure } from '../../browser/page-load/page-failure.ts';
import { showDocument } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-place.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { CheckFailure } from '../../platform/errors.ts';
import { type CheckEngine, type CheckInput, MissedTurn, type TakeTurn } from '../check-engine.ts';
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
export function createA11yEngine({ pool, ...options }: A11yEngineOptions): CheckEngine {
  const limits = { ...A11Y_LIMITS, ...options.limits };
  const prepared = new WeakSet<BrowserPage>();

  const timeLimitOf = ({ alone = false }: CheckInput): number =>
    alone ? limits.aloneTimeoutMs : limits.checkTimeoutMs;

  /** Shows the page in the browser, where nothing but its own time is to be waited for. */
  async function collect(input: CheckInput, signal: AbortSignal): Promise<Buffer> {
    const { viewport, cacheGroup, signIn, alone } = input;
    const timeLimitMs = timeLimitOf(input);
    let isWaiting = false;
    const takeTurn = async (): Promise<void> => {
      isWaiting = true;
      await input.takeTurn?.();
      isWaiting = false;
    };
    try {
      const { stepAside } = input;
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
      return await pool.withPage(request, async (browserPage, aside) => {
        if (!prepared.has(browserPage)) {
          prepared.add(browserPage);
          await prepareAxe(browserPage.cdp);
        }
        return checkPage(browserPage, { ...input, takeTurn, stepAside: aside }, limits);
      });
    } catch (error) {
      if (!isWaiting || !(error instanceof BrowserFault) || error.kind !== 'time_limit') throw error;
      const message = 'The page had no turn among the requests to its site in time.';
      throw new CheckFailure(message, { permanent: false, blame: 'checker', cause: error });
    }
  }

  return {
    kind: 'a11y',
    concurrency: pool.slots,
    showsPages: true,
    start: pool.start,
    isReady: pool.isReady,
    stop: pool.stop,
    async collect(input, signal) {
      try {
        return await collect(input, signal);
      } catch (error) {
        if (error instanceof MissedTurn) throw error;
        throw pageFailure(error, { name: 'The accessibility check', timeLimitMs: timeLimitOf(input) });
      }
    },
  };
}

/** Whether the document is what the server answers the browser, and not what the spider was answered. */
function requestsItself({ viewport }: CheckInput): boolean {
  return viewport.userAgent !== null;
}

function checkPage(
  browserPage: BrowserPage,
  input: CheckInput & { readonly takeTurn: TakeTurn; readonly stepAside: StepAside },
  limits: A11yLimits,
): Promise<Buffer> {
  const { document, signIn, takeTurn, stepAside, waitFor = null } = input;
  const shown = requestsItself(input) ? null : document;
  const toShow = { url: document.url, document: shown, signIn, takeTurn, stepAside, waitFor };
  return showDocument(browserPage, toShow, limits, (shown) => runAxe(shown, input.keepsRaw ?? false, limits));
}
