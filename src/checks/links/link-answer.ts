import type { HttpFaultReason } from '../../egress/http-fault.ts';

/** What became of requesting a link. */
export type LinkAnswer =
  /** The status of the last answer, after all redirects. */
  | { readonly kind: 'status'; readonly status: number; readonly url: string }
  /** No usable answer. */
  | { readonly kind: 'fault'; readonly reason: HttpFaultReason; readonly url: string }
  /** Redirects that lead back to where they came from. With a cookie set on the way, a browser might get through. */
  | { readonly kind: 'redirect_loop'; readonly url: string; readonly setsCookies: boolean }
  | { readonly kind: 'too_many_redirects'; readonly url: string }
  /** A redirect without a usable `Location`. */
  | { readonly kind: 'redirect_without_target'; readonly status: number; readonly url: string }
  /** The page has too many links, or their hosts were too slow. */
  | { readonly kind: 'not_checked' };

/** The links of a page with what became of each, in the order of the document. */
export interface PageLinksAnswered {
  readonly links: readonly { readonly url: string; readonly answer: LinkAnswer }[];
}
