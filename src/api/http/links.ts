import type { FastifyRequest } from 'fastify';

export const API_PREFIX = '/api/v1';

/** Returns the absolute URL of a path of this API, such as `/reports`. */
export type Links = (path: string) => string;

export interface AddressSettings {
  /** Public URL for links, without a trailing slash; null to take it from each request. */
  readonly baseUrl: string | null;
  /** Where the server listens, for requests without a valid host. */
  readonly host: string;
  readonly port: number;
}

/** Returns the configured public URL, or the URL that the client used, without a trailing slash. */
export function baseUrlFor(request: FastifyRequest, settings: AddressSettings): string {
  return settings.baseUrl ?? addressOf(request, settings);
}

export function linksFrom(baseUrl: string): Links {
  return (path) => `${baseUrl}${API_PREFIX}${path}`;
}

/**
 * Whether a host, with or without a port, can be the host of a URL: without a path, a query, a user or anything else that a
 * client may have written there. The `Host` of a request may be anything.
 */
export function isHost(host: string): boolean {
  return /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
}

/** Fastify reads `X-Forwarded-*` from trusted proxies only. */
function addressOf(request: FastifyRequest, settings: AddressSettings): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  if (isHost(request.host)) return `${scheme}://${request.host}`;
  const { host, port } = settings;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the path and query of the target of a request. Clients of proxies write the whole URL there, but only its path and
 * query count: the `Host` header names the host.
 */
export function originForm(target: string): string {
  const scheme = /^https?:\/\//i.exec(target);
  if (scheme === null) return target;
  const rest = target.slice(scheme[0].length);
  const end = rest.search(/[/?#]/);
  const path = end === -1 ? '' : rest.slice(end);
  return path.startsWith('/') ? path : `/${path}`;
}

/** Converts a path such as `/reports/{report_id}` to a Fastify route. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** What share links open. */
export const LINK_TARGETS = ['report', 'sites'] as const;

/**
 * Whether share links may read a path below `/api/v1`, with its parameters as in `/reports/{report_id}` or as in a route. A new
 * endpoint is closed to share links unless it is about one report. `accounts/access.ts` decides whether it is their report.
 * @param opens what the link opens
 */
export function isOpenToLinks(path: string, opens: (typeof LINK_TARGETS)[number]): boolean {
  if (/^\/(events$|reports\/[:{]report_id\b)/.test(path)) return true;
  if (opens === 'report') return path === '/share';
  return /^\/(share\/sites|sites\/[:{]site_id[^/]*\/comparison)\b/.test(path);
}

/** Whether a request changes nothing, by its method. */
export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the path of a request as sent. */
export function pathOf(request: FastifyRequest): string {
  return request.url.replace(/[?#].*/s, '');
}
