import type { FetchedDocument } from '../../domain/check.ts';
import type { DocumentPage } from '../../domain/fetched-page.ts';
import type { Frontier } from '../../spider/frontier.ts';
import { fetchesInFlightMax } from '../../spider/limits.ts';
import type { Reservation } from '../../spider/memory-budget.ts';
import { mergedLinks } from '../../spider/page-links.ts';
import { creditsLeft, payerOfReport, shortageOf } from '../../store/credits/credits.ts';
import type { Database } from '../../store/database.ts';
import { enabledChecks } from '../../store/pages/checks.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report while there are credits. The credit is taken when the page is saved. */
export interface PaidRenderer {
  /**
   * Returns the failure of a page that cannot be rendered and checked for lack of credits; null if there are enough credits.
   * @param earlierSaved resolves when every page before it is saved
   */
  refusal(earlierSaved: Promise<void>): Promise<Rendering | null>;
  render(document: FetchedDocument): Promise<Rendering>;
}

/** Maximum number of unsaved pages: pages in progress, and as many that are being saved. */
const UNSAVED_PAGES_MAX = 2 * fetchesInFlightMax;

/**
 * If the credits may not suffice for all pages in progress, each page waits until the pages before it are saved and paid for, so
 * that timing does not decide which pages are rendered.
 */
export async function createPaidRenderer(
  db: Database,
  renderPage: RenderPage,
  reportId: string,
  { waitFor, signal }: { readonly waitFor: string | null; readonly signal: AbortSignal },
): Promise<PaidRenderer> {
  const pagePrice = 1 + (await enabledChecks(db, reportId)).length;

  return {
    async refusal(earlierSaved) {
      const spender = await payerOfReport(db, reportId);
      if (creditsLeft(spender) === null || shortageOf(spender, UNSAVED_PAGES_MAX * pagePrice) === null) return null;
      await earlierSaved;
      const payer = shortageOf(await payerOfReport(db, reportId), pagePrice);
      if (payer === null) return null;
      const params = { payer };
      const error = { code: 'credits_over_for_rendering', params } as const;
      return { kind: 'failed', error, hasRun: false, ofReport: { code: 'credits_over_in_crawl', params } };
    },
    render: (document) => renderPage(document, { cacheGroup: reportId, waitFor, signal }),
  };
}

/** The context of a visit. */
export interface VisitContext {
  /** Number of links from the starting and initial URLs. */
  readonly depth: number;
  /** Resolves when the results of all earlier visits are saved. */
  readonly earlierSaved: Promise<void>;
  /** The memory budget of the visit's documents, until it is saved. */
  readonly budget: Reservation;
}

export interface Renderings {
  /** Returns the page with what rendering adds to it, if its links are followed. Each URL is rendered once. */
  whole(url: string, page: DocumentPage, context: VisitContext): Promise<DocumentPage>;
  /** Forgets the rendering of a URL whose outcome is known. */
  forget(url: string): void;
}

interface RenderingOptions {
  readonly frontier: Pick<Frontier, 'isListed'>;
  /** Whether to follow links beyond the pages linked from the first ones. */
  readonly deepCrawl: boolean;
  /** Null in a crawl without rendering. */
  readonly renderer: PaidRenderer | null;
}

/** The renderings of one report's pages, each made once. */
export function createRenderings({ renderer, frontier, deepCrawl }: RenderingOptions): Renderings {
  const known = new Map<string, Promise<DocumentPage>>();
  return {
    async whole(url, page, { depth, earlierSaved }) {
      const followsLinks = !frontier.isListed() && (deepCrawl || depth === 0);
      if (renderer === null || !followsLinks) return page;
      const refusal = known.has(url) ? null : await renderer.refusal(earlierSaved);
      if (refusal !== null) return withRendering(page, refusal);
      const rendering = known.get(url) ?? renderer.render(page.document).then((found) => withRendering(page, found));
      known.set(url, rendering);
      return rendering;
    },
    forget: (url) => void known.delete(url),
  };
}

/** Adds a rendering to a page. The document's own canonical URL takes precedence, and its links come first. */
function withRendering(page: DocumentPage, rendering: Rendering): DocumentPage {
  if (rendering.kind === 'failed') {
    const { hasRun, error, ofReport } = rendering;
    return { ...page, rendering: { hasRun, error, ofReport } };
  }
  const { links, signOuts, canonical, title, hashRoutes } = rendering.found;
  return {
    ...page,
    links: mergedLinks(page.links, links),
    linksAsSent: page.links,
    signOuts: mergedLinks(page.signOuts ?? [], signOuts),
    title: title ?? page.title,
    hashRoutes: Math.max(hashRoutes, page.hashRoutes),
    canonical: page.canonical ?? canonical,
    rendering: { hasRun: true, error: null },
  };
}
