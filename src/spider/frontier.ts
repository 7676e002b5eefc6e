/**
 * The policy of a crawl, pure: which URL comes next and what becomes of each. The frontier hears of visits in the order
 * of their positions, whatever order the answers came in, so the same site always gives the same pages in the same order.
 */

import type { DiscoveredUrl, FrontierEntry, KnownUrl, UrlOutcome } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type FetchedPage, failedPage, type WebPageContent } from '../domain/fetched-page.ts';
import { createDiscovery } from './discovery.ts';
import { createKnownUrls, type KnownUrlsLimits } from './known-urls.ts';
import type { Judgement, Visit } from './visit.ts';

/** What is told of a page whose redirects lead back to it. */
export const REDIRECT_CIRCLE: Failure = { code: 'redirect_circle', params: {} };

export interface RecordedVisit {
  /** The page that this visit adds to the report, or null. */
  readonly page: {
    readonly url: string;
    readonly linkedFrom: string | null;
    readonly content: WebPageContent;
  } | null;
  /** URLs that are new or whose outcome is known now. */
  readonly changed: readonly DiscoveredUrl[];
  /** How many URLs were found that there was no room for. */
  readonly notKept: number;
}

export interface FrontierOptions extends KnownUrlsLimits {
  readonly maxPages: number;
  /** Links are followed from pages up to this depth: Infinity for a deep crawl, else 0. */
  readonly linkDepthMax: number;
  /** How many visits may be under way at a time. */
  readonly visitsInFlightMax: number;
  /** Whether a canonical URL stands for a page that names it. */
  readonly preferCanonicalUrls: boolean;
  judge(url: string): Judgement;
}

export interface Frontier {
  /** The next URL to visit; null when none may be begun now. Never begins more than could become pages. */
  next(): FrontierEntry | null;
  /** What became of a URL so far. */
  outcomeOf(url: string): UrlOutcome | 'unknown';
  /**
   * Whether a redirect in the visit of an entry may be followed to a URL: to a new one of the site that no exclusion leaves
   * out. The starting URL's redirects tell what the site is, so they are not judged by it. robots.txt and the network are
   * asked when it is requested.
   */
  mayFollow(entry: FrontierEntry, url: string): boolean;
  /**
   * What is to be done about the canonical URL that the page at a URL names: nothing, nothing since it is known already, or
   * to request it.
   */
  canonicalStep(url: string, canonical: string | null): 'ignore' | 'known' | 'request';
  /** Takes note of a visit. Must be called in the order in which `next` gave the URLs. */
  record(entry: FrontierEntry, visit: Visit): RecordedVisit;
  numPages(): number;
  /** Whether the pages are those that a sitemap lists, so that neither links nor canonical links add others. */
  isListed(): boolean;
  /** Whether what was found fills so much that the crawl ends, whatever waits. */
  isFull(): boolean;
}

