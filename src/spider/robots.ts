import type { Failure } from '../domain/failures/failure.ts';
import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import { toHttpFault } from '../egress/http-fault.ts';
import { headerValue } from '../egress/response-head.ts';
import { PRODUCT_TOKEN } from '../egress/user-agent.ts';
import type { Credentials } from './credentials.ts';
import { fetchFailure, requestInSlot } from './limited-request.ts';
import { crawlDelayMaxMs, robotsMaxBytes, robotsRedirectsMax } from './limits.ts';
import type { RequestLimiter } from './rate-limiter.ts';
import { readRobotsTxt } from './robots-rules.ts';
import { normaliseUrl } from './url.ts';

/** The robots.txt of one origin (RFC 9309). */
export interface Robots {
  /** Returns why a normalised URL must not be requested; null if it may be. */
  refusalOf(url: string): Failure | null;
  /** Milliseconds between requests, at most `crawlDelayMaxMs`; 0 if unset. */
  readonly crawlDelayMs: number;
  /** The normalised URLs of its `Sitemap` lines. */
  readonly sitemaps: readonly string[];
}

/** Fetches the robots.txt at an absolute URL. Throws only the signal's reason, and errors of the limiter. */
export type FetchRobots = (
  robotsUrl: string,
  options: { readonly limiter: RequestLimiter; readonly signal: AbortSignal; readonly credentials?: Credentials },
) => Promise<Robots>;

export function createRobotsFetcher({ httpClient }: { readonly httpClient: HttpClient }): FetchRobots {
  return async (robotsUrl, { limiter, signal, credentials }) => {
    let url = robotsUrl;
    for (let redirects = 0; redirects <= robotsRedirectsMax; redirects += 1) {
      const slot = await limiter.acquire(signal, url);
      try {
        const response = await requestInSlot(httpClient, slot, {
          url,
          headers: { accept: 'text/plain,*/*;q=0.5' },
          credentials,
          bodyMaxBytes: robotsMaxBytes,
          signal,
          wantsBody: ({ status }) => status >= 200 && status < 300,
        });
        const location = headerValue(response, 'location');
        const target = location === null || !isRedirect(response.status) ? null : normaliseUrl(location, url);
        if (target === null) return judge(robotsUrl, response);
        url = target;
      } catch (error) {
        signal.throwIfAborted();
        const fault = toHttpFault(error, null);
        return unreachable(fetchFailure(fault, url, { ...httpClient.limits, bodyMaxBytes: robotsMaxBytes }));
      }
    }
    return ALLOWS_ALL;
  };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** Sections 2.3.1.1 to 2.3.1.4 of the RFC: found, too many redirects, missing, unreachable. */
function judge(robotsUrl: string, { status, body }: HttpResponse): Robots {
  if (status >= 500) return unreachable({ code: 'robots_error_status', params: { status } });
  return body === null ? ALLOWS_ALL : parseRobots(robotsUrl, body);
}

const ALLOWS_ALL: Robots = { refusalOf: () => null, crawlDelayMs: 0, sitemaps: [] };

/** A file that cannot be read because of a server or network error disallows everything. */
function unreachable(why: Failure): Robots {
  const refusal: Failure = { code: 'robots_unreadable', params: { why } };
  return { ...ALLOWS_ALL, refusalOf: () => refusal };
}

function parseRobots(robotsUrl: string, body: Uint8Array): Robots {
  const rules = readRobotsTxt(new TextDecoder().decode(body), PRODUCT_TOKEN);
  const sitemaps = rules.sitemaps.map((line) => normaliseUrl(line, robotsUrl)).filter((url) => url !== null);
  return {
    refusalOf: (url) => (rules.allows(url) ? null : { code: 'robots_disallows', params: {} }),
    crawlDelayMs: Math.min(rules.crawlDelay * 1_000, crawlDelayMaxMs),
    sitemaps: [...new Set(sitemaps)],
  };
}
