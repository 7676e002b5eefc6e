import { createHash } from 'node:crypto';
import type { BrowserContext, Page, Request, Response } from 'playwright-core';
import { answersPerAddressMax, cachedVersionsMax, requestsWatchedMax, streamAfterMs } from './limits.ts';

/** Types of requests that stay open, or that do not change what a page shows. */
const NEVER_ENDING = new Set(['websocket', 'eventsource', 'media', 'ping', 'texttrack']);
/** Types of resources that affect the look and the content of a document. */
const SHAPING = new Set(['stylesheet', 'script', 'font']);
/** Headers that differ between two versions of a resource, the most reliable one first (RFC 9110, section 8.8). */
const VALIDATORS = ['etag', 'last-modified', 'content-length'] as const;
const NOT_MODIFIED = 304;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const BAD_GATEWAY = 502;
/** Types of requests for data that scripts show. */
const DATA = new Set(['fetch', 'xhr']);
/** Errors of connections to servers that are down or overloaded. */
const LOST = /net::ERR_(?:CONNECTION|CONTENT_LENGTH|EMPTY|HTTP2|INCOMPLETE|QUIC|SOCKET|TIMED|TUNNEL)\w+/;
/** Number of characters of URLs and bodies that are compared. */
const ADDRESS_CHARACTERS = 1_000;
/** Number of characters of a validator that are compared. Servers send a few dozen. */
const VALIDATOR_CHARACTERS = 200;
/** Hexadecimal digits of the digest of a page's resources: 16 bytes. */
const RESOURCES_DIGITS = 32;

/** Tracks the requests of a page and its frames. */
export interface RequestWatch {
  /** The URL of the oldest pending request; null for none. */
  oldestPending(): string | null;
  /** Whether the page has requested a script. */
  hasLoadedScript(): boolean;
  /** The first script of an origin that its server failed to send, and why; null if there is none. */
  missingScript(origin: string): MissingPart | null;
  /** The first data of an origin that scripts requested and its server failed to send, and why; null if there is none. */
  missingData(origin: string): MissingPart | null;
  /** How many times an awaited request has started or ended. An unchanged number means that nothing happened in between. */
  events(): number;
  /**
   * Resolves when no awaited request is pending, or after `limitMs`. Streams (responses that do not end) and polling (repeated
   * requests to one address) are not awaited.
   */
  idle(limitMs: number): Promise<void>;
  /**
   * Returns a digest of the style sheets, scripts and fonts that have been loaded so far, in hexadecimal: a digest of their URLs,
   * statuses and validators. It is the same for the same resources in any order.
   */
  resources(): string;
  end(): void;
}

/** What a server failed to send. */
export interface MissingPart {
  readonly url: string;
  /** The status of the response, or the error of the browser. */
  readonly text: string;
}

/**
 * Whether a server is down or overloaded; proxies in front of it send other statuses, such as 522. Some sites respond to requests
 * for data with 500 at all times.
 */
function isDown(status: number, isData: boolean): boolean {
  return status === TOO_MANY_REQUESTS || status >= (isData ? BAD_GATEWAY : SERVER_ERROR);
}

