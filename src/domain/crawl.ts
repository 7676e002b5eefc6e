import type { Failure } from './failures/failure.ts';

/** The vocabulary of a crawl: what the spider came across and what became of it. */

/** A URL that waits to be visited. */
export interface FrontierEntry {
  /** Place in the order of discovery; the starting URL is at 0. */
  readonly position: number;
  readonly url: string;
  /** The page on which the URL was first found; null for the starting and initial URLs. */
  readonly linkedFrom: string | null;
  /** Links away from the starting and initial URLs. */
  readonly depth: number;
}

/** What became of a URL, each exactly one. */
export const URL_OUTCOMES = [
  /** A web page of the report, with a document to check. */
  'page',
  /** A web page of the report that gave no document. */
  'failed',
  /** Another URL stands for it: its redirects end there. */
  'redirected',
  /** Another URL stands for it: its page names that as the canonical one. */
  'duplicate',
  /** Something else than HTML answered. */
  'not_html',
  /** It lists pages, and is none. */
  'sitemap',
  /** The site's robots.txt disallows it. */
  'robots',
  /** One of the report's exclusions leaves it out. */
  'excluded',
  /** It belongs to another site. */
  'off_site',
  /** It is more links away than the report goes. */
  'too_deep',
  /** The report's pages are those that a sitemap lists, and this one is not among them. */
  'not_listed',
  /** Its web page was deleted from the report. */
  'deleted',
  /** The spider has not come to it, or never will when the crawl is over. */
  'waiting',
] as const;
export type UrlOutcome = (typeof URL_OUTCOMES)[number];

/** A URL that a crawl knows, and what became of it. */
export interface KnownUrl extends FrontierEntry {
  readonly outcome: UrlOutcome;
  /** The URL that stands for this one, when `redirected` or `duplicate`. */
  readonly target: string | null;
}

/** A URL as the store keeps it. */
export interface DiscoveredUrl extends KnownUrl {
  /** Of the answer to the request for this URL; null when there was none. */
  readonly httpStatus: number | null;
  /** What the outcome alone does not tell. */
  readonly detail: Failure | null;
}

/** A crawl that this process has taken on. What is written under a claim that is no longer the current one comes too late. */
export interface CrawlClaim {
  readonly reportId: string;
  readonly claimId: number;
  /** False when an earlier run may have sent requests a moment ago. */
  readonly isFirst: boolean;
}
