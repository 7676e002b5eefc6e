import type { FetchedDocument } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { ListedUrl, ReadSitemap } from '../spider/visit.ts';
import type { PageRendering } from '../store/crawl-progress.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { SitemapPages } from './visit-sitemap.ts';

/** How a visit ended, with everything that the store keeps of it. */
export type PageEnd =
  | {
      readonly kind: 'document';
      readonly links: readonly string[];
      readonly linksAsSent?: readonly string[];
      /** How many links lead to a route behind `#`. */
      readonly hashRoutes: number;
      readonly listed?: readonly ListedUrl[];
      readonly sitemaps?: readonly ReadSitemap[];
      readonly httpStatus: number;
      readonly document: FetchedDocument;
      readonly stored: StoredDocument;
      readonly title: string | null;
      /** Whether the document, as it was sent, asks for a password. */
      readonly hasPasswordField?: boolean;
      /** Present where the page was to be rendered. */
      readonly rendering?: PageRendering & { readonly ofReport?: Failure | undefined };
    }
  | ({ readonly kind: 'sitemap'; readonly httpStatus: number } & SitemapPages)
  | {
      readonly kind: 'failed';
      readonly httpStatus: number | null;
      readonly contentType: string;
      readonly failure: Failure;
      /** Whether the site, as it seems, does not let in who signs in with what was sent. */
      readonly refusesAccess?: boolean;
    }
  | { readonly kind: 'not_html'; readonly httpStatus: number; readonly contentType: string; readonly failure: Failure }
  | { readonly kind: 'robots'; readonly failure: Failure }
  | { readonly kind: 'stopped' };

export type DocumentEnd = Extract<PageEnd, { kind: 'document' }>;

/** Where the redirects of a URL ended. */
export interface EndAnswer {
  readonly kind: 'end';
  readonly end: PageEnd;
  /** The canonical URL that the answer names; null without one. */
  readonly canonical: string | null;
}
