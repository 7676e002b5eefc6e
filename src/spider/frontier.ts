/**
 * The policy of a crawl, without any input or output: which URL to visit next, and the outcome of each. Visits are recorded in
 * the order of their positions, regardless of the order of responses, so the same site always has the same pages in the same
 * order.
 */

import type { DiscoveredUrl, FrontierEntry, KnownUrl, Membership, UrlOutcome, Visit } from '../domain/crawl.ts';
import { type FetchedPage, failedPage, type WebPageContent } from '../domain/fetched-page.ts';
import {
  createDiscovery,
  createKnownUrls,
  type Discovery,
  type DiscoveryOptions,
  type KnownUrls,
  type KnownUrlsLimits,
} from './known-urls.ts';
import { createRedirectPolicy, REDIRECT_CIRCLE, type RedirectPolicy } from './redirects.ts';

export interface RecordedVisit {
  /** The page that this visit adds to the report, or null. */
  readonly page: {
    readonly url: string;
    readonly linkedFrom: string | null;
    readonly content: WebPageContent;
  } | null;
  /** URLs that are new, or whose outcome has become known. */
  readonly changed: readonly DiscoveredUrl[];
  /** How many URLs were found beyond the limits. */
  readonly notKept: number;
}

export interface FrontierOptions
  extends KnownUrlsLimits,
    Pick<DiscoveryOptions, 'maxPages' | 'linkDepthMax' | 'membershipOf'> {
  /** Visits in progress at a time. */
  readonly visitsInFlightMax: number;
  /** Whether a page is replaced by the canonical URL that it names. */
  readonly preferCanonicalUrls: boolean;
  /** Whether the inclusions allow a URL. Starting and initial URLs that they don't allow are visited only for their links. */
  includes(url: string): boolean;
}

export interface Frontier extends Pick<RedirectPolicy, 'redirectStep'> {
  /** Returns the next URL to visit, or null if none may be visited now. At most `maxPages` visits can become pages. */
  next(): FrontierEntry | null;
  /** Returns the outcome of a URL so far. */
  outcomeOf(url: string): UrlOutcome | 'unknown';
  /**
   * What to do about the canonical URL that the page at `url` names: ignore it, use it without a request because it is
   * known, or request it.
   */
  canonicalStep(url: string, canonical: string | null): 'ignore' | 'known' | 'request';
  /** Records a visit. Must be called in the order in which `next` returned the entries. */
  record(entry: FrontierEntry, visit: Visit): RecordedVisit;
  numPages(): number;
  /** Whether the pages are the ones that a sitemap lists. In this case, links and canonical links add no pages. */
  isListed(): boolean;
  /** Whether the discovered URLs take so much memory that the crawl must end, even if URLs are waiting. */
  isFull(): boolean;
}

/** @param discovered the URLs discovered so far; in a new crawl, the starting and initial URLs */
export function createFrontier(options: FrontierOptions, discovered: readonly KnownUrl[]): Frontier {
  const membershipOf = (url: string): Membership => options.membershipOf(url);
  const known = createKnownUrls(discovered, options);
  const redirects = createRedirectPolicy(known, membershipOf);
  const waiting: FrontierEntry[] = discovered.filter(({ outcome }) => outcome === 'waiting');
  waiting.sort((a, b) => a.position - b.position);
  let cursor = 0;
  let inFlight = 0;
  const discovery = createDiscovery(known, {
    ...options,
    // Sitemaps found on a page or in a sitemap have `linkedFrom`.
    isListed: discovered.some(({ outcome, linkedFrom }) => outcome === 'sitemap' && linkedFrom === null),
    membershipOf,
    enqueue: (entry) => waiting.push(entry),
  });

  /** Deleted pages also count toward `maxPages`. */
  const numPages = (): number => known.numOf('page') + known.numOf('failed') + known.numOf('deleted');

  const recordPage = createRecorder({ known, discovery, redirects, membershipOf, includes: options.includes });

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
    redirectStep: redirects.redirectStep,
    canonicalStep(url, canonical) {
      if (!options.preferCanonicalUrls || discovery.isListed() || canonical === null || canonical === url)
        return 'ignore';
      return membershipOf(canonical) === 'inside' ? (STEPS[known.outcomeOf(canonical)] ?? 'ignore') : 'ignore';
    },
    record(entry, visit) {
      inFlight -= 1;
      // Whether this visit began before the crawl was full depends on timing, so it must not count.
      if (known.isFull()) return { page: null, changed: [], notKept: 0 };
      const page = recordPage(entry, visit);
      return { page, changed: known.takeChanges(), notKept: discovery.takeNotKept() };
    },
    numPages,
    isListed: discovery.isListed,
    isFull: known.isFull,
  };
}

