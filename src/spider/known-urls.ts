import type { DiscoveredUrl, FrontierEntry, KnownUrl, Membership, UrlOutcome } from '../domain/crawl.ts';
import type { DocumentPage, ReadSitemap, SitemapPage } from '../domain/fetched-page.ts';
import { urlMaxCharacters } from './limits.ts';

/** Where a URL was found first. */
type FoundAt = Pick<FrontierEntry, 'linkedFrom' | 'depth'>;

/** Every URL that a crawl has found, each once, with its outcome. */
export interface KnownUrls {
  /** Whether the URL is known and not merely passed over: too deep, not in the sitemap, or not included. */
  has(url: string): boolean;
  /** Whether nothing is known of the URL, not even that it was passed over. */
  isNew(url: string): boolean;
  /** How many URLs have the outcome. */
  numOf(outcome: UrlOutcome): number;
  /** Whether one more URL with the outcome may be kept. */
  hasRoomFor(outcome: UrlOutcome): boolean;
  /** Whether the URLs take so much memory that no visit may add to them. */
  isFull(): boolean;
  outcomeOf(url: string): UrlOutcome | 'unknown';
  /** Returns the entry of a URL. A new URL gets the next position in the order of discovery, and is known once it is noted. */
  entryOf(url: string, found: FoundAt): FrontierEntry;
  /** Sets the outcome of a URL. */
  note(entry: FrontierEntry, outcome: UrlOutcome, more?: Partial<Remarks>): DiscoveredUrl;
  /** Whether the known URL `target` leads, or may lead, to a page other than `url`. */
  isHandled(target: string, url: string): boolean;
  /** Whether the redirects from a known URL form a circle. */
  leadsBack(url: string): boolean;
  /** Returns the notes since the last call, in order. */
  takeChanges(): readonly DiscoveredUrl[];
}

type Remarks = Pick<DiscoveredUrl, 'target' | 'httpStatus' | 'detail'>;

export interface KnownUrlsLimits {
  /** Maximum number of URLs to keep, except for URLs with outcomes that require no visit. */
  readonly discoveredUrlsMax: number;
  /** URLs kept for each outcome that requires no visit, so that links to other sites do not displace pages. */
  readonly unvisitedUrlsMax: number;
  /** Bytes of text at which no more URLs are kept, except for URLs with outcomes that require no visit. */
  readonly discoveredTextMaxBytes: number;
  /** The same limit for each outcome that requires no visit. */
  readonly unvisitedTextMaxBytes: number;
  /** Bytes of text at which nothing more is kept, except for URLs with outcomes that require no visit. */
  readonly fullTextBytes: number;
}

/** The URLs kept for one or several outcomes. */
interface Amount {
  readonly urls: number;
  /**
   * The size on disk. The size in memory is at most as large, because each URL is one string there, regardless of how often it is
   * used.
   */
  readonly textBytes: number;
}

const PASSED_BY: readonly UrlOutcome[] = ['too_deep', 'not_listed', 'not_included'];
const UNVISITED: readonly UrlOutcome[] = ['off_site', 'excluded', ...PASSED_BY];
const NOTHING: Amount = { urls: 0, textBytes: 0 };
const NO_REMARKS: Remarks = { target: null, httpStatus: null, detail: null };