export function watchRequests(page: Page): RequestWatch {
  const pending = new Set<Request>();
  const awaited = new Set<Request>();
  const streamTimers = new Map<Request, NodeJS.Timeout>();
  const answers = new Map<string, number>();
  const idleListeners = new Set<() => void>();
  let events = 0;
  let begun = 0;
  const resources = new Set<string>();
  const cached = cachedVersions(page.context());
  const losses = createLossWatch();

  const begin = (request: Request): void => {
    if (NEVER_ENDING.has(request.resourceType())) return;
    losses.begin(request);
    pending.add(request);
    begun += 1;
    if (begun > requestsWatchedMax || (answers.get(addressOf(request)) ?? 0) >= answersPerAddressMax) return;
    awaited.add(request);
    events += 1;
  };
  const release = (request: Request): void => {
    clearTimeout(streamTimers.get(request));
    streamTimers.delete(request);
    if (!awaited.delete(request)) return;
    events += 1;
    if (awaited.size === 0) for (const listener of idleListeners) listener();
  };
  const note = (request: Request, version: string): void => {
    if (!SHAPING.has(request.resourceType()) || resources.size >= requestsWatchedMax) return;
    resources.add(`${shortUrl(request)} ${version}`);
  };
  const versionOf = (response: Response): string => {
    const address = shortUrl(response.request());
    const version = `${response.status()} ${validatorOf(response)}`;
    // A 304 confirms what the cache of the browser has, often without naming its version.
    if (response.status() === NOT_MODIFIED) return cached.get(address) ?? version;
    if (cached.size < cachedVersionsMax) cached.set(address, version);
    return version;
  };
  const finish = (request: Request): void => {
    if (awaited.has(request)) answers.set(addressOf(request), (answers.get(addressOf(request)) ?? 0) + 1);
    pending.delete(request);
    release(request);
  };
  const fail = (request: Request): void => {
    note(request, 'failed');
    losses.fail(request);
    finish(request);
  };
  const respond = (response: Response): void => {
    const request = response.request();
    note(request, versionOf(response));
    losses.respond(response);
    if (awaited.has(request)) streamTimers.set(request, setTimeout(release, streamAfterMs, request));
  };
  page.on('request', begin);
  page.on('response', respond);
  page.on('requestfinished', finish);
  page.on('requestfailed', fail);
  return {
    oldestPending() {
      const [oldest] = pending;
      return oldest?.url() ?? null;
    },
    hasLoadedScript: losses.hasLoadedScript,
    missingScript: losses.missingScript,
    missingData: losses.missingData,
    resources: () => digestOf(resources),
    events: () => events,
    async idle(limitMs) {
      if (awaited.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, limitMs);
      idleListeners.add(resolve);
      await promise;
      clearTimeout(limit);
      idleListeners.delete(resolve);
    },
    end() {
      page.off('request', begin);
      page.off('response', respond);
      page.off('requestfinished', finish);
      page.off('requestfailed', fail);
      for (const timer of streamTimers.values()) clearTimeout(timer);
      for (const listener of idleListeners) listener();
    },
  };
}

/** Returns the same digest for the same strings in any order. */
function digestOf(texts: ReadonlySet<string>): string {
  const sorted = [...texts].sort().join('\n');
  return createHash('sha256').update(sorted).digest('hex').slice(0, RESOURCES_DIGITS);
}

/** Remembers whether a page has requested scripts, and the first script and data of each origin that were not sent. */
function createLossWatch() {
  const [scripts, data] = [new Map<string, MissingPart>(), new Map<string, MissingPart>()];
  let hasLoadedScript = false;
  const isScript = (request: Request): boolean => request.resourceType() === 'script';
  const isData = (request: Request): boolean => DATA.has(request.resourceType()) && request.method() === 'GET';
  const add = (request: Request, text: string): void => {
    const missing = isScript(request) ? scripts : data;
    const url = shortUrl(request);
    const origin = URL.parse(url)?.origin;
    if (origin === undefined || missing.has(origin) || missing.size >= requestsWatchedMax) return;
    missing.set(origin, { url, text });
  };
  return {
    begin(request: Request): void {
      hasLoadedScript ||= isScript(request);
    },
    respond(response: Response): void {
      const request = response.request();
      const isWatched = isScript(request) || isData(request);
      if (isWatched && isDown(response.status(), isData(request))) add(request, `HTTP ${response.status()}`);
    },
    fail(request: Request): void {
      if (!isScript(request) && !isData(request)) return;
      // Other errors mean that the page canceled the request, or the browser refused it.
      const [error] = LOST.exec(request.failure()?.errorText ?? '') ?? [];
      if (error !== undefined) add(request, error);
    },
    hasLoadedScript: () => hasLoadedScript,
    missingScript: (origin: string) => scripts.get(origin) ?? null,
    missingData: (origin: string) => data.get(origin) ?? null,
  };
}

/** The versions of the responses that the cache of a browser context has, by their URLs. */
const VERSIONS = new WeakMap<BrowserContext, Map<string, string>>();

function cachedVersions(context: BrowserContext): Map<string, string> {
  const versions = VERSIONS.get(context) ?? new Map<string, string>();
  VERSIONS.set(context, versions);
  return versions;
}

function shortUrl(request: Request): string {
  return request.url().slice(0, ADDRESS_CHARACTERS);
}

function validatorOf(response: Response): string {
  const headers = response.headers();
  const name = VALIDATORS.find((validator) => headers[validator] !== undefined);
  return name === undefined ? '' : `${name} ${headers[name]?.slice(0, VALIDATOR_CHARACTERS)}`;
}

/** Returns the method, URL and body of a request without the query, which often differs when polling. */
function addressOf(request: Request): string {
  const body = request.method() === 'GET' ? '' : (request.postData() ?? '').slice(0, ADDRESS_CHARACTERS);
  const [address = ''] = shortUrl(request).split('?', 1);
  return `${request.method()} ${address} ${body}`;
}
