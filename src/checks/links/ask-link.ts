import type { HttpClient } from '../../egress/http-client.ts';
import { HttpFault, type HttpFaultReason, toHttpFault } from '../../egress/http-fault.ts';
import { headerValue, type ResponseHead } from '../../egress/response-head.ts';
import { decodeLocation } from '../../spider/fetch-page.ts';
import { normaliseUrl } from '../../spider/url.ts';
import { redirectsMax } from './limits.ts';

/** One request whose body nobody wants, sent in its turn. */
export type AskOnce = (url: string, method: 'HEAD' | 'GET') => Promise<ResponseHead>;

type Request = Parameters<HttpClient['request']>[0];

/** What requests of links have in common: nothing is downloaded. */
export const NO_BODY: Pick<Request, 'bodyMaxBytes' | 'wantsBody'> = { bodyMaxBytes: 0, wantsBody: () => false };

/** Faults that a GET might not have: servers hang up on a method that they do not know. */
const FAULTS_OF_HEAD: readonly HttpFaultReason[] = ['connection_broken', 'invalid_answer', 'headers_timeout'];

/**
 * Requests a link and follows its redirects.
 * @throws what `ask` throws, but for faults of HTTP, which are answers
 */
export async function askLink(link: string, ask: AskOnce): Promise<LinkAnswer> {
  const passed = new Set<string>();
  let setsCookies = false;
  for (let url = link; ; ) {
    passed.add(url);
    const head = await askPolitely(url, ask);
    if (head instanceof HttpFault) return { kind: 'fault', reason: head.reason, url };
    const { status } = head;
    if (!isRedirect(status)) return { kind: 'status', status, url };
    setsCookies ||= headerValue(head, 'set-cookie') !== null;
    const location = headerValue(head, 'location');
    const target = location === null ? null : normaliseUrl(decodeLocation(location), url);
    if (target === null) return { kind: 'redirect_without_target', status, url };
    if (passed.has(target)) return { kind: 'redirect_loop', url: target, setsCookies };
    if (passed.size > redirectsMax) return { kind: 'too_many_redirects', url: target };
    url = target;
  }
}

/** HEAD spares the server the page. As many servers answer it wrongly, only a GET is believed that says something is wrong. */
async function askPolitely(url: string, ask: AskOnce): Promise<ResponseHead | HttpFault> {
  const head = await orFault(ask(url, 'HEAD'));
  const isRefused = head instanceof HttpFault ? FAULTS_OF_HEAD.includes(head.reason) : head.status >= 400;
  return isRefused ? orFault(ask(url, 'GET')) : head;
}

async function orFault(answer: Promise<ResponseHead>): Promise<ResponseHead | HttpFault> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HttpFault) return toHttpFault(error, null);
    throw error;
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

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