export function createKnownUrls(discovered: readonly KnownUrl[], limits: KnownUrlsLimits): KnownUrls {
  const known = new Map<string, KnownUrl>();
  const amounts = new Map<UrlOutcome, Amount>();
  let nextPosition = 0;
  let changed: DiscoveredUrl[] = [];

  /** The total for all outcomes that require a visit. */
  let visited = NOTHING;
  const amountOf = (outcome: UrlOutcome): Amount => amounts.get(outcome) ?? NOTHING;
  const numOf = (outcome: UrlOutcome): number => amountOf(outcome).urls;
  const count = (url: KnownUrl, urls: 1 | -1): void => {
    const change = { urls, textBytes: urls * textBytesOf(url) };
    amounts.set(url.outcome, plus(amountOf(url.outcome), change));
    if (!UNVISITED.includes(url.outcome)) visited = plus(visited, change);
  };
  const put = (url: KnownUrl): void => {
    const former = known.get(url.url);
    if (former !== undefined) count(former, -1);
    count(url, 1);
    known.set(url.url, url);
    nextPosition = Math.max(nextPosition, url.position + 1);
  };
  for (const url of discovered) put(url);

  const isPassedBy = (url: string): boolean => {
    const outcome = known.get(url)?.outcome;
    return outcome !== undefined && PASSED_BY.includes(outcome);
  };

  return {
    has: (url) => known.has(url) && !isPassedBy(url),
    isNew: (url) => !known.has(url),
    numOf,
    hasRoomFor(outcome) {
      if (UNVISITED.includes(outcome)) {
        const { urls, textBytes } = amountOf(outcome);
        return urls < limits.unvisitedUrlsMax && textBytes < limits.unvisitedTextMaxBytes;
      }
      return visited.urls < limits.discoveredUrlsMax && visited.textBytes < limits.discoveredTextMaxBytes;
    },
    isFull: () => visited.textBytes >= limits.fullTextBytes,
    outcomeOf: (url) => (isPassedBy(url) ? 'unknown' : (known.get(url)?.outcome ?? 'unknown')),
    entryOf(url, { linkedFrom, depth }) {
      const former = known.get(url);
      if (former !== undefined) return former;
      nextPosition += 1;
      return { position: nextPosition - 1, url, linkedFrom, depth };
    },
    note({ position, url, linkedFrom, depth }, outcome, more = {}) {
      const { target, httpStatus, detail } = { ...NO_REMARKS, ...more };
      // Share one string for all uses of a URL.
      const named = target === null ? null : (known.get(target)?.url ?? target);
      const entry = { position, url, linkedFrom, depth, outcome, target: named };
      put(entry);
      const noted = { ...entry, httpStatus, detail };
      changed.push(noted);
      return noted;
    },
    isHandled(target, url) {
      const end = endOf(known, target);
      return end !== null && end.url !== url && (end.outcome === 'waiting' || end.outcome === 'page');
    },
    leadsBack: (url) => endOf(known, url) === null,
    takeChanges() {
      const taken = changed;
      changed = [];
      return taken;
    },
  };
}

/** Returns where the redirects and canonical links from a URL end, as far as known; null if they form a circle. */
function endOf(
  known: ReadonlyMap<string, KnownUrl>,
  url: string,
): { readonly url: string; readonly outcome: UrlOutcome | 'unknown' } | null {
  const seen = new Set<string>();
  for (let current = url; !seen.has(current); ) {
    seen.add(current);
    const state = known.get(current);
    if (state === undefined || state.target === null) return { url: current, outcome: state?.outcome ?? 'unknown' };
    current = state.target;
  }
  return null;
}

function plus(a: Amount, b: Amount): Amount {
  return { urls: a.urls + b.urls, textBytes: a.textBytes + b.textBytes };
}

/** URLs are ASCII: each character is a byte. */
function textBytesOf({ url, linkedFrom, target }: KnownUrl): number {
  return url.length + (linkedFrom?.length ?? 0) + (target?.length ?? 0);
}

/** Notes the URLs found in responses. */
export interface Discovery {
  /** @param outcomeInside the outcome of a URL that belongs to the site and is not excluded */
  discover(url: string, found: FoundAt, outcomeInside: UrlOutcome): void;
  /** Notes a URL that redirects to another URL. */
  noteHop(url: string, found: FoundAt, redirect: { readonly target: string; readonly httpStatus: number | null }): void;
  followLinks(end: DocumentPage, page: FrontierEntry): void;
  /** Follows links as `followLinks` does, as long as there are no more duplicates than `maxPages`. */
  followDuplicate(end: DocumentPage, duplicate: FrontierEntry): void;
  followSitemap(end: SitemapPage, sitemap: FrontierEntry): void;
  /** Whether the pages are the ones that a sitemap lists. In this case, links and canonical links add no pages. */
  isListed(): boolean;
  /** Returns the number of URLs beyond the limits that were found since the last call. */
  takeNotKept(): number;
}

