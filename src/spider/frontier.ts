/**
 * The policy of a crawl, pure: which URL comes next and what becomes of each. The frontier hears of visits in the order
 * of their positions, whatever order the answers came in, so the same site always gives the same pages in the same order.
 */

import type { DiscoveredUrl, FrontierEntry, KnownUrl, UrlOutcome } from '../domain/crawl.ts';
import { createDiscovery } from './discovery.ts';
import { createLedger, type LedgerLimits } from './ledger.ts';
import { type Judgement, REDIRECT_CIRCLE, type Visit, type VisitEnd } from './visit.ts';

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
  /** How many URLs were found that there was no room for. */
  readonly notKept: number;
}

export interface FrontierOptions extends LedgerLimits {
  readonly maxPages: number;
  /** Links are followed from pages up to this depth: Infinity for a deep crawl, else 0. */
  readonly linkDepthMax: number;
  /** How many visits may be under way at a time. */
  readonly visitsInFlightMax: number;
  judge(url: string): Judgement;
}

export interface Frontier {
  /** The next URL to visit; null when none may be begun now. Never begins more than could become pages. */
  next(): FrontierEntry | null;
  /** What became of a URL so far: a redirect or canonical link to a known one needs no request. */
  outcomeOf(url: string): UrlOutcome | 'unknown';
  /** Takes note of a visit. Must be called in the order in which `next` gave the URLs. */
  settle<End extends VisitEnd>(entry: FrontierEntry, visit: Visit<End>): Settlement<End>;
  numPages(): number;
  /** Whether the pages are those that a sitemap lists, so that neither links nor canonical links add others. */
  isListed(): boolean;
  /** Whether what was found fills so much that the crawl ends, whatever waits. */
  isFull(): boolean;
}

/** A frontier over what was discovered so far: only the starting and initial URLs for a new crawl. */
export function createFrontier(options: FrontierOptions, discovered: readonly KnownUrl[]): Frontier {
  const ledger = createLedger(discovered, options);
  const waiting: FrontierEntry[] = discovered.filter(({ outcome }) => outcome === 'waiting');
  waiting.sort((a, b) => a.position - b.position);
  let cursor = 0;
  let inFlight = 0;
  const discovery = createDiscovery(ledger, {
    ...options,
    // Other sitemaps have been found somewhere.
    isListed: discovered.some(({ outcome, linkedFrom }) => outcome === 'sitemap' && linkedFrom === null),
    judge: (url) => options.judge(url),
    enqueue: (entry) => waiting.push(entry),
  });

  /** A page that was deleted has had its place among `maxPages`. */
  const numPages = (): number => ledger.numOf('page') + ledger.numOf('failed') + ledger.numOf('deleted');

  const admit = <End extends VisitEnd>(entry: FrontierEntry, end: End | null): Settlement<End>['page'] => {
    const outcome = end?.kind === 'document' ? 'page' : 'failed';
    ledger.note(entry, outcome, end === null ? { detail: REDIRECT_CIRCLE } : answerOf(end));
    if (end?.kind === 'document') discovery.followLinks(end, entry);
    return { url: entry.url, linkedFrom: entry.linkedFrom, end };
  };

  /** Follows the visit's redirects. Gives the entry that answered, or null when another visit takes care of it. */
  const followRedirects = (entry: FrontierEntry, { hops, hopStatuses = [] }: Visit): FrontierEntry | null => {
    // The starting URL's redirects tell what the site is, so they are not judged by it.
    const mayPass = (hop: string): boolean =>
      !ledger.has(hop) && (entry.position === 0 || options.judge(hop) === 'inside');
    const stop = hops.findIndex((hop) => !mayPass(hop));
    const target = hops.at(stop);
    if (target === undefined) return entry;
    const httpStatus = (index: number): number | null => hopStatuses[index] ?? null;
    for (const [index, hop] of hops.slice(0, stop === -1 ? -1 : stop).entries()) {
      discovery.noteHop(hop, entry, { target, httpStatus: httpStatus(index + 1) });
    }
    ledger.note(entry, 'redirected', { target, httpStatus: httpStatus(0) });
    if (stop === -1) return ledger.entryOf(target, entry);
    discovery.discover(target, entry, 'waiting');
    return null;
  };

  const followCanonical = <End extends VisitEnd>(self: FrontierEntry, visit: Visit<End>): Settlement<End>['page'] => {
    const { canonical, end } = visit;
    if (canonical === null || canonical.url === self.url) return admit(self, end);
    const isKnown = ledger.has(canonical.url);
    if (isKnown && !ledger.isTakenCareOf(canonical.url, self.url)) return admit(self, end);
    ledger.note(self, 'duplicate', { ...answerOf(end), target: canonical.url });
    const isNew = !isKnown && canonical.end !== null;
    const page = isNew ? admit(ledger.entryOf(canonical.url, self), canonical.end) : null;
    if (end.kind === 'document') discovery.followDuplicate(end, self);
    return page;
  };

  const decide = <End extends VisitEnd>(entry: FrontierEntry, visit: Visit<End>): Settlement<End>['page'] => {
    const self = followRedirects(entry, visit);
    if (self === null) return ledger.leadsBack(entry.url) ? admit<End>(entry, null) : null;
    const { end } = visit;
    if (end.kind === 'document' || end.kind === 'failed') return followCanonical(self, visit);
    if (end.kind === 'stopped') {
      ledger.note(self, leftOut(self.url, options.judge(self.url)));
      return null;
    }
    ledger.note(self, end.kind, answerOf(end));
    if (end.kind === 'sitemap') discovery.followSitemap(end, self);
    return null;
  };

  return {
    next() {
      const entry = waiting[cursor];
      if (entry === undefined || inFlight >= options.visitsInFlightMax) return null;
      if (ledger.isFull() || numPages() + inFlight >= options.maxPages) return null;
      cursor += 1;
      inFlight += 1;
      return entry;
    },
    outcomeOf: (url) => ledger.outcomeOf(url),
    settle(entry, visit) {
      inFlight -= 1;
      // It was begun before that was known, or not, as time had it.
      if (ledger.isFull()) return { page: null, changed: [], notKept: 0 };
      const page = decide(entry, visit);
      return { page, changed: ledger.takeChanges(), notKept: discovery.takeNotKept() };
    },
    numPages,
    isListed: discovery.isListed,
    isFull: ledger.isFull,
  };
}

/** Why a URL was not requested that the frontier did not know. */
function leftOut(url: string, judgement: Judgement): Exclude<Judgement, 'inside'> {
  if (judgement === 'inside') throw new Error(`The visit of ${url} stopped for no reason.`);
  return judgement;
}

/** What is kept of an answer beside its outcome. */
function answerOf({ httpStatus = null, failure = null }: Pick<VisitEnd, 'httpStatus' | 'failure'>) {
  return { httpStatus, detail: failure };
}
