/**
 * The policy of a crawl, pure: which URL comes next and what becomes of each. The frontier hears of visits in the order
 * of their positions, whatever order the answers came in, so the same site always gives the same pages in the same order.
 */

import type { DiscoveredUrl, FrontierEntry, UrlOutcome } from '../domain/crawl.ts';
import { createLedger } from './ledger.ts';

/** How a visit ended, after its redirects. */
export type VisitEnd =
  /** A document, with its links in document order, each once, and pages that sitemaps of its site list besides. */
  | { readonly kind: 'document'; readonly links: readonly string[]; readonly listed?: readonly ListedUrl[] }
  /** A sitemap, which only the starting URL may give: the pages of the report are the listed ones. */
  | { readonly kind: 'sitemap'; readonly listed: readonly ListedUrl[] }
  | { readonly kind: 'failed' }
  | { readonly kind: 'not_html' }
  | { readonly kind: 'robots' }
  /** The last hop, or the URL itself, was not requested: the frontier knew it, or the site does not include it. */
  | { readonly kind: 'stopped' };

type DocumentEnd = Extract<VisitEnd, { kind: 'document' }>;

export interface ListedUrl {
  readonly url: string;
  /** The sitemap that lists it. */
  readonly linkedFrom: string;
}

export interface Visit<End extends VisitEnd = VisitEnd> {
  /** The URLs that redirects led to, in order; empty when the URL itself answered. */
  readonly hops: readonly string[];
  readonly end: End;
  /** A canonical URL that the document names and that gives a document too; `end` is null when that was known before. */
  readonly canonical: { readonly url: string; readonly end: End | null } | null;
}

export interface Settlement<End extends VisitEnd> {
  /** The page that this visit adds to the report, or null. */
  readonly page: {
    readonly url: string;
    readonly linkedFrom: string | null;
    /** Null when the URL's redirects lead back to it. */
    readonly end: End | null;
  } | null;
  /** URLs that are new or whose outcome is known now. */
  readonly changed: readonly DiscoveredUrl[];
}

export interface FrontierOptions {
  readonly maxPages: number;
  /** Links are followed from pages up to this depth: Infinity for a deep crawl, else 0. */
  readonly linkDepthMax: number;
  /** URLs kept at most; what is found beyond is not followed. */
  readonly discoveredUrlsMax: number;
  /** How many visits may be under way at a time. */
  readonly visitsInFlightMax: number;
  judge(url: string): 'inside' | 'excluded' | 'outside';
}

export interface Frontier {
  /** The next URL to visit; null when none may be begun now. Never begins more than could become pages. */
  next(): FrontierEntry | null;
  /** What became of a URL so far: a redirect or canonical link to a known one needs no request. */
  outcomeOf(url: string): UrlOutcome | 'waiting' | 'unknown';
  /** Takes note of a visit. Must be called in the order in which `next` gave the URLs. */
  settle<End extends VisitEnd>(entry: FrontierEntry, visit: Visit<End>): Settlement<End>;
  numPages(): number;
  /** Whether the pages are those that a sitemap lists, so that neither links nor canonical links add others. */
  isListed(): boolean;
}

