import type { DiscoveredUrl, FrontierEntry, UrlOutcome } from '../domain/crawl.ts';

/** Every URL that a crawl came across, each once, with what became of it. */
export interface Ledger {
  has(url: string): boolean;
  size(): number;
  outcomeOf(url: string): UrlOutcome | 'waiting' | 'unknown';
  /** Gives a new URL the next place in the order of discovery. It is known once it is noted. */
  newEntry(url: string, from: Pick<FrontierEntry, 'linkedFrom' | 'depth'>): FrontierEntry;
  /** Writes down what became of a URL; null while it waits. */
  note(entry: FrontierEntry, outcome: UrlOutcome | null, target?: string): DiscoveredUrl;
  /** Whether a page other than `url` stands, or will stand, for the known URL `target`. */
  isTakenCareOf(target: string, url: string): boolean;
  /** Whether the redirects from a known URL go round in a circle. */
  leadsBack(url: string): boolean;
  /** What was noted since the last call, in order. */
  takeChanges(): readonly DiscoveredUrl[];
}

export function createLedger(discovered: readonly DiscoveredUrl[]): Ledger {
  const known = new Map<string, Pick<DiscoveredUrl, 'outcome' | 'target'>>();
  let nextPosition = 0;
  let changed: DiscoveredUrl[] = [];
  for (const { url, position, outcome, target } of discovered) {
    known.set(url, { outcome, target });
    nextPosition = Math.max(nextPosition, position + 1);
  }

  /** Where the redirects and canonical links from a URL end, as far as known; null when they go round in a circle. */
  const endOf = (url: string): { url: string; outcome: UrlOutcome | 'unknown' | null } | null => {
    const seen = new Set<string>();
    for (let current = url; !seen.has(current); ) {
      seen.add(current);
      const state = known.get(current);
      if (state === undefined) return { url: current, outcome: 'unknown' };
      if (state.target === null || state.outcome === 'outside' || state.outcome === 'excluded') {
        return { url: current, outcome: state.outcome };
      }
      current = state.target;
    }
    return null;
  };

  return {
    has: (url) => known.has(url),
    size: () => known.size,
    outcomeOf(url) {
      const state = known.get(url);
      return state === undefined ? 'unknown' : (state.outcome ?? 'waiting');
    },
    newEntry(url, { linkedFrom, depth }) {
      nextPosition += 1;
      return { position: nextPosition - 1, url, linkedFrom, depth };
    },
    note(entry, outcome, target) {
      const { position, url, linkedFrom, depth } = entry;
      const noted = { position, url, linkedFrom, depth, outcome, target: target ?? null };
      known.set(url, { outcome, target: noted.target });
      changed.push(noted);
      return noted;
    },
    isTakenCareOf(target, url) {
      const end = endOf(target);
      return end !== null && end.url !== url && (end.outcome === null || end.outcome === 'page');
    },
    leadsBack: (url) => endOf(url) === null,
    takeChanges() {
      const taken = changed;
      changed = [];
      return taken;
    },
  };
}
