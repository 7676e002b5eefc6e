import type { FetchedDocument } from '../../domain/check.ts';
import type { DocumentPage } from '../../domain/fetched-page.ts';
import type { Frontier } from '../../spider/frontier.ts';
import { fetchesInFlightMax } from '../../spider/limits.ts';
import type { Reservation } from '../../spider/memory-budget.ts';
import { mergedLinks } from '../../spider/page-links.ts';
import { enabledChecks } from '../../store/checks.ts';
import { creditsLeft, payerOfReport, shortageOf } from '../../store/credits.ts';
import type { Database } from '../../store/database.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report while there are credits for it. Saving a rendered page takes the credit. */
export interface PaidRenderer {
  /**
   * What becomes of a page instead when there are no credits for rendering and checking it; null when there are.
   * @param earlierSaved resolves when every page before it is saved
   */
  refusal(earlierSaved: Promise<void>): Promise<Rendering | null>;
  render(document: FetchedDocument): Promise<Rendering>;
}

/** Unsaved pages at most: those under way, and as many that are just being saved. */
const UNSAVED_PAGES_MAX = 2 * fetchesInFlightMax;

/**
 * Where credits are too few for all pages under way, each page waits until those before it are saved and paid for, so that
 * timing does not decide which of them are rendered.
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

/** Where a visit stands among the others. */
export interface VisitPlace {
  /** Links away from the starting and initial URLs. */
  readonly depth: number;
  /** Resolves when what every earlier visit found is saved. */
  readonly earlierSaved: Promise<void>;
  /** What the visit's documents take room of, until it is saved. */
  readonly budget: Reservation;
}

export interface Renderings {
  /** The page with what rendering adds to it, where its links are followed. Each is rendered once. */
  whole(url: string, page: DocumentPage, place: VisitPlace): Promise<DocumentPage>;
  /** Forgets the rendering of a URL that is settled. */
  forget(url: string): void;
}

interface RenderingOptions {
  readonly frontier: Pick<Frontier, 'isListed'>;
  /** Whether pages beyond those linked from the first ones are wanted. */
  readonly deepCrawl: boolean;
  /** Null in a crawl that takes documents as they are sent. */
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

/** The server's own words come first: what it sent names the canonical URL, and its links lead the others. */
function withRendering(page: DocumentPage, rendering: Rendering): DocumentPage {
  if (rendering.kind === 'failed') {
    const { hasRun, error, ofReport } = rendering;
    return { ...page, rendering: { hasRun, error, ofReport } };
  }
  const { links, canonical, title, hashRoutes } = rendering.found;
  return {
    ...page,
    links: mergedLinks(page.links, links),
    linksAsSent: page.links,
    title: title ?? page.title,
    hashRoutes: Math.max(hashRoutes, page.hashRoutes),
    canonical: page.canonical ?? canonical,
    rendering: { hasRun: true, error: null },
  };
}
