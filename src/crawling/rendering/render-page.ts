import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { BrowserFault } from '../../browser/browser-fault.ts';
import type { BrowserPool, PageRequest } from '../../browser/browser-pool.ts';
import { EarlyRedirect } from '../../browser/page-load/fulfil-document.ts';
import { framesPerPage } from '../../browser/page-load/limits.ts';
import { pageFailure } from '../../browser/page-load/page-failure.ts';
import { showDocument } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-place.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument, type Viewport } from '../../domain/check.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { AppError } from '../../platform/errors.ts';
import { hrefsPerPageMax, rawTitleMaxCharacters, urlMaxCharacters } from '../../spider/limits.ts';
import { firstUrl, type PageLinks, resolvedLinks, tidyTitle } from '../../spider/page-links.ts';
import { type CollectedPage, type CollectLimits, collectInPage } from './collect-links.ts';
import {
  linksMaxCharacters,
  RENDER_LIMITS,
  type RenderLimits,
  renderAttemptsMax,
  routesPerPageMax,
  viewportHeight,
} from './limits.ts';

/** What rendering a document came to. */
export type Rendering =
  | { readonly kind: 'rendered'; readonly found: PageLinks }
  | {
      readonly kind: 'failed';
      readonly error: Failure;
      /** Whether a browser has worked on the page, so that it is to be paid for. */
      readonly hasRun: boolean;
      /** What the report says of it, where it is no matter of this page alone. */
      readonly ofReport?: Failure;
    };

/** Renders a document that was fetched. Throws only the signal's reason, and BrowserFault when the browser is stopped. */
export type RenderPage = (
  document: FetchedDocument,
  options: {
    readonly cacheGroup: string;
    readonly signIn?: SignIn | undefined;
    /** That of the report's device. Absent: that of the default device. */
    readonly viewport?: Viewport | undefined;
    /** A CSS selector of what a page with scripts is waited for; null for its rest. */
    readonly waitFor: string | null;
    readonly signal: AbortSignal;
  },
) => Promise<Rendering>;

export interface PageRendererOptions {
  readonly pool: BrowserPool;
  /** Other limits than `RENDER_LIMITS`. */
  readonly limits?: Partial<RenderLimits>;
}

const COLLECT_LIMITS: CollectLimits = {
  hrefsMax: hrefsPerPageMax,
  hrefMaxCharacters: urlMaxCharacters,
  allMaxCharacters: linksMaxCharacters,
  framesMax: framesPerPage,
  titleMaxCharacters: rawTitleMaxCharacters,
};
const COLLECT = `(${collectInPage.toString()})(${JSON.stringify(COLLECT_LIMITS)})`;

export function createPageRenderer({ pool, ...options }: PageRendererOptions): RenderPage {
  const limits: RenderLimits = { ...RENDER_LIMITS, ...options.limits };
  const { renderTimeoutMs: timeLimitMs } = limits;
  /** Until then, a browser that could not be started is left alone. */
  let restUntil = 0;

  /** Shows the document in a browser. One that could not be started has a rest, and then another trial. */
  async function show(request: PageRequest, wanted: Wanted, isLastTrial = false): Promise<PageLinks> {
    const restMs = restUntil - performance.now();
    if (restMs > 0) await delay(restMs, undefined, { signal: request.signal });
    try {
      return await pool.withPage(request, (browserPage, stepAside) =>
        render(browserPage, { ...wanted, stepAside }, limits),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      restUntil = performance.now() + limits.browserRestMs;
      if (isLastTrial || restMs > 0) throw error;
      return show(request, wanted, true);
    }
  }

  /** What becomes of a page after an error; null when it is tried once more. */
  function afterError(error: unknown, url: string, isLastAttempt: boolean): Rendering | null {
    if (error instanceof BrowserFault && error.kind === 'aborted') throw error;
    // As a redirect does, the page stands for another one, which is all that is in it for a reader.
    if (error instanceof EarlyRedirect) {
      const links = resolvedLinks([{ base: url, hrefs: [error.target] }]);
      return rendered({ links, canonical: null, title: null, hashRoutes: 0 });
    }
    if (error instanceof AppError) return notStarted(error);
    const { failure, permanent } = pageFailure(error, { work: 'rendering', timeLimitMs });
    return permanent || isLastAttempt ? { kind: 'failed', error: failure, hasRun: true } : null;
  }

  return async (document, { cacheGroup, signIn, viewport = DEFAULT_VIEWPORT, waitFor, signal }) => {
    const request = { purpose: 'crawl', viewport, cacheGroup, signIn, timeLimitMs, signal } as const;
    let alone = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return rendered(await show({ ...request, alone }, { document, viewport, waitFor }));
      } catch (error) {
        signal.throwIfAborted();
        const outcome = afterError(error, document.url, attempt === renderAttemptsMax);
        if (outcome !== null) return outcome;
        alone = mayBeOthersFault(error);
      }
    }
  };
}

