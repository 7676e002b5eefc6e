import type { Failure } from '../domain/failures/failure.ts';
import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import { toHttpFault } from '../egress/http-fault.ts';
import { PRODUCT_TOKEN } from '../egress/user-agent.ts';
import type { Credentials } from './credentials.ts';
import { fetchFailure, requestInSlot } from './limited-request.ts';
import { crawlDelayMaxMs, robotsMaxBytes, robotsRedirectsMax } from './limits.ts';
import type { RequestLimiter } from './rate-limiter.ts';
import { redirectOf } from './redirect-response.ts';
import { normaliseUrl } from './url.ts';

/** The robots.txt of one origin (RFC 9309). */
export interface Robots {
  /** Returns why a normalized URL must not be requested; null if it may be. */
  refusalOf(url: string): Failure | null;
  /** Milliseconds between requests, at most `crawlDelayMaxMs`; 0 if unset. */
  readonly crawlDelayMs: number;
  /** The normalized URLs of its `Sitemap` lines. */
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
        const target = redirectOf(url, response)?.target ?? null;
        if (target === null) return robotsFrom(robotsUrl, response);
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

/** Sections 2.3.1.1 to 2.3.1.4 of the RFC: found, too many redirects, missing, unreachable. */
function robotsFrom(robotsUrl: string, { status, body }: HttpResponse): Robots {
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

/** The rules of a robots.txt for one crawler (RFC 9309). */
export interface RobotsRules {
  /** Whether a URL of the file's origin may be requested. */
  allows(url: string): boolean;
  /** Seconds between requests; 0 if unset. Not part of the standard, but widely used. */
  readonly crawlDelay: number;
  /** The unresolved values of the `Sitemap` lines, which apply to every crawler. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly allows: boolean;
  /** The parts of its pattern between the wildcards. */
  readonly parts: readonly string[];
  /** Whether it must match to the end. */
  readonly isAnchored: boolean;
  /** The more octets, the more specific. */
  readonly length: number;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  crawlDelay: number;
  /** Whether no rule has followed yet, so that the next user agent joins the group. */
  isOpen: boolean;
}

/**
 * Reads a robots.txt for the crawler with a product token. All groups for that token apply; if there are none, the groups for `*`
 * apply. The longest matching rule wins, and of two equally long rules the rule that allows.
 */
export function readRobotsTxt(text: string, productToken: string): RobotsRules {
  const { groups, sitemaps } = parse(text);
  const own = groups.filter(({ agents }) => agents.includes(productToken.toLowerCase()));
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'));
  const rules = chosen
    .flatMap((group) => group.rules)
    .sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
  return {
    allows(url) {
      const { pathname, search } = new URL(url);
      if (pathname === '/robots.txt') return true;
      const path = comparable(pathname + search);
      return rules.find((rule) => matches(rule, path))?.allows ?? true;
    },
    crawlDelay: Math.max(0, ...chosen.map((group) => group.crawlDelay)),
    sitemaps,
  };
}

function parse(text: string): { readonly groups: readonly Group[]; readonly sitemaps: readonly string[] } {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const { key, value } = fieldOf(line);
    if (key === 'user-agent') nameAgent(groups, value);
    else if (key === 'sitemap' && value !== '') sitemaps.push(value);
    else if (/^(allow|disallow|crawl-delay)$/.test(key)) addRule(groups.at(-1), key, value);
  }
  return { groups, sitemaps };
}

/** Returns the field name of a line in lower case, and its value, without comments and surrounding white space. */
function fieldOf(line: string): { readonly key: string; readonly value: string } {
  const [field = ''] = line.split('#', 1);
  const nameEnd = field.indexOf(':');
  return { key: field.slice(0, Math.max(nameEnd, 0)).trim().toLowerCase(), value: field.slice(nameEnd + 1).trim() };
}

/** Consecutive user agents share the rules that follow. */
function nameAgent(groups: Group[], value: string): void {
  // Versions and other words after the token are ignored.
  const agent = value === '*' ? '*' : (/^[a-z_-]+/i.exec(value)?.[0].toLowerCase() ?? '');
  const group = groups.at(-1);
  if (group?.isOpen === true) group.agents.push(agent);
  else groups.push({ agents: [agent], rules: [], crawlDelay: 0, isOpen: true });
}

/** Rules before the first user agent are ignored. */
function addRule(group: Group | undefined, key: string, value: string): void {
  if (group === undefined) return;
  group.isOpen = false;
  if (key !== 'crawl-delay') {
    if (value !== '') group.rules.push(rule(value, key === 'allow'));
  } else if (/^\d+(\.\d+)?$/.test(value)) {
    group.crawlDelay = Number(value);
  }
}

function rule(value: string, allows: boolean): Rule {
  const isAnchored = value.endsWith('$');
  const pattern = comparable(isAnchored ? value.slice(0, -1) : value);
  return { allows, parts: pattern.split('*'), isAnchored, length: pattern.length };
}

/** Normalizes a path or pattern for comparison (RFC 9309, 2.2.2): unreserved octets plain, others encoded. */
function comparable(path: string): string {
  return path
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[a-z0-9._~-]/i.test(character) ? character : octet.toUpperCase();
    });
}

/** Matches every part between wildcards at its first position, which suffices. */
function matches({ parts, isAnchored }: Rule, path: string): boolean {
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? rest.pop() : undefined;
  let end = first.length;
  for (const part of rest) {
    const start = path.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  if (!isAnchored) return true;
  return last === undefined ? end === path.length : path.length - last.length >= end && path.endsWith(last);
}
