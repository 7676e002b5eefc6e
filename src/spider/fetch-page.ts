import { isUtf8 } from 'node:buffer';
import type { FetchedDocument } from '../domain/check.ts';
import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import { toHttpFault } from '../egress/http-fault.ts';
import { type HeaderPair, headerValue, type ResponseHead } from '../egress/response-head.ts';
import { faultMessage } from './fetch-error.ts';
import { documentMaxBytes, fetchAttemptsMax } from './limits.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { looksLikeHtml } from './sniff-html.ts';
import { normaliseUrl } from './url.ts';

/** What one request for one URL came to. */
export type FetchOutcome =
  | { readonly kind: 'document'; readonly document: FetchedDocument }
  | {
      readonly kind: 'redirect';
      readonly httpStatus: number;
      /** Absolute and normalised. */
      readonly location: string;
    }
  /** A good answer that is no HTML; it was not downloaded. */
  | { readonly kind: 'other'; readonly httpStatus: number; readonly contentType: string }
  | FetchError;

interface FetchError {
  readonly kind: 'error';
  /** Null when there was no answer. */
  readonly httpStatus: number | null;
  /** Of the answer; an empty string when it had none or there was none. */
  readonly contentType: string;
  /** Of the answer, for `Retry-After`; empty when there was none. */
  readonly headers: readonly HeaderPair[];
  /** A sentence that the site's owner understands, without its full stop. */
  readonly message: string;
}

interface FetchPageOptions {
  readonly limiter: RateLimiter;
  readonly signal?: AbortSignal;
}

/** One request for one URL. Redirects are not followed. Throws only the signal's reason. */
export type FetchPage = (url: string, options: FetchPageOptions) => Promise<FetchOutcome>;

/** What a browser says that it wants when it opens a page. */
const documentHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
};

export function createPageFetcher({ httpClient }: { readonly httpClient: HttpClient }): FetchPage {
  return async (url, { limiter, signal }) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return judge(url, await requestPage(httpClient, url, limiter, signal));
      } catch (error) {
        signal?.throwIfAborted();
        const fault = toHttpFault(error, null);
        // A server may close a kept connection just when a request goes out; that says nothing about the page.
        if (fault.reason === 'connection_broken' && attempt < fetchAttemptsMax) continue;
        return errorOutcome(faultMessage(fault, url, { ...httpClient.limits, documentMaxBytes }), fault.head);
      }
    }
  };
}

async function requestPage(
  httpClient: HttpClient,
  url: string,
  limiter: RateLimiter,
  signal: AbortSignal | undefined,
): Promise<HttpResponse> {
  const slot = await limiter.acquire(signal);
  try {
    return await httpClient.request({
      url,
      headers: documentHeaders,
      bodyMaxBytes: documentMaxBytes,
      ...(signal === undefined ? {} : { signal }),
      wantsBody: mayBeDocument,
      onWritten: () => slot.written(),
      onAnswered: () => slot.answered(),
    });
  } finally {
    slot.abandoned();
  }
}

function judge(url: string, response: HttpResponse): FetchOutcome {
  const { status: httpStatus, headers, body } = response;
  const contentType = contentTypeOf(response);
  const location = headerValue(response, 'location');
  if (isRedirect(httpStatus)) {
    const target = location === null ? null : normaliseUrl(decodeLocation(location), url);
    if (target !== null) return { kind: 'redirect', httpStatus, location: target };
    if (httpStatus !== 300) return errorOutcome('The redirect has no or an invalid Location', response);
  }
  if (httpStatus === 204 || httpStatus === 205) {
    return errorOutcome(`The page answered ${httpStatus} without content`, response);
  }
  if (!isSuccess(httpStatus)) return errorOutcome(`The page answered ${httpStatus}`, response);
  if (body === null || (mediaKind(contentType) === 'unknown' && !looksLikeHtml(body))) {
    return { kind: 'other', httpStatus, contentType };
  }
  return { kind: 'document', document: { url, httpStatus, contentType, headers, body } };
}

function mayBeDocument(head: ResponseHead): boolean {
  if (!isSuccess(head.status) || head.status === 204 || head.status === 205) return false;
  return mediaKind(contentTypeOf(head)) !== 'other';
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Statuses that send a reader on; 304 to 306 do not. */
function isRedirect(status: number): boolean {
  return (status >= 300 && status <= 303) || status === 307 || status === 308;
}

/** Of repeated Content-Type headers the last counts (Fetch Standard, "extract a MIME type"). */
function contentTypeOf(head: ResponseHead): string {
  return head.headers.findLast(([name]) => name === 'content-type')?.[1].trim() ?? '';
}

/** `unknown` is a type that is missing or none at all, so that the content has to tell. */
function mediaKind(contentType: string): 'html' | 'other' | 'unknown' {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html';
  return /^[^/\s]+\/[^/\s]+$/.test(essence) ? 'other' : 'unknown';
}

/** Servers send UTF-8 in a Location as it is, where only ASCII is allowed; browsers read it as UTF-8. */
function decodeLocation(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1;
}

function errorOutcome(message: string, head: ResponseHead | null): FetchError {
  if (head === null) return { kind: 'error', httpStatus: null, contentType: '', headers: [], message };
  return { kind: 'error', httpStatus: head.status, contentType: contentTypeOf(head), headers: head.headers, message };
}