/** Whether a page that was shown at the same time may have broken the browser. */
function mayBeOthersFault(error: unknown): boolean {
  return error instanceof BrowserFault && (error.kind === 'browser_gone' || error.kind === 'crashed');
}

function rendered(found: PageLinks): Rendering {
  return { kind: 'rendered', found };
}

function notStarted({ message }: AppError): Rendering {
  const error: Failure = { code: 'browser_unavailable', params: { text: message } };
  return { kind: 'failed', error, hasRun: false, ofReport: { code: 'pages_not_rendered', params: { why: error } } };
}

interface Wanted {
  readonly document: FetchedDocument;
  readonly viewport: Viewport;
  readonly waitFor: string | null;
}

/** Shows the document as tall as possible. A page that does not let itself be shrunk again is thrown away. */
async function render(
  browserPage: BrowserPage,
  { document, viewport, waitFor, stepAside }: Wanted & { readonly stepAside: StepAside },
  limits: RenderLimits,
): Promise<PageLinks> {
  const { page } = browserPage;
  const { width, height } = viewport;
  const routes = watchRoutes(browserPage.cdp);
  try {
    await page.setViewportSize({ width, height: viewportHeight });
    const toShow = { url: document.url, document, waitFor, stepAside };
    const links = await showDocument(browserPage, toShow, limits, async ({ main, navigationTarget }) => {
      const collected: CollectedPage = JSON.parse(String(await main.evaluate(COLLECT)));
      return linksOf(collected, routes.of(main.frameId), navigationTarget());
    });
    await page.setViewportSize({ width, height });
    return links;
  } finally {
    routes.end();
  }
}

function linksOf(
  { runs, canonicals, base, title, hashRoutes }: CollectedPage,
  routes: string[],
  navigationTarget: string | null,
): PageLinks {
  const addresses = navigationTarget === null ? routes : [...routes, navigationTarget];
  return {
    links: resolvedLinks([...runs, { base, hrefs: addresses }]),
    canonical: firstUrl(canonicals, base),
    title: tidyTitle(title),
    hashRoutes,
  };
}

/** The addresses that a page gives itself without leaving: `pushState`, `replaceState`, `navigation.navigate`. */
interface RouteWatch {
  /** Those of a frame, in the order in which it came to them, at most `routesPerPageMax` of all frames. */
  of(frameId: string): string[];
  end(): void;
}

/** Listens from outside, so that nothing in the page changes for it. */
function watchRoutes(cdp: CDPSession): RouteWatch {
  const routes = new Map<string, string>();
  const listen = ({ frameId, url }: { readonly frameId: string; readonly url: string }): void => {
    if (routes.size < routesPerPageMax) routes.set(`${frameId} ${url}`, url);
  };
  cdp.on('Page.navigatedWithinDocument', listen);
  return {
    of: (frameId) => [...routes].flatMap(([key, url]) => (key.startsWith(`${frameId} `) ? [url] : [])),
    end: () => void cdp.off('Page.navigatedWithinDocument', listen),
  };
}
