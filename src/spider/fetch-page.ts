import { setTimeout as delay } from 'node:timers/promises';
import { refusalBy, refusalByRedirect } from '../domain/access-refusal.ts';
import type { FetchedDocument } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import {
  type DocumentPage,
  type FailedPage,
  type FetchedPage,
  failedPage,
  type StoredDocument,
} from '../domain/fetched-page.ts';
import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import { HttpFault, toHttpFault } from '../egress/http-fault.ts';
import { documentMaxBytes } from '../egress/limits.ts';
import { busyForMs, type HeaderPair, type ResponseHead } from '../egress/response-head.ts';
import { packDocument, unpackDocument } from '../platform/packed-document.ts';
import type { Credentials } from './credentials.ts';
import { isHtmlDocument, mayBeHtml } from './decode-document.ts';
import { extractLinks } from './extract-links.ts';
import { type FaultLimits, fetchFailure, requestInSlot } from './limited-request.ts';
import { fetchAttemptsMax, RETRY_LIMITS, sitemapMaxBytes } from './limits.ts';
import { OverBudget, type Reservation } from './memory-budget.ts';
import type { RequestLimiter } from './rate-limiter.ts';
import { redirectOf } from './redirect-response.ts';
import { isSitemapCalledHtml, readSitemap, type SitemapLimit } from './sitemap.ts';
import type { Slot } from './slot-queue.ts';

/** A document that was fetched and stored before. */
export interface KnownDocument extends Omit<FetchedDocument, 'body'> {
  /** Bytes before compression. */
  readonly size: number;
  /** Reads the document. Undefined if it has been deleted in the meantime. */
  read(): Promise<StoredDocument | undefined>;
}

/** What the caller expects at a URL. */
export interface Expectation {
  /** What to read of a sitemap. Absent: no sitemap is expected, and only possible HTML is downloaded. */
  readonly sitemapLimit?: SitemapLimit | undefined;
  /** The document fetched here before. It is read and returned if the server reports that it has not changed. */
  readonly known?: KnownDocument | undefined;
  /** The memory budget that the document counts toward. */
  readonly budget?: Pick<Reservation, 'take'> | undefined;
}

interface FetchPageOptions extends Expectation {
  readonly limiter: RequestLimiter;
  readonly signal?: AbortSignal;
  readonly credentials?: Credentials | undefined;
}

/**
 * Requests a URL, without following redirects. Throws only the signal's reason, OverBudget, and errors of the limiter and of
 * reading the known document.
 */
export type FetchPage = (url: string, options: FetchPageOptions) => Promise<FetchedPage>;

/** The headers that a browser sends when it opens a page. */
const documentHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
};

export function createPageFetcher({ httpClient }: { readonly httpClient: HttpClient }): FetchPage {
  return async function fetchPage(url, options): Promise<FetchedPage> {
    const { known } = options;
    const outcome = await requestedPage(httpClient, url, options, known === undefined ? {} : conditionsFor(known));
    if (outcome.kind !== 'unchanged') return outcome;
    const page = known && (await confirmedPage(known, keptHeaders(url, outcome.response, options), options));
    return page ?? fetchPage(url, { ...options, known: undefined });
  };
}

interface UnchangedPage {
  readonly kind: 'unchanged';
  readonly response: HttpResponse;
}

/** @param conditions headers by which the server may report that the document has not changed */
async function requestedPage(
  httpClient: HttpClient,
  url: string,
  options: FetchPageOptions,
  conditions: Readonly<Record<string, string>>,
): Promise<FetchedPage | UnchangedPage> {
  const { limiter, signal, sitemapLimit } = options;
  const isConditional = Object.keys(conditions).length > 0;
  const headers = { ...documentHeaders, ...conditions };
  const bodyMaxBytes = sitemapLimit === undefined ? documentMaxBytes : sitemapMaxBytes;
  for (let attempt = 1; ; attempt += 1) {
    const slot = await limiter.acquire(signal, url);
    try {
      const response = await requestPage(httpClient, slot, url, { ...options, headers }, bodyMaxBytes);
      if (isConditional && response.status === 304) return { kind: 'unchanged', response };
      return await pageFrom(url, response, options);
    } catch (error) {
      signal?.throwIfAborted();
      const fault = toHttpFault(error, null);
      // A server may close an idle connection just when a request is sent. The page is not the cause of that.
      if (fault.reason === 'connection_broken' && attempt < fetchAttemptsMax) continue;
      return afterFault(fault, url, { ...httpClient.limits, bodyMaxBytes });
    }
  }
}

function afterFault(fault: HttpFault, url: string, limits: FaultLimits): FailedPage {
  if (fault.reason === 'no_room')
    throw new OverBudget('The page does not fit into the memory budget.', { cause: fault });
  return errorOutcome(fetchFailure(fault, url, limits), fault.head);
}

