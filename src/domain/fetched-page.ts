import type { FetchedDocument } from './check.ts';
import type { Failure } from './failures/failure.ts';

/**
 * What requesting a URL came to, from the answer to what the store keeps of it. The crawl adds what it finds: where redirects
 * lead, what rendering adds to a document, which pages sitemaps list.
 */
export type FetchedPage =
  | DocumentPage
  | SitemapPage
  | FailedPage
  /** A good answer that is no page. */
  | {
      readonly kind: 'not_html';
      readonly httpStatus: number;
      readonly contentType: string;
      readonly failure: Failure;
    }
  /** `location` is absolute and normalised. */
  | { readonly kind: 'redirect'; readonly httpStatus: number; readonly location: string }
  /** It was not requested, since the site's robots.txt disallows it. */
  | { readonly kind: 'robots'; readonly failure: Failure }
  /** It was not requested: the frontier knew it, or the site does not include it. */
  | { readonly kind: 'stopped' };

/** What becomes a web page of the report. */
export type WebPageContent = DocumentPage | FailedPage;

export interface DocumentPage {
  readonly kind: 'document';
  readonly httpStatus: number;
  readonly document: FetchedDocument;
  readonly stored: StoredDocument;
  readonly title: string | null;
  /** Normalised URLs in document order, each once. */
  readonly links: readonly string[];
  /** The links without those that rendering added, where the page was rendered. */
  readonly linksAsSent?: readonly string[];
  /** How many links lead to a route behind `#`. */
  readonly hashRoutes: number;
  /** The canonical URL that the document names; null without one. */
  readonly canonical: string | null;
  /** Whether the document, as it was sent, asks for a password. */
  readonly hasPasswordField?: boolean;
  /** Present where the page was to be rendered. */
  readonly rendering?: PageRendering;
  /** What sitemaps of the site list besides, and these sitemaps. */
  readonly listed?: readonly ListedUrl[];
  readonly sitemaps?: readonly ReadSitemap[];
}

/** A document as the store keeps it. */
export interface StoredDocument {
  /** SHA-256 of the document as the server sent it. */
  readonly hash: Buffer;
  /** The document, compressed with zstd. */
  readonly body: Buffer;
  /** Bytes before compression. */
  readonly size: number;
}

/** What is kept of the rendering of a page. */
export interface PageRendering {
  /** Whether a browser has worked on the page: then it costs a credit, and only then. */
  readonly hasRun: boolean;
  /** Why it was not rendered; null when it was. */
  readonly error: Failure | null;
  /** What the report says of it, where it is no matter of this page alone. */
  readonly ofReport?: Failure | undefined;
}

export interface FailedPage {
  readonly kind: 'failed';
  /** Null when there was no answer. */
  readonly httpStatus: number | null;
  /** Of the answer; an empty string when it had none or there was none. */
  readonly contentType: string;
  /** Of the answer, for `Retry-After`; absent when there was none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly failure: Failure;
  /** Whether the site, as it seems, does not let in who signs in with what was sent. */
  readonly refusesAccess?: boolean;
}

/** A sitemap, which only the starting URL may give: the pages of the report are the listed ones. */
export interface SitemapPage {
  readonly kind: 'sitemap';
  readonly httpStatus: number;
  readonly sitemap: Sitemap;
  /** Every page that it lists, itself or through others; absent until these are read. */
  readonly listed?: readonly ListedUrl[];
  readonly sitemaps?: readonly ReadSitemap[];
  /** What is wrong with it; null or absent when all is well. */
  readonly failure?: Failure | null;
}

/** What a sitemap lists: pages, or further sitemaps. */
export interface Sitemap {
  readonly lists: 'pages' | 'sitemaps';
  /** Normalised URLs in document order, each once. */
  readonly urls: readonly string[];
  /** What is wrong with it, so that it may list more; null when all is well. */
  readonly problem: Failure | null;
}

export interface ListedUrl {
  readonly url: string;
  /** The sitemap that lists it. */
  readonly linkedFrom: string;
}

/** A sitemap that another one, or robots.txt, lists. */
export interface ReadSitemap extends ListedUrl {
  /** Where redirects led, in order. */
  readonly redirects: readonly { readonly location: string; readonly httpStatus: number }[];
  /** Of the last answer; null when there was none. */
  readonly httpStatus: number | null;
  /** What is wrong with it; null when it was read to its end. */
  readonly problem: Failure | null;
}

/** A page that could not be fetched, or not be accepted, for a reason that no answer gave. */
export function failedPage(failure: Failure, more: Partial<FailedPage> = {}): FailedPage {
  return { kind: 'failed', httpStatus: null, contentType: '', failure, ...more };
}
