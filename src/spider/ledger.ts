import {
  type DiscoveredUrl,
  type FrontierEntry,
  type KnownUrl,
  URL_OUTCOMES,
  type UrlOutcome,
} from '../domain/crawl.ts';

/** Where a URL was found first. */
export type FoundAt = Pick<FrontierEntry, 'linkedFrom' | 'depth'>;

/** Every URL that a crawl came across, each once, with what became of it. */
export interface Ledger {
  /** Whether the URL's outcome is for good, or it waits for its visit. */
  has(url: string): boolean;
  /** Whether links alone would have led there, so that a redirect or a canonical link still may. */
  isPassedBy(url: string): boolean;
  /** How many URLs have the outcome. */
  numOf(outcome: UrlOutcome): number;
  /** Whether one more URL with the outcome may be kept. */
  hasRoomFor(outcome: UrlOutcome): boolean;
  outcomeOf(url: string): UrlOutcome | 'unknown';
  /** Gives a new URL the next place in the order of discovery, where it is known once it is noted. */
  entryOf(url: string, found: FoundAt): FrontierEntry;
  /** Writes down what became of a URL. */
  note(entry: FrontierEntry, outcome: UrlOutcome, more?: Partial<Remarks>): DiscoveredUrl;
  /** Whether a page other than `url` stands, or will stand, for the known URL `target`. */
  isTakenCareOf(target: string, url: string): boolean;
  /** Whether the redirects from a known URL go round in a circle. */
  leadsBack(url: string): boolean;
  /** What was noted since the last call, in order. */
  takeChanges(): readonly DiscoveredUrl[];
}

type Remarks = Pick<DiscoveredUrl, 'target' | 'httpStatus' | 'detail'>;

export interface LedgerLimits {
  /** URLs kept at most, beside those of the outcomes below. */
  readonly discoveredUrlsMax: number;
  /** URLs kept of each outcome that needs no visit, so that the links of a page to elsewhere push no page out. */
  readonly unvisitedUrlsMax: number;
}

const PASSED_BY: readonly UrlOutcome[] = ['too_deep', 'not_listed'];
const UNVISITED: readonly UrlOutcome[] = ['off_site', 'excluded', ...PASSED_BY];
const NO_REMARKS: Remarks = { target: null, httpStatus: null, detail: null };

export function createLedger(discovered: readonly KnownUrl[], limits: LedgerLimits): Ledger {
  const known = new Map<string, KnownUrl>();
  const counts = new Map<UrlOutcome, number>(URL_OUTCOMES.map((outcome) => [outcome, 0]));
  let nextPosition = 0;
  let changed: DiscoveredUrl[] = [];

  const numOf = (outcome: UrlOutcome): number => counts.get(outcome) ?? 0;
  const put = (url: KnownUrl): void => {
    const former = known.get(url.url);
    if (former !== undefined) counts.set(former.outcome, numOf(former.outcome) - 1);
    counts.set(url.outcome, numOf(url.outcome) + 1);
    known.set(url.url, url);
    nextPosition = Math.max(nextPosition, url.position + 1);
  };
  for (const url of discovered) put(url);

  const isPassedBy = (url: string): boolean => {
    const outcome = known.get(url)?.outcome;
    return outcome !== undefined && PASSED_BY.includes(outcome);
  };

  /** Where the redirects and canonical links from a URL end, as far as known; null when they go round in a circle. */
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
      if (UNVISITED.includes(outcome)) return numOf(outcome) < limits.unvisitedUrlsMax;
      const unvisited = UNVISITED.reduce((sum, other) => sum + numOf(other), 0);
      return known.size - unvisited < limits.discoveredUrlsMax;
    },
    outcomeOf: (url) => (isPassedBy(url) ? 'unknown' : (known.get(url)?.outcome ?? 'unknown')),
    entryOf(url, { linkedFrom, depth }) {
      const former = known.get(url);
      if (former !== undefined) return former;
      nextPosition += 1;
      return { position: nextPosition - 1, url, linkedFrom, depth };
    },
    note({ position, url, linkedFrom, depth }, outcome, more = {}) {
      const noted = { position, url, linkedFrom, depth, outcome, ...NO_REMARKS, ...more };
      put(noted);
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
