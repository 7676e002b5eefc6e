import type { DiscoveredUrl, FrontierEntry, KnownUrl, UrlOutcome } from '../domain/crawl.ts';

/** Where a URL was found first. */
export type FoundAt = Pick<FrontierEntry, 'linkedFrom' | 'depth'>;

/** Every URL that a crawl has found, each once, with its outcome. */
export interface KnownUrls {
  /** Whether the URL is known and not merely passed by (see `isPassedBy`). */
  has(url: string): boolean;
  /** Whether the URL is too deep or not listed. A redirect or a canonical link may still lead there. */
  isPassedBy(url: string): boolean;
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
  isTakenCareOf(target: string, url: string): boolean;
  /** Whether the redirects from a known URL form a circle. */
  leadsBack(url: string): boolean;
  /** Returns what was noted since the last call, in order. */
  takeChanges(): readonly DiscoveredUrl[];
}

type Remarks = Pick<DiscoveredUrl, 'target' | 'httpStatus' | 'detail'>;

export interface KnownUrlsLimits {
  /** URLs kept, besides those with outcomes that require no visit. */
  readonly discoveredUrlsMax: number;
  /** URLs kept of each outcome that requires no visit, so that links to other sites do not displace pages. */
  readonly unvisitedUrlsMax: number;
  /** Bytes of text from which no more URLs are kept, besides those with outcomes that require no visit. */
  readonly discoveredTextMaxBytes: number;
  /** The same for each outcome that requires no visit. */
  readonly unvisitedTextMaxBytes: number;
  /** Bytes of text from which nothing is kept, besides URLs with outcomes that require no visit. */
  readonly fullTextBytes: number;
}

/** The URLs kept of one or several outcomes. */
interface Amount {
  readonly urls: number;
  /** The size on disk, and at most that in memory, where each URL is one string however often it is used. */
  readonly textBytes: number;
}

const PASSED_BY: readonly UrlOutcome[] = ['too_deep', 'not_listed'];
const UNVISITED: readonly UrlOutcome[] = ['off_site', 'excluded', ...PASSED_BY];
const NOTHING: Amount = { urls: 0, textBytes: 0 };
const NO_REMARKS: Remarks = { target: null, httpStatus: null, detail: null };

export function createKnownUrls(discovered: readonly KnownUrl[], limits: KnownUrlsLimits): KnownUrls {
  const known = new Map<string, KnownUrl>();
  const amounts = new Map<UrlOutcome, Amount>();
  let nextPosition = 0;
  let changed: DiscoveredUrl[] = [];

  /** Of all outcomes that require a visit. */
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

  /** Returns where the redirects and canonical links from a URL end, as far as known; null if they form a circle. */
  const endOf = (url: string): { readonly url: string; readonly outcome: UrlOutcome | 'unknown' } | null => {
    const seen = new Set<string>();
    for (let current = url; !seen.has(current); ) {
      seen.add(current);
      const state = known.get(current);
      if (state === undefined || state.target === null) return { url: current, outcome: state?.outcome ?? 'unknown' };
      current = state.target;
    }
    return null;
  };

  return {
    has: (url) => known.has(url) && !isPassedBy(url),
    isPassedBy,
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
    isTakenCareOf(target, url) {
      const end = endOf(target);
      return end !== null && end.url !== url && (end.outcome === 'waiting' || end.outcome === 'page');
    },
    leadsBack: (url) => endOf(url) === null,
    takeChanges() {
      const taken = changed;
      changed = [];
      return taken;
    },
  };
}

function plus(a: Amount, b: Amount): Amount {
  return { urls: a.urls + b.urls, textBytes: a.textBytes + b.textBytes };
}

/** URLs are ASCII: each character is a byte. */
function textBytesOf({ url, linkedFrom, target }: KnownUrl): number {
  return url.length + (linkedFrom?.length ?? 0) + (target?.length ?? 0);
}
