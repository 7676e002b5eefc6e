import type { DocumentPage } from '../../domain/fetched-page.ts';
import type { Frontier } from '../../spider/frontier.ts';
import type { Reservation } from '../../spider/memory-budget.ts';
import { mergedLinks } from '../../spider/page-links.ts';
import type { PaidRenderer } from './paid-rendering.ts';
import type { Rendering } from './render-page.ts';

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
