import type { Failure } from './failures/failure.ts';
import type { DocumentPage, FetchedPage } from './fetched-page.ts';

/** The types of a crawl. */

/** A URL to visit. */
export interface FrontierEntry {
  /** Position in the order of discovery; the starting URL has 0. */
  readonly position: number;
  readonly url: string;
  /** The page on which the URL was first found; null for the starting and initial URLs. */
  readonly linkedFrom: string | null;
  /** Distance from the starting and initial URLs, in links. */
  readonly depth: number;
}

/** The outcomes of URLs. Each URL has exactly one. */
export const URL_OUTCOMES = [
  /** A web page of the report, with a document to check. */
  'page',
  /** A web page of the report without a document. */
  'failed',
  /** It redirects to another URL. */
  'redirected',
  /** Its page names another URL as the canonical one. */
  'duplicate',
  /** Its response is not HTML. */
  'not_html',
  /** It is a sitemap, not a page. */
  'sitemap',
  /** The site's robots.txt disallows it. */
  'robots',
  /** It matches an exclusion of the report. */
  'excluded',
  /** The report has inclusions, and it matches none of them. */
  'not_included',
  /** It belongs to another site. */
  'off_site',
  /** It is deeper than the report follows links. */
  'too_deep',
  /** The report has the pages of a sitemap, which does not list it. */
  'not_listed',
  /** Its web page was deleted from the report. */
  'deleted',
  /** The spider has not visited it yet, or had not when the crawl ended. */
  'waiting',
] as const;
export type UrlOutcome = (typeof URL_OUTCOMES)[number];

/** A URL that a crawl knows, with its outcome. */
export interface KnownUrl extends FrontierEntry {
  readonly outcome: UrlOutcome;
  /** The URL that replaces it if it is `redirected` or `duplicate`, else null. */
  readonly target: string | null;
}

/** A URL as it is stored. */
export interface DiscoveredUrl extends KnownUrl {
  /** Null if the URL was not requested or did not respond. */
  readonly httpStatus: number | null;
  /** Explains the outcome. */
  readonly detail: Failure | null;
}

/** The codes of a report's `crawl_error` if its crawl was stopped, or interrupted too often. */
export const CUT_SHORT = ['report_stopped', 'crawl_broke_off'] as const;

/** Returns why a report ended before it was complete; null if it was not cut short. @param code of its `crawl_error` */
export function cutShortBy(code: string | null | undefined): (typeof CUT_SHORT)[number] | null {
  return CUT_SHORT.find((known) => known === code) ?? null;
}

/** A crawl that this process has claimed. It can change the report only while the claim is the current one. */
export interface CrawlClaim {
  readonly reportId: string;
  readonly claimId: number;
  /** False if an earlier run may have just sent requests. */
  readonly isFirst: boolean;
}

/** The result of visiting a URL. */
export interface Visit {
  /** The redirect targets in order; empty if the URL itself responded. */
  readonly hops: readonly string[];
  /** The HTTP statuses of these redirects in order; the first is the status of the URL itself. */
  readonly hopStatuses?: readonly number[];
  /** The response of the last hop, or of the URL itself. Never a redirect: redirects are hops. */
  readonly end: FetchedPage;
  /** The canonical URL of the document, if it also returns a document; `end` is null if the frontier already knew the URL. */
  readonly canonical: { readonly url: string; readonly end: DocumentPage | null } | null;
}

/** Whether a normalized URL belongs to the report. */
export type Membership = 'inside' | 'excluded' | 'not_included' | 'off_site';
