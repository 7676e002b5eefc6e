import type { Frontier } from '../../spider/frontier.ts';
import type { Reservation } from '../../spider/memory-budget.ts';
import { mergedLinks } from '../../spider/page-links.ts';
import type { DocumentEnd, EndAnswer } from '../page-end.ts';
import type { PaidRenderer } from './paid-rendering.ts';
import type { Rendering } from './render-page.ts';

/** Where a visit stands among the others. */
export interface VisitPlace {
  /** Links away from the starting and initial URLs. */
  readonly depth: number;
  /** Resolves when what every earlier visit found is saved. */
  readonly turn: Promise<void>;
  /** What the visit's documents take room of, until it is saved. */
  readonly budget: Reservation;
}

export interface Renderings {
  /** The answer with what rendering adds to it, where it is a document whose links are followed. Each is rendered once. */
  whole(url: string, answer: EndAnswer, place: VisitPlace): Promise<EndAnswer>;
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
  const known = new Map<string, Promise<EndAnswer>>();
  return {
    async whole(url, answer, { depth, turn }) {
      const { end } = answer;
      const followsLinks = !frontier.isListed() && (deepCrawl || depth === 0);
      if (renderer === null || end.kind !== 'document' || !followsLinks) return answer;
      const refusal = known.has(url) ? null : await renderer.refusal(turn);
      if (refusal !== null) return withRendering(answer, end, refusal);
      const rendering =
        known.get(url) ?? renderer.render(end.document).then((found) => withRendering(answer, end, found));
      known.set(url, rendering);
      return rendering;
    },
    forget: (url) => void known.delete(url),
  };
}

/** The server's own words come first: what it sent names the canonical URL, and its links lead the others. */
function withRendering(answer: EndAnswer, end: DocumentEnd, rendering: Rendering): EndAnswer {
  if (rendering.kind === 'failed') {
    const { hasRun, error, ofReport } = rendering;
    return { ...answer, end: { ...end, rendering: { hasRun, error, ofReport } } };
  }
  const { links, canonical, title, hashRoutes } = rendering.found;
  const whole = {
    links: mergedLinks(end.links, links),
    linksAsSent: end.links,
    title: title ?? end.title,
    hashRoutes: Math.max(hashRoutes, end.hashRoutes),
  };
  return {
    ...answer,
    end: { ...end, ...whole, rendering: { hasRun: true, error: null } },
    canonical: answer.canonical ?? canonical,
  };
}
