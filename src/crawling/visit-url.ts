import type { SentAccess } from '../domain/access-refusal.ts';
import type { FrontierEntry } from '../domain/crawl.ts';
import {
  type DocumentPage,
  type FailedPage,
  type FetchedPage,
  failedPage,
  type Sitemap,
} from '../domain/fetched-page.ts';
import { type Frontier, REDIRECT_CIRCLE } from '../spider/frontier.ts';
import { redirectsMax } from '../spider/limits.ts';
import { OverBudget, type Reservation } from '../spider/memory-budget.ts';
import { createScope } from '../spider/scope.ts';
import type { Judgement, Visit } from '../spider/visit.ts';
import type { Fetch, RobotsGate } from './open-site.ts';
import { createRenderings, type PaidRenderer, type Renderings, type VisitPlace } from './rendering/page-renderings.ts';
import { pagesOfSitemap } from './visit-sitemap.ts';

/** Documents kept until their URLs are visited. Beyond this size, the oldest are forgotten and requested again. */
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

export interface Visitor {
  /** Requests the URL, and follows its redirects and its canonical link. */
  visit(entry: FrontierEntry, place: VisitPlace): Promise<Visit>;
  /** Forgets the answer of a URL whose outcome is known. */
  forget(url: string): void;
}

interface VisitorOptions {
  readonly fetch: Fetch;
  /** Returns the credentials sent to a URL. */
  readonly sentTo: (url: string) => SentAccess | null;
  readonly frontier: Pick<Frontier, 'outcomeOf' | 'redirectStep' | 'canonicalStep' | 'isListed'>;
  readonly judge: (url: string) => Judgement;
  /** Whether to follow links beyond the pages linked from the first ones. */
  readonly deepCrawl: boolean;
  /** Pages taken from sitemaps at most. */
  readonly listedUrlsMax: number;
  readonly robots: RobotsGate;
  /** Null in a crawl without rendering. */
  readonly renderer: PaidRenderer | null;
}

/** The canonical URL of a page. */
interface Canonical {
  readonly url: string;
  readonly end: DocumentPage | null;
  /** Whether it certainly replaces the page that names it, which then need not be rendered. */
  readonly isCertain: boolean;
}

type VisitEnd = Pick<Visit, 'end' | 'canonical'>;

interface Answers {
  request(url: string, place: VisitPlace, isStart?: boolean): Promise<FetchedPage>;
  forget(url: string): void;
}

/** Requests each URL once for all visits that lead to it, as long as its answer is kept. */
function createAnswers({ fetch, robots, listedUrlsMax }: VisitorOptions, renderings: Renderings): Answers {
  const answers = new Map<string, Promise<FetchedPage>>();
  const sizes = new Map<string, number>();
  let keptBytes = 0;

  const forget = (url: string): void => {
    answers.delete(url);
    renderings.forget(url);
    keptBytes -= sizes.get(url) ?? 0;
    sizes.delete(url);
  };

  const keep = (url: string, answer: FetchedPage): void => {
    if (answer.kind !== 'document' || !answers.has(url)) return;
    sizes.set(url, answer.stored.size);
    keptBytes += answer.stored.size;
    for (const oldest of sizes.keys()) {
      if (keptBytes <= KEPT_BYTES_MAX) break;
      forget(oldest);
    }
  };

  /**
   * The answer that another visit requested; null if that visit was over its memory budget. It counts towards the budget of this
   * visit too, because the other visit may end sooner.
   */
  const shared = async (earlier: Promise<FetchedPage>, budget: Reservation): Promise<FetchedPage | null> => {
    const answer = await earlier.catch((error: unknown) => {
      if (error instanceof OverBudget) return null;
      throw error;
    });
    if (answer === null) return null;
    if (!budget.take(answer.kind === 'document' ? answer.stored.size : 0))
      throw new OverBudget('The memory budget has no room for a page that another page leads to.');
    return answer;
  };

  const request = async (url: string, { budget }: VisitPlace, isStart = false): Promise<FetchedPage> => {
    for (let earlier = answers.get(url); earlier !== undefined; earlier = answers.get(url)) {
      const answer = await shared(earlier, budget);
      if (answer !== null) return answer;
    }
    const answer = robots.refusalOf(url).then((refusal): FetchedPage | Promise<FetchedPage> => {
      if (refusal !== null) return { kind: 'robots', failure: refusal };
      return fetch(url, isStart ? { budget, sitemapUrlsMax: listedUrlsMax } : { budget });
    });
    answers.set(url, answer);
    answer.then(
      (known) => keep(url, known),
      () => forget(url),
    );
    return answer;
  };
  return { request, forget };
}

