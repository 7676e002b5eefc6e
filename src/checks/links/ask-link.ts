import type { HttpClient } from '../../egress/http-client.ts';
import { HttpFault, type HttpFaultReason, toHttpFault } from '../../egress/http-fault.ts';
import { headerValue, type ResponseHead } from '../../egress/response-head.ts';
import { redirectOf } from '../../spider/redirect-response.ts';
import { redirectsMax } from './limits.ts';

/** Sends a request when the limiters allow it, without downloading the body. */
export type AskOnce = (url: string, method: 'HEAD' | 'GET') => Promise<ResponseHead>;

type Request = Parameters<HttpClient['request']>[0];

/** Options of all requests: bodies are not downloaded. */
export const NO_BODY: Pick<Request, 'bodyMaxBytes' | 'wantsBody'> = { bodyMaxBytes: 0, wantsBody: () => false };

/** Faults after which GET may succeed: some servers close the connection on HEAD. */
const FAULTS_OF_HEAD: readonly HttpFaultReason[] = ['connection_broken', 'invalid_answer', 'headers_timeout'];

/**
 * Requests a link and follows its redirects.
 * @throws errors of `ask` except HttpFault, which becomes a result
 */
export async function askLink(link: string, ask: AskOnce): Promise<LinkAnswer> {
  const visited = new Set<string>();
  let setsCookies = false;
  for (let url = link; ; ) {
    visited.add(url);
    const head = await askByHeadOrGet(url, ask);
    if (head instanceof HttpFault) return { kind: 'fault', reason: head.reason, url };
    const { status } = head;
    const redirect = redirectOf(url, head);
    if (redirect === null) return { kind: 'status', status, url };
    setsCookies ||= headerValue(head, 'set-cookie') !== null;
    const { target } = redirect;
    if (target === null) return { kind: 'redirect_without_target', status, url };
    if (visited.has(target)) return { kind: 'redirect_loop', url: target, setsCookies };
    if (visited.size > redirectsMax) return { kind: 'too_many_redirects', url: target };
    url = target;
  }
}

/** Sends HEAD to save the server from sending the page, and GET if HEAD fails, because many servers handle HEAD wrongly. */
async function askByHeadOrGet(url: string, ask: AskOnce): Promise<ResponseHead | HttpFault> {
  const head = await orFault(ask(url, 'HEAD'));
  const isRefused = head instanceof HttpFault ? FAULTS_OF_HEAD.includes(head.reason) : head.status >= 400;
  return isRefused ? orFault(ask(url, 'GET')) : head;
}

/** Returns a fault instead of throwing it. @throws other errors */
export async function orFault<Result>(answer: Promise<Result>): Promise<Result | HttpFault> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HttpFault) return toHttpFault(error, null);
    throw error;
  }
}

/** The result of requesting a link. */
export type LinkAnswer =
  /** The status of the last response, after all redirects. */
  | { readonly kind: 'status'; readonly status: number; readonly url: string }
  /** No usable response. */
  | { readonly kind: 'fault'; readonly reason: HttpFaultReason; readonly url: string }
  /** A redirect loop. If one of the redirects sets cookies, a browser might get out of it. */
  | { readonly kind: 'redirect_loop'; readonly url: string; readonly setsCookies: boolean }
  | { readonly kind: 'too_many_redirects'; readonly url: string }
  /** A redirect without a usable `Location`. */
  | { readonly kind: 'redirect_without_target'; readonly status: number; readonly url: string }
  /** The page has too many links, or their hosts were too slow. */
  | { readonly kind: 'not_checked' };

/** The links of a page and their results, in document order. */
export interface PageLinksAnswered {
  readonly links: readonly { readonly url: string; readonly answer: LinkAnswer }[];
}
