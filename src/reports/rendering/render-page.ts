import { setTimeout as delay } from 'node:timers/promises';
import { BrowserFault } from '../../browser/browser-fault.ts';
import type { BrowserPool, PageRequest } from '../../browser/browser-pool.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { LeftUnparsed } from '../../browser/showing/fulfil-document.ts';
import { framesPerPage } from '../../browser/showing/limits.ts';
import { pageFailure } from '../../browser/showing/page-failure.ts';
import { type ShownPage, showDocument } from '../../browser/showing/show-document.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument } from '../../domain/check.ts';
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
  restPollMs,
  viewportHeight,
} from './limits.ts';
import { type RouteWatch, watchRoutes } from './route-watch.ts';

/** What rendering a document came to. */
export type Rendering =
  | { readonly kind: 'rendered'; readonly found: PageLinks }
  | {
      readonly kind: 'failed';
      /** A sentence for the page's owner. */
      readonly message: string;
      /** Whether a browser has worked on the page, so that it is to be paid for. */
      readonly hasRun: boolean;
      /** What the report says of it, where it is no matter of this page alone. */
      readonly ofReport?: string;
    };

/** Renders a document that was fetched. Throws only the signal's reason, and BrowserFault when the browser is stopped. */
export type RenderPage = (
  document: FetchedDocument,
  options: { readonly cacheGroup: string; readonly signIn?: SignIn | undefined; readonly signal: AbortSignal },
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
  async function show(request: PageRequest, document: FetchedDocument, isLastTrial = false): Promise<PageLinks> {
    const restMs = restUntil - performance.now();
    if (restMs > 0) await delay(restMs, undefined, { signal: request.signal });
    try {
      return await pool.withPage(request, (browserPage) => render(browserPage, document, limits));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      restUntil = performance.now() + limits.browserRestMs;
      if (isLastTrial || restMs > 0) throw error;
      return show(request, document, true);
    }
  }

  /** What becomes of a page after an error; null when it is tried once more. */
  function afterError(error: unknown, url: string, isLastAttempt: boolean): Rendering | null {
    if (error instanceof BrowserFault && error.kind === 'aborted') throw error;
    // As a redirect does, the page stands for another one, which is all that is in it for a reader.
    if (error instanceof LeftUnparsed) {
      const links = resolvedLinks([{ base: url, hrefs: [error.address] }]);
      return rendered({ links, canonical: null, title: null, hashRoutes: 0 });
    }
    if (error instanceof AppError) return notStarted(error);
    const { message, permanent } = pageFailure(error, { name: 'The rendering', timeLimitMs });
    return permanent || isLastAttempt ? { kind: 'failed', message, hasRun: true } : null;
  }

  return async (document, { cacheGroup, signIn, signal }) => {
    const request = { purpose: 'crawl', viewport: DEFAULT_VIEWPORT, cacheGroup, signIn, timeLimitMs, signal } as const;
    let alone = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return rendered(await show({ ...request, alone }, document));
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
  const ofReport = `Pages could not be rendered, so that links which only scripts make are missing. ${message}`;
  return { kind: 'failed', message, hasRun: false, ofReport };
}

async function render(browserPage: BrowserPage, document: FetchedDocument, limits: RenderLimits): Promise<PageLinks> {
  const routes = watchRoutes(browserPage.cdp);
  try {
    return await showDocument(browserPage, { url: document.url, document }, limits, async (shown) => {
      const collected = await stretched(shown, () => collectAtRest(shown, routes, limits));
      return linksOf(collected, routes.of(shown.main.frameId), shown.leadsTo());
    });
  } finally {
    routes.end();
  }
}

/** Does the work while the page is as tall as possible. A page that does not let itself be shrunk again is thrown away. */
async function stretched<T>({ page }: ShownPage, work: () => Promise<T>): Promise<T> {
  const { width, height } = DEFAULT_VIEWPORT;
  await page.setViewportSize({ width, height: viewportHeight });
  const result = await work();
  await page.setViewportSize({ width, height });
  return result;
}

/** What is in the page when its links have come to rest, or when the time for that is over. */
async function collectAtRest(shown: ShownPage, routes: RouteWatch, limits: RenderLimits): Promise<CollectedPage> {
  const { main, requests } = shown;
  const start = performance.now();
  let last = { page: '', routes: 0 };
  let restsSince = start;
  for (;;) {
    const found = { page: String(await main.evaluate(COLLECT)), routes: routes.of(main.frameId).length };
    const now = performance.now();
    const hasChanged = found.page !== last.page || found.routes !== last.routes;
    if (hasChanged || requests.oldestPending() !== null) restsSince = now;
    last = found;
    if (now - restsSince >= limits.restMs || now - start >= limits.restTimeoutMs) return JSON.parse(found.page);
    await delay(restPollMs);
  }
}

function linksOf(
  { runs, canonicals, base, title, hashRoutes }: CollectedPage,
  routes: string[],
  leadsTo: string | null,
): PageLinks {
  const addresses = leadsTo === null ? routes : [...routes, leadsTo];
  return {
    links: resolvedLinks([...runs, { base, hrefs: addresses }]),
    canonical: firstUrl(canonicals, base),
    title: tidyTitle(title),
    hashRoutes,
  };
}
