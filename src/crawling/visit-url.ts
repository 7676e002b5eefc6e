import type { SentAccess } from '../domain/access-refusal.ts';
import type { FrontierEntry, Membership, Visit } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import {
  type DocumentPage,
  type FailedPage,
  type FetchedPage,
  failedPage,
  type ListedUrl,
  type ReadSitemap,
  type Sitemap,
  type SitemapPage,
} from '../domain/fetched-page.ts';
import { sessionEndsMax } from '../logins/limits.ts';
import type { Frontier } from '../spider/frontier.ts';
import { redirectsMax, sitemapDepthMax, sitemapsMax } from '../spider/limits.ts';
import { OverBudget, type Reservation } from '../spider/memory-budget.ts';
import { REDIRECT_CIRCLE } from '../spider/redirects.ts';
import { createScope } from '../spider/scope.ts';
import { createUrlBudget, type SitemapLimit } from '../spider/sitemap.ts';
import type { UrlSelection } from '../spider/url-selection.ts';
import type { Site } from './open-site.ts';
import {
  createRenderings,
  type PaidRenderer,
  type Renderings,
  type VisitContext,
} from './rendering/page-renderings.ts';
import { notKept } from './site-session.ts';

/** Documents kept until their URLs are visited. Beyond this size, the oldest are forgotten and requested again. */
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

export interface Visitor {
  /** Requests the URL, and follows its redirects and its canonical link. */
  visit(entry: FrontierEntry, context: VisitContext): Promise<Visit>;
  /** Forgets the response of a URL whose outcome is known. */
  forget(url: string): void;
}

interface VisitorOptions extends Pick<Site, 'fetch' | 'sentTo' | 'robots' | 'session'> {
  readonly frontier: Pick<Frontier, 'outcomeOf' | 'redirectStep' | 'canonicalStep' | 'isListed'>;
  readonly membershipOf: (url: string) => Membership;
  /** Whether the inclusions of the report allow a URL. */
  readonly includes: UrlSelection['includes'];
  /** Whether to follow links beyond the pages linked from the first ones. */
  readonly deepCrawl: boolean;
  /** Maximum number of pages from sitemaps. */
  readonly listedUrlsMax: number;
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

interface RequestKind {
  /** Whether the URL is the starting URL, or the starting URL leads to it. */
  readonly isStart?: boolean;
  readonly isRedirectTarget?: boolean;
}

interface Answers {
  request(url: string, context: VisitContext, how?: RequestKind): Promise<FetchedPage>;
  forget(url: string): void;
}

/** Requests each URL once for all visits that lead to it, as long as its response is kept. */
function createAnswers({ fetch, robots, ...options }: VisitorOptions, renderings: Renderings): Answers {
  const sitemapLimit = sitemapLimitOf(options);
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
    if (isOfOneVisit(answer)) forget(url);
    if (answer.kind !== 'document' || !answers.has(url)) return;
    sizes.set(url, answer.stored.size);
    keptBytes += answer.stored.size;
    for (const oldest of sizes.keys()) {
      if (keptBytes <= KEPT_BYTES_MAX) break;
      forget(oldest);
    }
  };

  /**
   * The response that another visit requested; null if that visit was over its memory budget, or if its session ended. The
   * response also counts toward the budget of this visit, because the other visit may end sooner.
   */
  const shared = async (earlier: Promise<FetchedPage>, budget: Reservation): Promise<FetchedPage | null> => {
    const answer = await earlier.catch((error: unknown) => {
      if (error instanceof OverBudget) return null;
      throw error;
    });
    if (answer === null || isOfOneVisit(answer)) return null;
    if (!budget.take(answer.kind === 'document' ? answer.stored.size : 0))
      throw new OverBudget('The target of a redirect does not fit into the memory budget.');
    return answer;
  };