function requestPage(
  httpClient: HttpClient,
  slot: Slot,
  url: string,
  {
    signal,
    credentials,
    sitemapLimit,
    budget,
    headers,
  }: FetchPageOptions & { headers: Readonly<Record<string, string>> },
  bodyMaxBytes: number,
): Promise<HttpResponse> {
  return requestInSlot(httpClient, slot, {
    url,
    headers,
    credentials,
    bodyMaxBytes,
    ...(signal === undefined ? {} : { signal }),
    ...(budget === undefined ? {} : { takeRoom: budget.take }),
    wantsBody: (head) => mayBeDocument(head) || (sitemapLimit !== undefined && mayBeSitemap(head)),
  });
}

async function pageFrom(url: string, response: HttpResponse, options: FetchPageOptions): Promise<FetchedPage> {
  const { status: httpStatus, body } = response;
  const { credentials, sitemapLimit } = options;
  if (!hasContent(response)) return pageWithoutContent(url, response, credentials);
  const contentType = contentTypeOf(response);
  const notHtml = {
    kind: 'not_html',
    httpStatus,
    contentType,
    failure: { code: 'not_html', params: { content_type: contentType } },
  } as const;
  if (body === null) return notHtml;
  const isHtml = isHtmlDocument(body, contentType);
  if (sitemapLimit !== undefined && (!isHtml || isSitemapCalledHtml(body, contentType))) {
    const sitemap = await readSitemap({ url, contentType, body }, sitemapLimit);
    if (sitemap !== null) return { kind: 'sitemap', httpStatus, sitemap };
  }
  if (!isHtml) return notHtml;
  // Bodies that may be sitemaps have a higher limit.
  if (body.byteLength > documentMaxBytes) throw new HttpFault('body_too_large', { head: response });
  const headers = keptHeaders(url, response, options);
  return documentPage({ url, httpStatus, contentType, headers, body });
}

/** Extracts the links of a document and compresses it for storage. */
export async function documentPage(document: FetchedDocument): Promise<DocumentPage> {
  return storedPage(document, await packDocument(document.body));
}

function storedPage(document: FetchedDocument, stored: StoredDocument): DocumentPage {
  return { kind: 'document', httpStatus: document.httpStatus, document, stored, ...extractLinks(document) };
}

/** Returns the page of a document that has not changed; undefined if the document has been deleted. Throws OverBudget. */
async function confirmedPage(
  { read, size, ...known }: KnownDocument,
  fresh: readonly HeaderPair[],
  { budget }: FetchPageOptions,
): Promise<DocumentPage | undefined> {
  if (budget?.take(size) === false) throw new OverBudget('The earlier document does not fit into the memory budget.');
  const stored = await read();
  if (stored === undefined) return undefined;
  const body = await unpackDocument(stored.body);
  return storedPage({ ...known, headers: confirmed(known.headers, fresh), body }, stored);
}

/** Returns the headers to store. A cookie set for a signed-in visitor may be as secret as a password, so it is not stored. */
function keptHeaders(url: string, { headers }: ResponseHead, { credentials }: FetchPageOptions): readonly HeaderPair[] {
  return (credentials?.sentTo(url) ?? null) !== null ? headers.filter(([name]) => name !== 'set-cookie') : headers;
}

function pageWithoutContent(url: string, response: HttpResponse, credentials: Credentials | undefined): FetchedPage {
  const { status: httpStatus } = response;
  const sent = credentials?.sentTo(url) ?? null;
  const redirect = redirectOf(url, response);
  if (redirect !== null) {
    const { target } = redirect;
    if (target === null) return errorOutcome({ code: 'redirect_without_location', params: {} }, response);
    const refusal = sent === null ? null : refusalByRedirect(url, target, sent);
    if (refusal !== null) return { ...errorOutcome(refusal, response), refusesAccess: true };
    return { kind: 'redirect', httpStatus, location: target };
  }
  if (isSuccess(httpStatus)) {
    return errorOutcome({ code: 'no_content', params: { status: httpStatus } }, response);
  }
  return failureByStatus(url, response, credentials);
}

/** Returns the failure for an error status; if it requires authentication, with advice. */
function failureByStatus(url: string, response: HttpResponse, credentials: Credentials | undefined): FailedPage {
  const { status } = response;
  const sent = credentials?.sentTo(url) ?? null;
  const refusal = sent === null ? null : refusalBy(status, sent);
  const lacksBasic = status === 401 && credentials?.headersFor(url)['authorization'] === undefined;
  const params = { status };
  const failure: Failure =
    lacksBasic && challengesBasic(response)
      ? { code: 'basic_auth_wanted', params }
      : (refusal ?? { code: status === 401 ? 'sign_in_wanted' : 'error_status', params });
  return { ...errorOutcome(failure, response), refusesAccess: refusal !== null };
}

/** Whether a response asks for HTTP Basic credentials (RFC 7617). */
function challengesBasic({ headers }: ResponseHead): boolean {
  const challenges = headers.filter(([name]) => name === 'www-authenticate').map(([, value]) => value);
  return /(^|,)\s*basic(\s|,|$)/i.test(challenges.join(','));
}

function mayBeDocument(head: ResponseHead): boolean {
  return hasContent(head) && mayBeHtml(contentTypeOf(head));
}

