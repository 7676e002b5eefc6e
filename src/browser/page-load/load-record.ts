import type { Page, Request, Response } from 'playwright-core';
import { recordedResourcesMax, recordedUrlCharactersMax } from './limits.ts';

/** A response that the browser used. */
export interface RecordedResponse {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Records what a page and its frames load, to find out later whether all of it is still the same. */
export interface LoadRecord {
  /**
   * Returns the responses by URL, without the document of the page; null if something cannot be known to be the same again: a
   * response that has not arrived, failed, was redirected or must not be stored, a request that is no GET, a connection that
   * stays open, or a worker.
   */
  responses(): ReadonlyMap<string, RecordedResponse> | null;
  end(): void;
}

/** Types of requests whose responses depend on the moment, or that report to a server. */
const UNREPEATABLE = new Set(['websocket', 'eventsource', 'ping', 'media', 'texttrack']);
/** Contained in the document, or made by its scripts. */
const OF_THE_PAGE = /^(?:data|blob|about):/i;
/** The second one if the browser had a copy from another page of the report. */
const COMPLETE: readonly number[] = [200, 304];

export function recordLoad(page: Page): LoadRecord {
  const responses = new Map<string, RecordedResponse>();
  const pending = new Set<Request>();
  let isKnown = true;
  const giveUp = (): void => {
    isKnown = false;
  };
  const giveUpUnless = (isFine: boolean): boolean => {
    isKnown &&= isFine;
    return isFine;
  };
  const begin = (request: Request): void => {
    const url = request.url();
    if (!isKnown || OF_THE_PAGE.test(url) || isDocumentOf(page, request)) return;
    const isPlain = request.method() === 'GET' && request.redirectedFrom() === null && /^https?:/i.test(url);
    const isSmall = url.length <= recordedUrlCharactersMax && responses.size + pending.size < recordedResourcesMax;
    if (giveUpUnless(isPlain && isSmall && !UNREPEATABLE.has(request.resourceType()))) pending.add(request);
  };
  const respond = (response: Response): void => {
    const request = response.request();
    if (!pending.has(request)) return;
    const headers = response.headers();
    const known = responses.get(request.url());
    const isSame = known === undefined || sameVersion(known.headers, headers);
    const isStored = !/no-store/i.test(headers['cache-control'] ?? '') && headers['vary']?.trim() !== '*';
    const isUsable = COMPLETE.includes(response.status()) && isSame && isStored;
    if (giveUpUnless(isUsable)) responses.set(request.url(), { type: request.resourceType(), headers });
  };
  const finish = (request: Request): void => void pending.delete(request);
  const fail = (request: Request): void => {
    if (pending.has(request)) giveUp();
  };
  page.on('request', begin);
  page.on('response', respond);
  page.on('requestfinished', finish);
  page.on('requestfailed', fail);
  page.on('websocket', giveUp);
  page.on('worker', giveUp);
  return {
    responses: () => (isKnown && pending.size === 0 ? responses : null),
    end() {
      page.off('request', begin);
      page.off('response', respond);
      page.off('requestfinished', finish);
      page.off('requestfailed', fail);
      page.off('websocket', giveUp);
      page.off('worker', giveUp);
    },
  };
}

function isDocumentOf(page: Page, request: Request): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    // The frame is gone.
    return false;
  }
}

function sameVersion(one: RecordedResponse['headers'], other: RecordedResponse['headers']): boolean {
  return one['etag'] === other['etag'] && one['last-modified'] === other['last-modified'];
}