interface RecorderParts {
  readonly known: KnownUrls;
  readonly discovery: Discovery;
  membershipOf(url: string): Membership;
  includes(url: string): boolean;
  readonly redirects: RedirectPolicy;
}

/** Returns a function that notes the outcomes of a visit's URLs, and returns the page that the visit adds to the report. */
function createRecorder({
  known,
  discovery,
  membershipOf,
  includes,
  redirects,
}: RecorderParts): (entry: FrontierEntry, visit: Visit) => RecordedVisit['page'] {
  const admit = (entry: FrontierEntry, content: WebPageContent): RecordedVisit['page'] => {
    // A named URL that cannot be fetched is a page even if it is not included: without its links, pages may be missing.
    const isPage = content.kind === 'failed' || includes(entry.url);
    if (!isPage) {
      const detail = content.rendering?.error ?? null;
      known.note(entry, 'not_included', { ...answerOf(content), detail });
      discovery.followLinks(content, entry);
      return null;
    }
    known.note(entry, content.kind === 'document' ? 'page' : 'failed', answerOf(content));
    if (content.kind === 'document') discovery.followLinks(content, entry);
    return { url: entry.url, linkedFrom: entry.linkedFrom, content };
  };

  /** Notes the redirects of a visit. Returns the entry that responded, or null if the target is left to another visit. */
  const followRedirects = (entry: FrontierEntry, { hops, hopStatuses = [] }: Visit): FrontierEntry | null => {
    const stop = hops.findIndex((hop) => !redirects.mayFollow(entry, hop));
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
    if (isKnown && !known.isHandled(canonical.url, self.url)) return admit(self, end);
    known.note(self, 'duplicate', { ...answerOf(end), target: canonical.url });
    const page = isKnown || canonical.end === null ? null : admit(known.entryOf(canonical.url, self), canonical.end);
    if (end.kind === 'document') discovery.followDuplicate(end, self);
    return page;
  };

  return (entry, visit) => {
    const self = followRedirects(entry, visit);
    if (self === null) return known.leadsBack(entry.url) ? admit(entry, failedPage(REDIRECT_CIRCLE)) : null;
    const { end } = visit;
    if (end.kind === 'document' || end.kind === 'failed') return followCanonical(self, end, visit.canonical);
    if (end.kind === 'stopped' || end.kind === 'redirect') {
      known.note(self, leftOut(self.url, membershipOf(self.url)));
      return null;
    }
    known.note(self, end.kind, answerOf(end));
    if (end.kind === 'sitemap') discovery.followSitemap(end, self);
    return null;
  };
}

/** The outcome of a URL that was not requested and that the frontier did not know. */
function leftOut(url: string, membership: Membership): Exclude<Membership, 'inside'> {
  if (membership === 'inside') throw new Error(`The visit to ${url} stopped for no reason.`);
  return membership;
}

/** What to do about a canonical URL by its outcome. URLs with other outcomes cannot replace a page. */
const STEPS: Readonly<Partial<Record<UrlOutcome | 'unknown', 'known' | 'request'>>> = {
  page: 'known',
  duplicate: 'known',
  waiting: 'request',
  unknown: 'request',
};

/** The stored parts of a response in addition to its outcome. */
function answerOf(page: FetchedPage): Pick<DiscoveredUrl, 'httpStatus' | 'detail'> {
  return {
    httpStatus: 'httpStatus' in page ? page.httpStatus : null,
    detail: 'failure' in page ? (page.failure ?? null) : null,
  };
}
