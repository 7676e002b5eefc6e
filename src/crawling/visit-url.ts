import type { SentAccess } from '../domain/access-refusal.ts';
import type { FrontierEntry } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { extractLinks } from '../spider/extract-links.ts';
import type { Expectation, FetchOutcome } from '../spider/fetch-page.ts';
import type { Frontier } from '../spider/frontier.ts';
import { redirectsMax } from '../spider/limits.ts';
import { OverBudget, type Reservation } from '../spider/memory-budget.ts';
import { createScope } from '../spider/scope.ts';
import type { Sitemap } from '../spider/sitemap.ts';
import { type Judgement, REDIRECT_CIRCLE, type Visit } from '../spider/visit.ts';
import { packDocument } from '../store/documents.ts';
import type { EndAnswer, PageEnd } from './page-end.ts';
import { createRenderings, type Renderings, type VisitPlace } from './rendering/page-renderings.ts';
import type { PaidRenderer } from './rendering/paid-rendering.ts';
import type { RobotsGate } from './robots-gate.ts';
import { pagesOfSitemap, type SitemapPages } from './visit-sitemap.ts';

/** Answers of a crawl kept for the URLs' own turns. Beyond it the oldest are forgotten and would be requested again. */
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

type Answer =
  | { readonly kind: 'sitemap'; readonly httpStatus: number; readonly sitemap: Sitemap }
  | { readonly kind: 'redirect'; readonly httpStatus: number; readonly location: string }
  | EndAnswer;

export interface Visitor {
  /** Requests the URL, follows its redirects and a canonical link, and gives where that led. */
  visit(entry: FrontierEntry, place: VisitPlace): Promise<Visit<PageEnd>>;
  /** Forgets the answer of a URL that is settled. */
  forget(url: string): void;
}

/** One request for a URL, at the report's rate. */
export type Fetch = (url: string, expectation?: Expectation) => Promise<FetchOutcome>;

interface VisitorOptions {
  readonly fetch: Fetch;
  /** What a request for the URL signs in with. */
  readonly sentTo: (url: string) => SentAccess | null;
  readonly frontier: Pick<Frontier, 'outcomeOf' | 'isListed'>;
  readonly judge: (url: string) => Judgement;
  readonly preferCanonicalUrls: boolean;
  /** Whether pages beyond those linked from the first ones are wanted. */
  readonly deepCrawl: boolean;
  /** Pages wanted from sitemaps. */
  readonly listedUrlsMax: number;
  readonly robots: RobotsGate;
  /** Null in a crawl that takes documents as they are sent. */
  readonly renderer: PaidRenderer | null;
}

/** What a canonical link of a page stands for. */
interface Canonical {
  readonly url: string;
  readonly end: PageEnd | null;
  /** Whether the page that names it cannot become a page of the report itself, so that it need not be rendered. */
  readonly isCertain: boolean;
}

interface Answers {
  request(url: string, place: VisitPlace, isStart?: boolean): Promise<Answer>;
  forget(url: string): void;
}

