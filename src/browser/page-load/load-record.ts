import type { Page, Request, Response } from 'playwright-core';
import type { DevtoolsSession } from '../devtools-session.ts';
import { recordedResourcesMax, recordedResponsesPerUrlMax, recordedUrlCharactersMax } from './limits.ts';
import { type ResponseBody, recordBodies } from './response-bodies.ts';

/** The responses that the browser used for a URL. They have the same status and validators. */
export interface RecordedResponse extends ResponseHead {
  /** The body of each response; empty if the browser does not have all of them. */
  readonly bodies: readonly ResponseBody[];
}

interface ResponseHead {
  readonly type: string;
  readonly status: number;
  /** A 304 has few of the headers of the copy that the browser has. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the browser only asked whether its copy, from another page of the report, is still the same. */
  readonly isRevalidated: boolean;
}

interface CountedResponse extends ResponseHead {
  /** Responses for the URL. */
  readonly count: number;
}

/** Records what a page and its frames load, to find out later whether all of it is still the same. */
export interface LoadRecord {
  /**
   * Returns the responses by URL, without the document of the page; null if something cannot be known to be the same again: a
   * request that has not ended, has failed or is not a GET, a server error, a connection that stays open, a worker, or a URL that
   * is requested again and again.
   */
  responses(): ReadonlyMap<string, RecordedResponse> | null;
  end(): void;
}

/** Types of requests whose responses depend on the moment. */
const UNREPEATABLE = new Set(['websocket', 'eventsource', 'media', 'texttrack']);
/** Types of requests that report to a server. Pages cannot see the responses. */
const REPORTS = new Set(['ping', 'cspviolationreport']);
/** Browsers don't use such resources if the status is an error, and report that they failed to load. */
export const UNUSED_AFTER_ERROR: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font']);
/** Contained in the document, or made by its scripts. */
const OF_THE_PAGE = /^(?:data|blob|about):/i;
/** Statuses of overloaded servers. The responses differ from one moment to the next. */
const BUSY_STATUSES: readonly number[] = [408, 425, 429];

export async function recordLoad(page: Page, cdp: DevtoolsSession): Promise<LoadRecord> {
  const responses = new Map<string, CountedResponse>();
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
    const type = request.resourceType();
    if (!isKnown || OF_THE_PAGE.test(url) || REPORTS.has(type) || isDocumentOf(page, request)) return;
    const isPlain = request.method() === 'GET' && /^https?:/i.test(url);
    const isSmall = url.length <= recordedUrlCharactersMax && responses.size + pending.size < recordedResourcesMax;
    if (giveUpUnless(isPlain && isSmall && !UNREPEATABLE.has(type))) pending.add(request);
  };
  const respond = (response: Response): void => {
    const request = response.request();
    if (!pending.has(request)) return;
    const is304 = response.status() === 304;
    const status = is304 ? 200 : response.status();
    const known = responses.get(request.url());
    const headers = is304 ? { ...known?.headers, ...response.headers() } : response.headers();
    const isSame = known === undefined || (known.status === status && sameVersion(known.headers, headers));
    const { type = request.resourceType(), count = 0, isRevalidated = true } = known ?? {};
    if (!giveUpUnless(isRepeatable(status) && isSame && count < recordedResponsesPerUrlMax)) return;
    const isCopy = is304 && isRevalidated;
    responses.set(request.url(), { type, status, headers, isRevalidated: isCopy, count: count + 1 });
  };
  const finish = (request: Request): void => void pending.delete(request);
  const fail = (request: Request): void => {
    if (!pending.delete(request)) return;
    const { status = 0, type = '' } = responses.get(request.url()) ?? {};
    giveUpUnless(status >= 400 && UNUSED_AFTER_ERROR.has(type));
  };
  const recorded = await recordBodies(cdp);
  page.on('request', begin);
  page.on('response', respond);
  page.on('requestfinished', finish);
  page.on('requestfailed', fail);
  page.on('websocket', giveUp);
  page.on('worker', giveUp);
  return {
    responses() {
      if (!isKnown || pending.size > 0) return null;
      const withBodies = ([url, { count, ...head }]: [string, CountedResponse]) => {
        const bodies = recorded.bodiesOf(url);
        return [url, { ...head, bodies: bodies.length === count ? bodies : [] }] as const;
      };
      return new Map([...responses].map(withBodies));
    },
    end() {
      page.off('request', begin);
      page.off('response', respond);
      page.off('requestfinished', finish);
      page.off('requestfailed', fail);
      page.off('websocket', giveUp);
      page.off('worker', giveUp);
      recorded.end();
    },
  };
}

function isRepeatable(status: number): boolean {
  return status >= 200 && status < 500 && status !== 206 && !BUSY_STATUSES.includes(status);
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
  return ['etag', 'last-modified', 'location', 'content-type'].every((name) => one[name] === other[name]);
}
