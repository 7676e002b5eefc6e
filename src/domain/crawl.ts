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

/**
 * What became of a URL: `page` (a document to check), `failed` (listed as a page that gave no document), `redirected` and
 * `canonical` (another URL stands for it), `sitemap` (the starting URL lists the pages), `not_html`, `robots` (robots.txt
 * disallows it), `excluded`, `outside` (led away from the site), `over_max_pages`.
 */
export type UrlOutcome =
  | 'page'
  | 'failed'
  | 'redirected'
  | 'canonical'
  | 'sitemap'
  | 'not_html'
  | 'robots'
  | 'excluded'
  | 'outside'
  | 'over_max_pages';

/** A URL as the store keeps it. */
export interface DiscoveredUrl extends FrontierEntry {
  /** Null while it waits. */
  readonly outcome: UrlOutcome | null;
  /** The URL that stands for this one, when `redirected` or `canonical`. */
  readonly target: string | null;
}

/** A crawl that this process has taken on. What is written under a claim that is no longer the current one comes too late. */
export interface CrawlClaim {
  readonly reportId: string;
  readonly claimId: number;
  /** False when an earlier run may have sent requests a moment ago. */
  readonly isFirst: boolean;
}
