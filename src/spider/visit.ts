import type { DocumentPage, FetchedPage } from '../domain/fetched-page.ts';

/** What comes of visiting a URL, as the frontier hears of it. */
export interface Visit {
  /** The URLs that redirects led to, in order; empty when the URL itself answered. */
  readonly hops: readonly string[];
  /** The HTTP statuses of these redirects, in order: the first is that of the URL itself. */
  readonly hopStatuses?: readonly number[];
  /** What the last hop, or the URL itself, gave. No redirect: those are hops. */
  readonly end: FetchedPage;
  /** A canonical URL that the document names and that gives a document too; `end` is null when that was known before. */
  readonly canonical: { readonly url: string; readonly end: DocumentPage | null } | null;
}

/** Whether a normalised URL belongs to the report. */
export type Judgement = 'inside' | 'excluded' | 'off_site';