  const request: Answers['request'] = async (url, { budget }, { isStart = false, isRedirectTarget = false } = {}) => {
    for (let earlier = answers.get(url); earlier !== undefined; earlier = answers.get(url)) {
      const answer = await shared(earlier, budget);
      if (answer !== null) return answer;
    }
    const answer = robots.refusalOf(url).then((refusal): FetchedPage | Promise<FetchedPage> => {
      if (refusal !== null) return { kind: 'robots', failure: refusal };
      return fetch(url, isStart ? { budget, sitemapLimit } : { budget }, isRedirectTarget);
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

/** Whether the session ended during the only request of a redirect's target: other visits to the URL may have another session. */
function isOfOneVisit(answer: FetchedPage): boolean {
  if (answer.kind !== 'failed' || answer.failure.code !== 'login_not_kept') return false;
  return answer.failure.params.times < sessionEndsMax;
}

/** Creates a visitor that requests every URL once, regardless of the number of redirects and canonical links to it. */
export function createVisitor(options: VisitorOptions): Visitor {
  const { frontier, membershipOf } = options;
  const renderings = createRenderings(options);
  const { request, forget } = createAnswers(options, renderings);

  /** Returns the canonical URL of a page; null if it is not another document of the site. */
  const canonicalOf = async (
    url: string,
    canonical: string | null,
    context: VisitContext,
  ): Promise<Canonical | null> => {
    const step = frontier.canonicalStep(url, canonical);
    if (step === 'ignore' || canonical === null) return null;
    if (step === 'known') return { url: canonical, end: null, isCertain: frontier.outcomeOf(canonical) === 'page' };
    const answer = await request(canonical, context);
    if (answer.kind !== 'document') return null;
    const end = await renderings.whole(canonical, answer, context);
    return { url: canonical, end, isCertain: end.canonical === null || end.canonical === canonical };
  };

  /** Follows the canonical link of a document and renders it if needed. A page that is certainly replaced is not rendered. */
  const withCanonical = async (
    url: string,
    page: DocumentPage,
    context: VisitContext,
  ): Promise<VisitEnd & { readonly end: DocumentPage }> => {
    const named = await canonicalOf(url, page.canonical, context);
    if (named?.isCertain === true) return { end: page, canonical: named };
    const end = await renderings.whole(url, page, context);
    const rendered = named === null && page.canonical === null ? await canonicalOf(url, end.canonical, context) : named;
    return { end, canonical: rendered };
  };

  const endAt = async (
    url: string,
    answer: Exclude<FetchedPage, { readonly kind: 'redirect' }>,
    entry: FrontierEntry,
    context: VisitContext,
  ): Promise<VisitEnd> => {
    if (answer.kind === 'sitemap') {
      const listed = await listedBy(url, answer.sitemap, entry, context, options);
      return { end: { ...answer, ...listed }, canonical: null };
    }
    if (answer.kind !== 'document') return { end: answer, canonical: null };
    const { end, canonical } = await withCanonical(url, answer, context);
    return { end: await withSitemaps(end, url, entry, context, options), canonical };
  };

  /** Follows the redirects of a URL. */
  const followOnce = async (entry: FrontierEntry, context: VisitContext): Promise<Visit> => {
    const hops: string[] = [];
    const hopStatuses: number[] = [];
    const isStart = entry.position === 0;
    for (;;) {
      const url = hops.at(-1) ?? entry.url;
      const answer = await request(url, context, { isStart, isRedirectTarget: hops.length > 0 });
      if (answer.kind !== 'redirect') return { hops, hopStatuses, ...(await endAt(url, answer, entry, context)) };
      const step = frontier.redirectStep(entry, hops, answer.location);
      if (step === 'circle' || step === 'too_many') {
        return { hops, hopStatuses, end: redirectFailure(step, options.sentTo(url)), canonical: null };
      }
      hops.push(answer.location);
      hopStatuses.push(answer.httpStatus);
      if (step === 'stop') return { hops, hopStatuses, ...STOPPED };
    }
  };

  /**
   * Begins once more with the URL itself if the session has ended while its redirects were followed: they led to the login, not
   * to the page.
   */
  const follow = async (entry: FrontierEntry, context: VisitContext): Promise<Visit> => {
    const { session } = options;
    for (let times = 1; ; times += 1) {
      const number = session?.number();
      const visit = await followOnce(entry, context);
      if (session === null || visit.hops.length === 0) return visit;
      // Without a session, many sites redirect in a circle.
      const isCircle = failsWith(visit, 'redirect_circle_despite_sign_in');
      if (session.number() === number && !(isCircle && (await session.lookAgain()))) return visit;
      if (times >= sessionEndsMax) return atItsUrl(visit, times);
      for (const url of [entry.url, ...visit.hops]) forget(url);
    }
  };

  return {
    forget,
    async visit(entry, context) {
      if (entry.position === 0) return startSignedIn(entry.url, await follow(entry, context), options.sentTo);
      const membership = membershipOf(entry.url);
      // Of the URLs that are not included, only initial URLs are in the frontier.
      const isVisited = membership === 'inside' || membership === 'not_included';
      return isVisited ? follow(entry, context) : { hops: [], ...STOPPED };
    },
  };
}

function failsWith({ end }: Visit, code: Failure['code']): boolean {
  return end.kind === 'failed' && end.failure.code === code;
}

/** Returns a visit without redirects if they led to the login each time. */
function atItsUrl(visit: Visit, times: number): Visit {
  return failsWith(visit, 'login_not_kept') ? { hops: [], end: notKept(times), canonical: null } : visit;
}

/** Returns the pages that a sitemap, and the sitemaps it lists, contain. */
function listedBy(
  url: string,
  sitemap: Sitemap,
  entry: FrontierEntry,
  { budget }: VisitContext,
  options: VisitorOptions,
): ReturnType<typeof pagesOfSitemap> {
  const { fetch, listedUrlsMax: urlsMax, includes } = options;
  const { contains } = createScope({ startingUrl: entry.url, finalUrl: url });
  const sitemapLimit = sitemapLimitOf(options);
  return pagesOfSitemap(url, sitemap, {
    fetch: (child) => budget.briefly((reservation) => fetch(child, { sitemapLimit, budget: reservation })),
    contains,
    includes,
    urlsMax,
  });
}

/** URLs that are not included must not displace pages. */
function sitemapLimitOf({ listedUrlsMax, includes }: Pick<VisitorOptions, 'listedUrlsMax' | 'includes'>): SitemapLimit {
  return { urlsMax: listedUrlsMax, counts: includes };
}

/** In a deep crawl, adds the pages of the sitemaps that robots.txt names to the starting page. */
async function withSitemaps(
  end: DocumentPage,
  url: string,
  entry: FrontierEntry,
  context: VisitContext,
  options: VisitorOptions,
): Promise<DocumentPage> {
  if (entry.position !== 0 || !options.deepCrawl) return end;
  const { robotsUrl, sitemaps } = await options.robots.sitemapsFor(url);
  if (sitemaps.length === 0) return end;
  const found = await listedBy(
    robotsUrl,
    { lists: 'sitemaps', urls: sitemaps, problem: null },
    entry,
    context,
    options,
  );
  return { ...end, listed: found.listed, sitemaps: found.sitemaps };
}

const STOPPED = { end: { kind: 'stopped' }, canonical: null } as const;

/** Fails the starting page if it redirects to an origin that gets no credentials: without them, the site is a different one. */
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

/** The pages that a sitemap lists, and the sitemaps read, in order. */
type ListedPages = Required<Pick<SitemapPage, 'listed' | 'sitemaps' | 'failure'>>;

interface SitemapSource {
  /** Requests a URL that may be a sitemap. */
  readonly fetch: (url: string) => Promise<FetchedPage>;
  /** Whether a URL belongs to the site. Sitemaps of other sites are not requested. */
  readonly contains: (url: string) => boolean;
  readonly includes: UrlSelection['includes'];
  /**
   * How many included pages of the site to collect; equally many that are not included, and equally many of other sites, are
   * collected, too.
   */
  readonly urlsMax: number;
}

/** Reads a sitemap and the sitemaps that it lists, in order, until there are enough pages. */
async function pagesOfSitemap(url: string, sitemap: Sitemap, source: SitemapSource): Promise<ListedPages> {
  const listed = new Map<string, ListedUrl>();
  const sitemaps: ReadSitemap[] = [];
  const known = new Set([url]);
  const inside = createUrlBudget(source.urlsMax);
  const notIncluded = createUrlBudget(source.urlsMax);
  const offSite = createUrlBudget(source.urlsMax);

  const add = (page: ListedUrl): void => {
    if (listed.has(page.url)) return;
    const budget = !source.contains(page.url) ? offSite : source.includes(page.url) ? inside : notIncluded;
    if (budget.isFull()) return;
    budget.take(page.url);
    listed.set(page.url, page);
  };
  let numNotRead = 0;
  const take = async (from: string, { lists, urls }: Sitemap, depth: number): Promise<void> => {
    for (const listedUrl of urls) {
      if (inside.isFull()) return;
      if (lists === 'pages') add({ url: listedUrl, linkedFrom: from });
      else if (known.has(listedUrl)) continue;
      else if (known.size > sitemapsMax) numNotRead += 1;
      else {
        known.add(listedUrl);
        await follow(listedUrl, from, depth + 1);
      }
    }
  };
  const follow = async (child: string, linkedFrom: string, depth: number): Promise<void> => {
    const { sitemap, ...answer } = depth > sitemapDepthMax ? NESTED_TOO_DEEP : await readSitemapAt(child, source);
    sitemaps.push({ url: child, linkedFrom, ...answer });
    if (sitemap !== null) await take(child, sitemap, depth);
  };

  await take(url, sitemap, 0);
  const tooMany = { code: 'sitemap_lists_too_many', params: { max: sitemapsMax, not_read: numNotRead } } as const;
  const failure = sitemap.problem ?? (numNotRead === 0 ? null : tooMany);
  return { listed: [...listed.values()], sitemaps, failure };
}

interface SitemapAnswer extends Pick<ReadSitemap, 'redirects' | 'httpStatus' | 'problem'> {
  /** Null if there is none. */
  readonly sitemap: Sitemap | null;
}

const NESTED_TOO_DEEP: SitemapAnswer = {
  redirects: [],
  httpStatus: null,
  problem: { code: 'sitemap_nested_too_deep', params: {} },
  sitemap: null,
};

/** Returns the sitemap at a URL or at the end of its redirects, or why there is none. */
async function readSitemapAt(url: string, { fetch, contains }: SitemapSource): Promise<SitemapAnswer> {
  const redirects: { readonly location: string; readonly httpStatus: number }[] = [];
  const none = (problem: Failure, httpStatus: number | null): SitemapAnswer => {
    return { redirects, httpStatus, problem, sitemap: null };
  };
  for (let current = url; redirects.length <= redirectsMax; ) {
    if (!contains(current)) return none({ code: 'sitemap_elsewhere', params: {} }, null);
    const outcome = await fetch(current);
    switch (outcome.kind) {
      case 'sitemap':
        return { ...outcome, redirects, problem: outcome.sitemap.problem };
      case 'redirect':
        redirects.push(outcome);
        current = outcome.location;
        break;
      case 'failed':
        return none(outcome.failure, outcome.httpStatus);
      case 'document':
        return none({ code: 'sitemap_is_html', params: {} }, outcome.httpStatus);
      case 'robots':
      case 'stopped':
        throw new Error(`Unexpected result for a sitemap: ${outcome.kind}.`);
      case 'not_html':
        return none({ code: 'sitemap_is_other', params: { content_type: outcome.contentType } }, outcome.httpStatus);
    }
  }
  return none({ code: 'sitemap_redirects', params: { max: redirectsMax } }, null);
}