/** Requests each URL once for all visits that lead to it, as far as answers can be kept. */
function createAnswers({ fetch, robots, listedUrlsMax }: VisitorOptions, renderings: Renderings): Answers {
  const answers = new Map<string, Promise<Answer>>();
  const sizes = new Map<string, number>();
  let keptBytes = 0;

  const forget = (url: string): void => {
    answers.delete(url);
    renderings.forget(url);
    keptBytes -= sizes.get(url) ?? 0;
    sizes.delete(url);
  };

  const keep = (url: string, answer: Answer): void => {
    if (answer.kind !== 'end' || answer.end.kind !== 'document' || !answers.has(url)) return;
    sizes.set(url, answer.end.document.body.byteLength);
    keptBytes += answer.end.document.body.byteLength;
    for (const oldest of sizes.keys()) {
      if (keptBytes <= KEPT_BYTES_MAX) break;
      forget(oldest);
    }
  };

  /** What another visit requested; null when it had no room. It takes room here, too: the other may be over sooner. */
  const shared = async (earlier: Promise<Answer>, budget: Reservation): Promise<Answer | null> => {
    const answer = await earlier.catch((error: unknown) => {
      if (error instanceof OverBudget) return null;
      throw error;
    });
    if (answer === null) return null;
    const bytes = answer.kind === 'end' && answer.end.kind === 'document' ? answer.end.document.body.byteLength : 0;
    if (!budget.take(bytes)) throw new OverBudget('There is no room for a page that another one leads to.');
    return answer;
  };

  const request = async (url: string, { budget }: VisitPlace, isStart = false): Promise<Answer> => {
    for (let earlier = answers.get(url); earlier !== undefined; earlier = answers.get(url)) {
      const answer = await shared(earlier, budget);
      if (answer !== null) return answer;
    }
    const answer = robots.refusalOf(url).then(async (refusal): Promise<Answer> => {
      if (refusal !== null) return { kind: 'end', end: { kind: 'robots', failure: refusal }, canonical: null };
      return toAnswer(await fetch(url, isStart ? { budget, sitemapUrlsMax: listedUrlsMax } : { budget }));
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

/** A visitor that requests every URL once, however many redirects and canonical links lead to it. */
export function createVisitor(options: VisitorOptions): Visitor {
  const { frontier, judge, preferCanonicalUrls } = options;
  const renderings = createRenderings(options);
  const { request, forget } = createAnswers(options, renderings);

  /** What a canonical link stands for: null when it does not lead to another document of the site. */
  const canonicalOf = async (url: string, canonical: string | null, place: VisitPlace): Promise<Canonical | null> => {
    if (!preferCanonicalUrls || frontier.isListed() || canonical === null || canonical === url) return null;
    if (judge(canonical) !== 'inside') return null;
    const outcome = frontier.outcomeOf(canonical);
    if (outcome === 'page' || outcome === 'duplicate') {
      return { url: canonical, end: null, isCertain: outcome === 'page' };
    }
    if (outcome !== 'waiting' && outcome !== 'unknown') return null;
    const answer = await request(canonical, place);
    if (answer.kind !== 'end' || answer.end.kind !== 'document') return null;
    const whole = await renderings.whole(canonical, answer, place);
    return { url: canonical, end: whole.end, isCertain: whole.canonical === null || whole.canonical === canonical };
  };

  /** Where a visit ended, and what stands for it. A page that another one stands for is not rendered for nothing. */
  const conclude = async (
    url: string,
    answer: EndAnswer,
    place: VisitPlace,
  ): Promise<Pick<Visit<PageEnd>, 'end' | 'canonical'>> => {
    const named = await canonicalOf(url, answer.canonical, place);
    if (named?.isCertain === true) return { end: answer.end, canonical: named };
    const { end, canonical } = await renderings.whole(url, answer, place);
    return { end, canonical: named ?? (answer.canonical === null ? await canonicalOf(url, canonical, place) : null) };
  };

  /** Whether a redirect is worth following. The starting URL's redirects tell what the site is. */
  const mayRequest = (url: string, isStart: boolean): boolean =>
    frontier.outcomeOf(url) === 'unknown' && (isStart || judge(url) === 'inside');

  const follow = async (entry: FrontierEntry, place: VisitPlace): Promise<Visit<PageEnd>> => {
    const hops: string[] = [];
    const hopStatuses: number[] = [];
    const isStart = entry.position === 0;
    for (;;) {
      const url = hops.at(-1) ?? entry.url;
      const answer = await request(url, place, isStart);
      if (answer.kind === 'sitemap') {
        const { kind, httpStatus, sitemap } = answer;
        const end: PageEnd = { kind, httpStatus, ...(await listedBy(url, sitemap, entry, place, options)) };
        return { hops, hopStatuses, end, canonical: null };
      }
      if (answer.kind === 'end') {
        const { end, canonical } = await conclude(url, answer, place);
        return { hops, hopStatuses, end: await withSitemaps(end, url, entry, place, options), canonical };
      }
      const fault = redirectFault([entry.url, ...hops], answer.location, options.sentTo(url));
      if (fault !== null) return { hops, hopStatuses, end: fault, canonical: null };
      hops.push(answer.location);
      hopStatuses.push(answer.httpStatus);
      if (!mayRequest(answer.location, isStart)) return { hops, hopStatuses, ...STOPPED };
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

/** The pages that sitemaps list, from one at a URL of the site on. */
function listedBy(
  url: string,
  sitemap: Sitemap,
  entry: FrontierEntry,
  { budget }: VisitPlace,
  { fetch, listedUrlsMax }: VisitorOptions,
): Promise<SitemapPages> {
  const { contains } = createScope({ startingUrl: entry.url, finalUrl: url });
  return pagesOfSitemap(url, sitemap, {
    fetch: (child) => budget.briefly((lease) => fetch(child, { sitemapUrlsMax: listedUrlsMax, budget: lease })),
    contains,
    urlsMax: listedUrlsMax,
  });
}

/** In a deep crawl, the starting page leads to the pages of the sitemaps that the site's robots.txt names, too. */
async function withSitemaps(
  end: PageEnd,
  url: string,
  entry: FrontierEntry,
  place: VisitPlace,
  options: VisitorOptions,
): Promise<PageEnd> {
  if (entry.position !== 0 || end.kind !== 'document' || !options.deepCrawl) return end;
  const { robotsUrl, sitemaps } = await options.robots.sitemapsFor(url);
  if (sitemaps.length === 0) return end;
  const found = await listedBy(robotsUrl, { lists: 'sitemaps', urls: sitemaps, problem: null }, entry, place, options);
  return { ...end, listed: found.listed, sitemaps: found.sitemaps };
}

const STOPPED = { end: { kind: 'stopped' }, canonical: null } as const;

/** Where the starting URL leads to a page that nothing which signs in is sent to, it has failed: strangers see another site. */
function startSignedIn(start: string, visit: Visit<PageEnd>, sentTo: VisitorOptions['sentTo']): Visit<PageEnd> {
  const { hops, end } = visit;
  const url = hops.at(-1) ?? start;
  const sent = sentTo(start);
  if (sent === null || sentTo(url) !== null || end.kind !== 'document') return visit;
  const { httpStatus, document } = end;
  const failure = { code: 'leads_to_other_origin', params: { url, names: sent.names } } as const;
  const failed = { kind: 'failed', httpStatus, contentType: document.contentType, failure } as const;
  return { ...visit, end: failed, canonical: null };
}

/** Why a redirect is not followed, or null when it may be. */
function redirectFault(passed: readonly string[], location: string, sent: SentAccess | null): PageEnd | null {
  const failed = (failure: Failure) => ({ kind: 'failed', httpStatus: null, contentType: '', failure }) as const;
  if (passed.includes(location)) {
    if (sent === null) return failed(REDIRECT_CIRCLE);
    const { names, isSession } = sent;
    const failure = { code: 'redirect_circle_despite_sign_in', params: { names } } as const;
    return { ...failed(failure), refusesAccess: isSession };
  }
  if (passed.length <= redirectsMax) return null;
  return failed({ code: 'too_many_redirects', params: { max: redirectsMax } });
}

async function toAnswer(outcome: FetchOutcome): Promise<Answer> {
  switch (outcome.kind) {
    case 'redirect':
      return outcome;
    case 'sitemap':
      return outcome;
    case 'other':
      return { kind: 'end', end: notHtml(outcome), canonical: null };
    case 'error':
      return { kind: 'end', end: { ...outcome, kind: 'failed' }, canonical: null };
    case 'document': {
      const { document } = outcome;
      const { canonical, ...found } = extractLinks(document);
      const stored = await packDocument(document.body);
      return {
        kind: 'end',
        end: { kind: 'document', httpStatus: document.httpStatus, document, stored, ...found },
        canonical,
      };
    }
  }
}

function notHtml({ httpStatus, contentType }: { httpStatus: number; contentType: string }): PageEnd {
  const failure = { code: 'not_html', params: { content_type: contentType } } as const;
  return { kind: 'not_html', httpStatus, contentType, failure };
}
