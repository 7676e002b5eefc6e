import type { DocumentPage, FetchedPage } from '../domain/fetched-page.ts';

/** The result of visiting a URL. */
export interface Visit {
  /** The redirect targets in order; empty if the URL itself answered. */
  readonly hops: readonly string[];
  /** The HTTP statuses of these redirects in order; the first is that of the URL itself. */
  readonly hopStatuses?: readonly number[];
  /** The answer of the last hop, or of the URL itself. Never a redirect: those are hops. */
  readonly end: FetchedPage;
  /** The canonical URL of the document, if it gives a document too; `end` is null if that was known before. */
  readonly canonical: { readonly url: string; readonly end: DocumentPage | null } | null;
}

/** Whether a normalised URL belongs to the report. */
export type Judgement = 'inside' | 'excluded' | 'off_site';
