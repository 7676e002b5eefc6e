import type { Failure } from '../domain/failures/failure.ts';

/** What comes of visiting a URL, as the frontier hears of it. */

/** What is told of a page whose redirects lead back to it. */
export const REDIRECT_CIRCLE: Failure = { code: 'redirect_circle', params: {} };

/** How a visit ended, after its redirects. */
export type VisitEnd = (
  | DocumentEnd
  /** A sitemap, which only the starting URL may give: the pages of the report are the listed ones. */
  | { readonly kind: 'sitemap'; readonly listed: readonly ListedUrl[]; readonly sitemaps?: readonly ReadSitemap[] }
  | { readonly kind: 'failed' }
  | { readonly kind: 'not_html' }
  | { readonly kind: 'robots' }
  /** The last hop, or the URL itself, was not requested: the frontier knew it, or the site does not include it. */
  | { readonly kind: 'stopped' }
) & {
  /** Null or absent when there was no answer. */
  readonly httpStatus?: number | null;
  /** What the kind alone does not tell. */
  readonly failure?: Failure | null;
};

/** A document, with its links in document order, each once, and what sitemaps of its site list besides. */
export interface DocumentEnd {
  readonly kind: 'document';
  readonly links: readonly string[];
  /** The links without those that rendering added, where the page was rendered. */
  readonly linksAsSent?: readonly string[];
  readonly listed?: readonly ListedUrl[];
  readonly sitemaps?: readonly ReadSitemap[];
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

export interface Visit<End extends VisitEnd = VisitEnd> {
  /** The URLs that redirects led to, in order; empty when the URL itself answered. */
  readonly hops: readonly string[];
  /** The HTTP statuses of these redirects, in order: the first is that of the URL itself. */
  readonly hopStatuses?: readonly number[];
  readonly end: End;
  /** A canonical URL that the document names and that gives a document too; `end` is null when that was known before. */
  readonly canonical: { readonly url: string; readonly end: End | null } | null;
}

/** Whether a normalised URL belongs to the report. */
export type Judgement = 'inside' | 'excluded' | 'off_site';