/** Creates a visitor that requests every URL once, however many redirects and canonical links lead to it. */
export function createVisitor(options: VisitorOptions): Visitor {
  const { frontier, judge } = options;
  const renderings = createRenderings(options);
  const { request, forget } = createAnswers(options, renderings);

  /** Returns the canonical URL of a page; null if it is not another document of the site. */
  const canonicalOf = async (url: string, canonical: string | null, place: VisitPlace): Promise<Canonical | null> => {
    const step = frontier.canonicalStep(url, canonical);
    if (step === 'ignore' || canonical === null) return null;
    if (step === 'known') return { url: canonical, end: null, isCertain: frontier.outcomeOf(canonical) === 'page' };
    const answer = await request(canonical, place);
    if (answer.kind !== 'document') return null;
    const end = await renderings.whole(canonical, answer, place);
    return { url: canonical, end, isCertain: end.canonical === null || end.canonical === canonical };
  };

  /** Follows the canonical link of a document and renders it if needed. A page that is certainly replaced is not rendered. */
  const withCanonical = async (
    url: string,
    page: DocumentPage,
    place: VisitPlace,
  ): Promise<VisitEnd & { readonly end: DocumentPage }> => {
    const named = await canonicalOf(url, page.canonical, place);
    if (named?.isCertain === true) return { end: page, canonical: named };
    const end = await renderings.whole(url, page, place);
    const rendered = named === null && page.canonical === null ? await canonicalOf(url, end.canonical, place) : named;
    return { end, canonical: rendered };
  };

  const endAt = async (
    url: string,
    answer: Exclude<FetchedPage, { readonly kind: 'redirect' }>,
    entry: FrontierEntry,
    place: VisitPlace,
  ): Promise<VisitEnd> => {
    if (answer.kind === 'sitemap') {
      const listed = await listedBy(url, answer.sitemap, entry, place, options);
      return { end: { ...answer, ...listed }, canonical: null };
    }
    if (answer.kind !== 'document') return { end: answer, canonical: null };
    const { end, canonical } = await withCanonical(url, answer, place);
    return { end: await withSitemaps(end, url, entry, place, options), canonical };
  };

  const follow = async (entry: FrontierEntry, place: VisitPlace): Promise<Visit> => {
    const hops: string[] = [];
    const hopStatuses: number[] = [];
    const isStart = entry.position === 0;
    for (;;) {
      const url = hops.at(-1) ?? entry.url;
      const answer = await request(url, place, isStart);
      if (answer.kind !== 'redirect') return { hops, hopStatuses, ...(await endAt(url, answer, entry, place)) };
      const step = frontier.redirectStep(entry, hops, answer.location);
      if (step === 'circle' || step === 'too_many') {
        return { hops, hopStatuses, end: redirectFailure(step, options.sentTo(url)), canonical: null };
      }
      hops.push(answer.location);
      hopStatuses.push(answer.httpStatus);
      if (step === 'stop') return { hops, hopStatuses, ...STOPPED };
    }
  };

  return {
    forget,
    async visit(entry, place) {
      if (entry.position === 0) return startSignedIn(entry.url, await follow(entry, place), options.sentTo);
      return judge(entry.url) === 'inside' ? follow(entry, place) : { hops: [], ...STOPPED };
    },
  };
}

/** Returns the pages that a sitemap, and the sitemaps it lists, contain. */
function listedBy(
  url: string,
  sitemap: Sitemap,
  entry: FrontierEntry,
  { budget }: VisitPlace,
  { fetch, listedUrlsMax }: VisitorOptions,
): ReturnType<typeof pagesOfSitemap> {
  const { contains } = createScope({ startingUrl: entry.url, finalUrl: url });
  return pagesOfSitemap(url, sitemap, {
    fetch: (child) =>
      budget.briefly((reservation) => fetch(child, { sitemapUrlsMax: listedUrlsMax, budget: reservation })),
    contains,
    urlsMax: listedUrlsMax,
  });
}

/** In a deep crawl, adds the pages of the sitemaps that robots.txt names to the starting page. */
async function withSitemaps(
  end: DocumentPage,
  url: string,
  entry: FrontierEntry,
  place: VisitPlace,
  options: VisitorOptions,
): Promise<DocumentPage> {
  if (entry.position !== 0 || !options.deepCrawl) return end;
  const { robotsUrl, sitemaps } = await options.robots.sitemapsFor(url);
  if (sitemaps.length === 0) return end;
  const found = await listedBy(robotsUrl, { lists: 'sitemaps', urls: sitemaps, problem: null }, entry, place, options);
  return { ...end, listed: found.listed, sitemaps: found.sitemaps };
}

const STOPPED = { end: { kind: 'stopped' }, canonical: null } as const;

/** Fails the starting page if it redirects to an origin that gets no credentials: without them, the site is another one. */
function startSignedIn(start: string, visit: Visit, sentTo: VisitorOptions['sentTo']): Visit {
  const { hops, end } = visit;
  const url = hops.at(-1) ?? start;
  const sent = sentTo(start);
  if (sent === null || sentTo(url) !== null || end.kind !== 'document') return visit;
  const { httpStatus, document } = end;
  const failure = { code: 'leads_to_other_origin', params: { url, names: sent.names } } as const;
  const failed = failedPage(failure, { httpStatus, contentType: document.contentType });
  return { ...visit, end: failed, canonical: null };
}

/** @param sent the credentials of the request; sites may redirect in a circle because a session has ended */
function redirectFailure(step: 'circle' | 'too_many', sent: SentAccess | null): FailedPage {
  if (step === 'too_many') return failedPage({ code: 'too_many_redirects', params: { max: redirectsMax } });
  if (sent === null) return failedPage(REDIRECT_CIRCLE);
  const failure = { code: 'redirect_circle_despite_sign_in', params: { names: sent.names } } as const;
  return failedPage(failure, { refusesAccess: sent.isSession });
}
