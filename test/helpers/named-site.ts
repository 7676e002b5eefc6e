import assert from 'node:assert/strict';
import type { DiscoveredUrl, FrontierEntry, Membership, Visit } from '../../src/domain/crawl.ts';
import { type DocumentPage, failedPage } from '../../src/domain/fetched-page.ts';
import { createFrontier, type Frontier } from '../../src/spider/frontier.ts';
import type { KnownUrlsLimits } from '../../src/spider/known-urls.ts';
import { discoveredTextMaxBytes, fullTextBytes, unvisitedTextMaxBytes } from '../../src/spider/limits.ts';

/**
 * Sites of names: those with `x` are off the site, those with `e` are excluded, those with `u` are not included. A name without a
 * response fails.
 */

/** The response of a site for a name. */
export type Answer =
  | { links: string[]; canonical?: string }
  | { listed: string[] }
  | { redirect: string }
  | 'failed'
  | 'not_html';
export type Site = ReadonlyMap<string, Answer>;

function membershipOf(url: string): Membership {
  if (url.startsWith('x')) return 'off_site';
  if (url.startsWith('e')) return 'excluded';
  return includes(url) ? 'inside' : 'not_included';
}

function includes(url: string): boolean {
  return !url.startsWith('u');
}

/** The starting and initial URLs of a crawl. */
export function start(...urls: string[]): DiscoveredUrl[] {
  const found = { linkedFrom: null, depth: 0, target: null, httpStatus: null, detail: null } as const;
  return urls.map((url, position) => ({ position, url, outcome: 'waiting', ...found }));
}

/** A frontier large enough for every site of a test by default. */
export function newFrontier(
  maxPages: number,
  discovered: readonly DiscoveredUrl[],
  limits: Partial<KnownUrlsLimits> & { readonly linkDepthMax?: number } = {},
) {
  const roomy = {
    linkDepthMax: Number.POSITIVE_INFINITY,
    discoveredUrlsMax: 1_000,
    unvisitedUrlsMax: 1_000,
    discoveredTextMaxBytes,
    unvisitedTextMaxBytes,
    fullTextBytes,
  };
  return createFrontier(
    { maxPages, visitsInFlightMax: 4, preferCanonicalUrls: true, membershipOf, includes, ...roomy, ...limits },
    discovered,
  );
}

const FAILED = failedPage({ code: 'error_status', params: { status: 404 } });
const NOT_HTML = {
  kind: 'not_html',
  httpStatus: 200,
  contentType: 'text/plain',
  failure: { code: 'not_html', params: { content_type: 'text/plain' } },
} as const;

function page(links: readonly string[]): DocumentPage {
  const document = { url: '', httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.of() };
  const stored = { hash: Buffer.of(), size: 0, body: Buffer.of() };
  return { kind: 'document', httpStatus: 200, document, stored, title: null, links, hashRoutes: 0, canonical: null };
}

/** Visits a URL of a site as the spider does: redirects and one canonical link are followed when the frontier asks. */
export function visit(site: Site, frontier: Frontier, entry: FrontierEntry): Visit {
  const hops: string[] = [];
  const isStart = entry.position === 0;
  const isVisited = isStart || ['inside', 'not_included'].includes(membershipOf(entry.url));
  if (!isVisited) return { hops, end: { kind: 'stopped' }, canonical: null };
  for (;;) {
    const answer = site.get(hops.at(-1) ?? entry.url) ?? 'failed';
    if (typeof answer === 'object' && 'redirect' in answer) {
      const step = frontier.redirectStep(entry, hops, answer.redirect);
      if (step === 'circle' || step === 'too_many') return { hops, end: FAILED, canonical: null };
      hops.push(answer.redirect);
      if (step === 'follow') continue;
      return { hops, end: { kind: 'stopped' }, canonical: null };
    }
    if (typeof answer === 'string') return { hops, end: answer === 'failed' ? FAILED : NOT_HTML, canonical: null };
    if ('listed' in answer) {
      if (!isStart) return { hops, end: NOT_HTML, canonical: null };
      const listed = answer.listed.map((url) => ({ url, linkedFrom: 'map' }));
      const sitemap = { lists: 'pages', urls: answer.listed, problem: null } as const;
      return { hops, end: { kind: 'sitemap', httpStatus: 200, sitemap, listed }, canonical: null };
    }
    const own = site.get(answer.canonical ?? '');
    const isDocument = typeof own === 'object' && 'links' in own;
    const isWanted = answer.canonical !== undefined && isDocument && !frontier.isListed();
    const canonical = isWanted && membershipOf(answer.canonical ?? '') === 'inside';
    return {
      hops,
      end: page(answer.links),
      canonical: canonical ? { url: answer.canonical ?? '', end: page(own.links) } : null,
    };
  }
}

/** Crawls with up to four visits in progress, begun as early as possible; `delays` sets when each visit asks the frontier. */
export function crawl(site: Site, frontier: Frontier, delays: readonly number[] = []) {
  const pages: string[] = [];
  const changes: DiscoveredUrl[] = [];
  let notKept = 0;
  const pending: { entry: FrontierEntry; visit: Visit | null; delay: number }[] = [];
  let begun = 0;
  for (;;) {
    for (let entry = frontier.next(); entry !== null; entry = frontier.next()) {
      pending.push({ entry, visit: null, delay: delays[begun % Math.max(1, delays.length)] ?? 0 });
      begun += 1;
      assert(begun < 5_000, 'the crawl ends');
      if (entry.position === 0) break;
    }
    const head = pending[0];
    if (head === undefined) return { pages, changes, notKept };
    // Visits ask the frontier at different times, which must not change the result.
    for (const item of pending) {
      item.delay -= 1;
      if (item.visit === null && (item.delay < 0 || item === head)) item.visit = visit(site, frontier, item.entry);
    }
    pending.shift();
    const settlement = frontier.record(head.entry, head.visit ?? { hops: [], end: FAILED, canonical: null });
    if (settlement.page !== null) pages.push(settlement.page.url);
    changes.push(...settlement.changed);
    notKept += settlement.notKept;
  }
}

/** The final outcome of each URL, by position. */
export function outcomesOf(changes: readonly DiscoveredUrl[], ...first: string[]): Map<number, DiscoveredUrl> {
  return new Map([...start(...first), ...changes].map((url) => [url.position, url]));
}