/** A frontier over what was discovered so far: only the starting and initial URLs for a new crawl. */
export function createFrontier(options: FrontierOptions, discovered: readonly KnownUrl[]): Frontier {
  const known = createKnownUrls(discovered, options);
  const waiting: FrontierEntry[] = discovered.filter(({ outcome }) => outcome === 'waiting');
  waiting.sort((a, b) => a.position - b.position);
  let cursor = 0;
  let inFlight = 0;
  const discovery = createDiscovery(known, {
    ...options,
    // Other sitemaps have been found somewhere.
    isListed: discovered.some(({ outcome, linkedFrom }) => outcome === 'sitemap' && linkedFrom === null),
    judge: (url) => options.judge(url),
    enqueue: (entry) => waiting.push(entry),
  });

  /** A page that was deleted has had its place among `maxPages`. */
  const numPages = (): number => known.numOf('page') + known.numOf('failed') + known.numOf('deleted');

  const mayFollow: Frontier['mayFollow'] = (entry, url) =>
    !known.has(url) && (entry.position === 0 || options.judge(url) === 'inside');

  const admit = (entry: FrontierEntry, content: WebPageContent): RecordedVisit['page'] => {
    known.note(entry, content.kind === 'document' ? 'page' : 'failed', answerOf(content));
    if (content.kind === 'document') discovery.followLinks(content, entry);
    return { url: entry.url, linkedFrom: entry.linkedFrom, content };
  };

  /** Follows the visit's redirects. Gives the entry that answered, or null when another visit takes care of it. */
  const followRedirects = (entry: FrontierEntry, { hops, hopStatuses = [] }: Visit): FrontierEntry | null => {
    const stop = hops.findIndex((hop) => !mayFollow(entry, hop));
    const target = hops.at(stop);
    if (target === undefined) return entry;
    const httpStatus = (index: number): number | null => hopStatuses[index] ?? null;
    for (const [index, hop] of hops.slice(0, stop === -1 ? -1 : stop).entries()) {
      discovery.noteHop(hop, entry, { target, httpStatus: httpStatus(index + 1) });
    }
    known.note(entry, 'redirected', { target, httpStatus: httpStatus(0) });
    if (stop === -1) return known.entryOf(target, entry);
    discovery.discover(target, entry, 'waiting');
    return null;
  };

  const followCanonical = (
    self: FrontierEntry,
    end: WebPageContent,
    canonical: Visit['canonical'],
  ): RecordedVisit['page'] => {
    if (canonical === null || canonical.url === self.url) return admit(self, end);
    const isKnown = known.has(canonical.url);
    if (isKnown && !known.isTakenCareOf(canonical.url, self.url)) return admit(self, end);
    known.note(self, 'duplicate', { ...answerOf(end), target: canonical.url });
    const page = isKnown || canonical.end === null ? null : admit(known.entryOf(canonical.url, self), canonical.end);
    if (end.kind === 'document') discovery.followDuplicate(end, self);
    return page;
  };

  const decide = (entry: FrontierEntry, visit: Visit): RecordedVisit['page'] => {
    const self = followRedirects(entry, visit);
    if (self === null) return known.leadsBack(entry.url) ? admit(entry, failedPage(REDIRECT_CIRCLE)) : null;
    const { end } = visit;
    if (end.kind === 'document' || end.kind === 'failed') return followCanonical(self, end, visit.canonical);
    if (end.kind === 'stopped' || end.kind === 'redirect') {
      known.note(self, leftOut(self.url, options.judge(self.url)));
      return null;
    }
    known.note(self, end.kind, answerOf(end));
    if (end.kind === 'sitemap') discovery.followSitemap(end, self);
    return null;
  };

  return {
    next() {
      const entry = waiting[cursor];
      if (entry === undefined || inFlight >= options.visitsInFlightMax) return null;
      if (known.isFull() || numPages() + inFlight >= options.maxPages) return null;
      cursor += 1;
      inFlight += 1;
      return entry;
    },
    outcomeOf: known.outcomeOf,
    mayFollow,
    canonicalStep(url, canonical) {
      if (!options.preferCanonicalUrls || discovery.isListed() || canonical === null || canonical === url)
        return 'ignore';
      return options.judge(canonical) === 'inside' ? (STEPS[known.outcomeOf(canonical)] ?? 'ignore') : 'ignore';
    },
    record(entry, visit) {
      inFlight -= 1;
      // It was begun before that was known, or not, as time had it.
      if (known.isFull()) return { page: null, changed: [], notKept: 0 };
      const page = decide(entry, visit);
      return { page, changed: known.takeChanges(), notKept: discovery.takeNotKept() };
    },
    numPages,
    isListed: discovery.isListed,
    isFull: known.isFull,
  };
}

/** Why a URL was not requested that the frontier did not know. */
function leftOut(url: string, judgement: Judgement): Exclude<Judgement, 'inside'> {
  if (judgement === 'inside') throw new Error(`The visit of ${url} stopped for no reason.`);
  return judgement;
}

/** What is to be done about a canonical URL with an outcome; others than these stand for no page. */
const STEPS: Readonly<Partial<Record<UrlOutcome | 'unknown', 'known' | 'request'>>> = {
  page: 'known',
  duplicate: 'known',
  waiting: 'request',
  unknown: 'request',
};

/** What is kept of an answer beside its outcome. */
function answerOf(page: FetchedPage): Pick<DiscoveredUrl, 'httpStatus' | 'detail'> {
  return {
    httpStatus: 'httpStatus' in page ? page.httpStatus : null,
    detail: 'failure' in page ? (page.failure ?? null) : null,
  };
}
