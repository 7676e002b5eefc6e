import type { FetchedDocument } from './check.ts';
import type { Failure } from './failures/failure.ts';

/**
 * The result of a request for a URL, from the response to the stored page. The crawl adds to it: targets of redirects, links that
 * rendering finds, pages that sitemaps list.
 */
export type FetchedPage =
  | DocumentPage
  | SitemapPage
  | FailedPage
  /** A successful response that is not HTML. */
  | {
      readonly kind: 'not_html';
      readonly httpStatus: number;
      readonly contentType: string;
      readonly failure: Failure;
    }
  /** `location` is absolute and normalized. */
  | { readonly kind: 'redirect'; readonly httpStatus: number; readonly location: string }
  /** Not requested because the site's robots.txt disallows it. */
  | { readonly kind: 'robots'; readonly failure: Failure }
  /** Not requested because the frontier knows it already, or it is not part of the site. */
  | { readonly kind: 'stopped' };

/** A result that becomes a web page of the report. */
export type WebPageContent = DocumentPage | FailedPage;

/** How a page was requested. */
interface Requested {
  /** Whether credentials were sent and not refused. Default: false. */
  readonly isSignedIn?: boolean;
}

export interface DocumentPage extends Requested {
  readonly kind: 'document';
  readonly httpStatus: number;
  readonly document: FetchedDocument;
  readonly stored: StoredDocument;
  readonly title: string | null;
  /** Normalized URLs in document order, each once. */
  readonly links: readonly string[];
  /** For a rendered page: the links in the document that the server sent. */
  readonly linksAsSent?: readonly string[];
  /** The links among them whose text or label says that they sign out. Absent for none. */
  readonly signOuts?: readonly string[];
  /** Number of links to a route after `#`. */
  readonly hashRoutes: number;
  /** The document's canonical URL, if any. */
  readonly canonical: string | null;
  /** Whether the document has a password field, before scripts run. */
  readonly hasPasswordField?: boolean;
  /** Present if the page was to be rendered. */
  readonly rendering?: PageRendering;
  /** URLs that sitemaps of the site list, and these sitemaps. */
  readonly listed?: readonly ListedUrl[];
  readonly sitemaps?: readonly ReadSitemap[];
}

/** A document as it is stored. */
export interface StoredDocument {
  /** SHA-256 of the document as the server sent it. */
  readonly hash: Buffer;
  /** The document, compressed with zstd. */
  readonly body: Buffer;
  /** Bytes before compression. */
  readonly size: number;
}

/** The result of rendering a page. */
export interface PageRendering {
  /** Whether a browser has worked on the page, which costs a credit. */
  readonly hasRun: boolean;
  /** Null if it was rendered. */
  readonly error: Failure | null;
  /** The error of the report, if the failure concerns more than this page. */
  readonly ofReport?: Failure | undefined;
}

export interface FailedPage extends Requested {
  readonly kind: 'failed';
  /** Null if there was no response. */
  readonly httpStatus: number | null;
  /** Empty if there was no response, or if it had no content type. */
  readonly contentType: string;
  /** The response headers, for `Retry-After`; absent if there was no response. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly failure: Failure;
  /** Whether the site seems to refuse the report's credentials. */
  readonly refusesAccess?: boolean;
}

/** A sitemap as the starting URL: the pages of the report are the pages that it lists. */
export interface SitemapPage {
  readonly kind: 'sitemap';
  readonly httpStatus: number;
  readonly sitemap: Sitemap;
  /** All pages that it lists, directly or through other sitemaps; absent until these are read. */
  readonly listed?: readonly ListedUrl[];
  readonly sitemaps?: readonly ReadSitemap[];
  /** Null or absent if there is none. */
  readonly failure?: Failure | null;
}

/** The content of a sitemap. */
export interface Sitemap {
  readonly lists: 'pages' | 'sitemaps';
  /** Normalized URLs in document order, each once. */
  readonly urls: readonly string[];
  /** Why it could not be read completely; null if it was. */
  readonly problem: Failure | null;
}

export interface ListedUrl {
  readonly url: string;
  /** The sitemap that lists it. */
  readonly linkedFrom: string;
}

/** A sitemap that another sitemap or robots.txt lists. */
export interface ReadSitemap extends ListedUrl {
  /** In the order in which they were followed. */
  readonly redirects: readonly { readonly location: string; readonly httpStatus: number }[];
  /** The status of the last response; null if there was none. */
  readonly httpStatus: number | null;
  /** Why it could not be read completely; null if it was. */
  readonly problem: Failure | null;
}

/** Creates the result of a request that failed, without a response unless `more` has one. */
export function failedPage(failure: Failure, more: Partial<FailedPage> = {}): FailedPage {
  return { kind: 'failed', httpStatus: null, contentType: '', failure, ...more };
}