/** Sitemaps and feeds are served with many content types, but not with the types of images, audio, video and the like. */
function mayBeSitemap(head: ResponseHead): boolean {
  return (
    hasContent(head) && !/^\s*(?:(?:image|audio|video|font)\/|application\/(?:pdf|zip)\b)/i.test(contentTypeOf(head))
  );
}

function hasContent({ status }: ResponseHead): boolean {
  return isSuccess(status) && status !== 204 && status !== 205;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Of repeated Content-Type headers, the last one counts (Fetch Standard, "extract a MIME type"). */
function contentTypeOf(head: ResponseHead): string {
  return head.headers.findLast(([name]) => name === 'content-type')?.[1].trim() ?? '';
}

function errorOutcome(failure: Failure, head: ResponseHead | null): FailedPage {
  if (head === null) return failedPage(failure);
  return failedPage(failure, { httpStatus: head.status, contentType: contentTypeOf(head), headers: head.headers });
}

/** A valid entity tag (RFC 9110, 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
/** A document that changed twice within a second has the same `Last-Modified` (RFC 9110, 8.8.2.2). */
const MODIFIED_BEFORE_MS = 1_000;

/** Headers of a 304 that describe its transfer or the connection, not the stored document. */
const OF_THE_TRANSFER =
  /^(?:connection|keep-alive|proxy-\S+|te|trailer|transfer-encoding|upgrade|etag|content-(?:encoding|length|location|md5|range|type))$/;

/**
 * Returns the headers that request a document only if it has changed since it was fetched (RFC 9110, 13.1). Empty if the document
 * has no reliable validator.
 */
export function conditionsFor({
  httpStatus,
  headers,
}: Pick<FetchedDocument, 'httpStatus' | 'headers'>): Readonly<Record<string, string>> {
  if (httpStatus !== 200) return {};
  const tag = onlyValue(headers, 'etag');
  const modified = onlyValue(headers, 'last-modified');
  const age = Date.parse(onlyValue(headers, 'date')) - Date.parse(modified);
  return {
    ...(ENTITY_TAG.test(tag) ? { 'if-none-match': tag } : {}),
    ...(age >= MODIFIED_BEFORE_MS ? { 'if-modified-since': modified } : {}),
  };
}

/** Returns the headers of a stored document, updated with the headers of a 304 (RFC 9111, 3.2 and 4.3.4). */
export function confirmed(known: readonly HeaderPair[], fresh: readonly HeaderPair[]): readonly HeaderPair[] {
  const updates = fresh.filter(([name]) => !OF_THE_TRANSFER.test(name));
  const updated = new Set(updates.map(([name]) => name));
  return [...known.filter(([name]) => !updated.has(name)), ...updates];
}

/** Returns the value of a header that occurs once, else an empty string. */
function onlyValue(headers: readonly HeaderPair[], name: string): string {
  const values = headers.filter(([key]) => key === name).map(([, value]) => value.trim());
  return values.length === 1 ? (values[0] ?? '') : '';
}

/**
 * Fetches the pages of one crawl, and obeys busy servers. After 429, and after 503 with `Retry-After`, the whole crawl rests for
 * that time, continues at half its rate and requests the URL again. After several failures in a row, it slows down, too. It
 * speeds up again while requests succeed.
 */
export function createRetryingFetcher(
  fetchPage: FetchPage,
  limiter: RequestLimiter,
  limits: Readonly<Record<keyof typeof RETRY_LIMITS, number>> = RETRY_LIMITS,
): (url: string, options: Omit<Parameters<FetchPage>[1], 'limiter'>) => Promise<FetchedPage> {
  let givenUp = 0;
  /** Failures in a row. */
  let failures = 0;

  const noteHealth = (outcome: FetchedPage): void => {
    failures = hasFailed(outcome) ? failures + 1 : 0;
    if (failures === 0) limiter.recover();
    else if (failures % limits.failuresMax === 0) limiter.falter();
  };

  return async (url, options) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await fetchPage(url, { ...options, limiter });
      const restMs = restAfter(outcome, limits.defaultRestMs * 2 ** (attempt - 1));
      if (outcome.kind !== 'failed' || restMs === null) {
        noteHealth(outcome);
        return outcome;
      }
      const isHopeless = restMs > limits.restMaxMs || attempt >= limits.attemptsMax;
      if (isHopeless) givenUp += 1;
      if (isHopeless || givenUp > limits.givenUpMax) {
        return { ...outcome, failure: { code: 'too_busy', params: { why: outcome.failure } } };
      }
      limiter.slowDown(restMs);
      // The limiter delays all other requests; this request must not take a slot while it waits.
      await delay(restMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  };
}

/** Whether the server gave no response, or a server error. */
function hasFailed(outcome: FetchedPage): boolean {
  return outcome.kind === 'failed' && (outcome.httpStatus === null || outcome.httpStatus >= 500);
}

/** Returns the milliseconds to rest after a response; null if the server is not busy. */
function restAfter(outcome: FetchedPage, defaultMs: number): number | null {
  if (outcome.kind !== 'failed' || outcome.httpStatus === null) return null;
  return busyForMs({ status: outcome.httpStatus, headers: outcome.headers ?? [] }, Date.now(), defaultMs);
}