/** A frontier over what was discovered so far: only the starting and initial URLs for a new crawl. */
export function createFrontier(options: FrontierOptions, discovered: readonly DiscoveredUrl[]): Frontier {
  const ledger = createLedger(discovered);
  const waiting = discovered.filter((url) => url.outcome === null).sort((a, b) => a.position - b.position);
  let cursor = 0;
  let inFlight = 0;
  let isListed = discovered.some(({ outcome }) => outcome === 'sitemap');
  let numPages = discovered.filter(({ outcome }) => outcome === 'page' || outcome === 'failed').length;

  const discover = (url: string, from: Pick<FrontierEntry, 'linkedFrom' | 'depth'>): void => {
    if (ledger.has(url) || ledger.size() >= options.discoveredUrlsMax) return;
    const judgement = options.judge(url);
    if (judgement === 'outside') return;
    const noted = ledger.note(ledger.newEntry(url, from), judgement === 'excluded' ? 'excluded' : null);
    if (judgement === 'inside') waiting.push(noted);
  };

  const followLinks = ({ links, listed = [] }: DocumentEnd, page: FrontierEntry): void => {
    if (isListed || page.depth > options.linkDepthMax) return;
    for (const url of links) discover(url, { linkedFrom: page.url, depth: page.depth + 1 });
    for (const { url, linkedFrom } of listed) discover(url, { linkedFrom, depth: page.depth + 1 });
  };

  const followSitemap = (sitemap: FrontierEntry, listed: readonly ListedUrl[]): void => {
    isListed = true;
    ledger.note(sitemap, 'sitemap');
    for (const { url, linkedFrom } of listed) discover(url, { linkedFrom, depth: sitemap.depth + 1 });
  };

  const admit = <End extends VisitEnd>(entry: FrontierEntry, end: End | null): Settlement<End>['page'] => {
    ledger.note(entry, end?.kind === 'document' ? 'page' : 'failed');
    numPages += 1;
    if (end?.kind === 'document') followLinks(end, entry);
    return { url: entry.url, linkedFrom: entry.linkedFrom, end };
  };

  /** Follows the visit's redirects. Gives the entry that answered, or null when another visit takes care of it. */
  const followRedirects = (entry: FrontierEntry, hops: readonly string[]): FrontierEntry | null => {
    // The starting URL's redirects tell what the site is, so they are not judged by it.
    const mayPass = (hop: string): boolean =>
      !ledger.has(hop) && (entry.position === 0 || options.judge(hop) === 'inside');
    const stop = hops.findIndex((hop) => !mayPass(hop));
    const target = hops.at(stop);
    if (target === undefined) return entry;
    for (const hop of hops.slice(0, stop === -1 ? -1 : stop)) {
      if (!ledger.has(hop)) ledger.note(ledger.newEntry(hop, entry), 'redirected', target);
    }
    const judgement = stop === -1 || ledger.has(target) ? 'inside' : options.judge(target);
    ledger.note(entry, judgement === 'inside' ? 'redirected' : judgement, target);
    return stop === -1 ? ledger.newEntry(target, entry) : null;
  };

  const followCanonical = <End extends VisitEnd>(self: FrontierEntry, visit: Visit<End>): Settlement<End>['page'] => {
    const { canonical } = visit;
    if (canonical === null || canonical.url === self.url) return admit(self, visit.end);
    const isKnown = ledger.has(canonical.url);
    if (isKnown && !ledger.isTakenCareOf(canonical.url, self.url)) return admit(self, visit.end);
    ledger.note(self, 'canonical', canonical.url);
    if (isKnown || canonical.end === null) return null;
    return admit(ledger.newEntry(canonical.url, self), canonical.end);
  };

  const decide = <End extends VisitEnd>(entry: FrontierEntry, visit: Visit<End>): Settlement<End>['page'] => {
    const self = followRedirects(entry, visit.hops);
    if (self === null) return ledger.leadsBack(entry.url) ? admit<End>(entry, null) : null;
    if (visit.end.kind === 'document' || visit.end.kind === 'failed') return followCanonical(self, visit);
    if (visit.end.kind === 'sitemap') {
      followSitemap(self, visit.end.listed);
      return null;
    }
    const judgement = visit.end.kind === 'stopped' ? options.judge(self.url) : 'inside';
    ledger.note(self, judgement === 'inside' ? (visit.end.kind === 'robots' ? 'robots' : 'not_html') : judgement);
    return null;
  };

  return {
    next() {
      const entry = waiting[cursor];
      if (entry === undefined || inFlight >= options.visitsInFlightMax) return null;
      if (numPages + inFlight >= options.maxPages) return null;
      cursor += 1;
      inFlight += 1;
      return entry;
    },
    outcomeOf: (url) => ledger.outcomeOf(url),
    settle(entry, visit) {
      inFlight -= 1;
      const page = decide(entry, visit);
      return { page, changed: ledger.takeChanges() };
    },
    numPages: () => numPages,
    isListed: () => isListed,
  };
}