export interface DiscoveryOptions {
  readonly isListed: boolean;
  readonly maxPages: number;
  /** Links are followed from pages up to this depth: Infinity for a deep crawl, else 0. */
  readonly linkDepthMax: number;
  membershipOf(url: string): Membership;
  /** Called with every URL to visit. */
  enqueue(entry: FrontierEntry): void;
}

export function createDiscovery(known: KnownUrls, options: DiscoveryOptions): Discovery {
  let { isListed } = options;
  let notKept = 0;

  const discover: Discovery['discover'] = (url, found, outcomeInside) => {
    if (!known.isNew(url)) return;
    const membership = options.membershipOf(url);
    const outcome = membership === 'inside' ? outcomeInside : membership;
    // The database cannot index longer URLs.
    if (url.length > urlMaxCharacters || !known.hasRoomFor(outcome)) {
      notKept += 1;
      return;
    }
    const noted = known.note(known.entryOf(url, found), outcome);
    if (outcome === 'waiting') options.enqueue(noted);
  };

  const noteHop: Discovery['noteHop'] = (url, found, redirect) => {
    if (known.has(url)) return;
    if (known.hasRoomFor('redirected')) known.note(known.entryOf(url, found), 'redirected', redirect);
    else notKept += 1;
  };

  const noteSitemap = ({ url, redirects, linkedFrom, httpStatus, problem }: ReadSitemap, depth: number): void => {
    const found = { linkedFrom, depth };
    const target = redirects.at(-1)?.location ?? url;
    let source = url;
    for (const redirect of redirects) {
      noteHop(source, found, { target, httpStatus: redirect.httpStatus });
      source = redirect.location;
    }
    if (options.membershipOf(target) === 'off_site') discover(target, found, 'sitemap');
    else if (!known.has(target)) known.note(known.entryOf(target, found), 'sitemap', { httpStatus, detail: problem });
  };

  const followLinks: Discovery['followLinks'] = ({ links, listed = [], sitemaps = [] }, page) => {
    const outcomeInside = isListed ? 'not_listed' : page.depth > options.linkDepthMax ? 'too_deep' : 'waiting';
    const depth = page.depth + 1;
    for (const url of links) discover(url, { linkedFrom: page.url, depth }, outcomeInside);
    for (const { url, linkedFrom } of listed) discover(url, { linkedFrom, depth }, outcomeInside);
    for (const sitemap of sitemaps) noteSitemap(sitemap, depth);
  };

  return {
    discover,
    noteHop,
    followLinks,
    // The pages of a paginated list often name the first page as canonical, and only these pages link to their items. But a site
    // that puts a session id into every link has endless duplicates.
    followDuplicate({ linksAsSent, ...end }, duplicate) {
      // Links added by rendering do not count: whether a duplicate was rendered depends on timing.
      const links = linksAsSent ?? end.links;
      if (known.numOf('duplicate') <= options.maxPages) followLinks({ ...end, links }, duplicate);
      else notKept += links.filter(known.isNew).length;
    },
    followSitemap(end, { depth }) {
      isListed = true;
      for (const { url, linkedFrom } of end.listed ?? []) discover(url, { linkedFrom, depth: depth + 1 }, 'waiting');
      // Last, because a URL that is listed as a page stays a page.
      for (const sitemap of end.sitemaps ?? []) noteSitemap(sitemap, depth + 1);
    },
    isListed: () => isListed,
    takeNotKept() {
      const taken = notKept;
      notKept = 0;
      return taken;
    },
  };
}
