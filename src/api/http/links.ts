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

/** Returns the configured public URL, or the one that the client used, without a trailing slash. */
export function baseUrlFor(request: FastifyRequest, settings: AddressSettings): string {
  return settings.baseUrl ?? addressOf(request, settings);
}

export function linksFrom(baseUrl: string): Links {
  return (path) => `${baseUrl}${API_PREFIX}${path}`;
}

/** Fastify reads `X-Forwarded-*` from trusted proxies only. The host may be anything that the client sent. */
function addressOf(request: FastifyRequest, settings: AddressSettings): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  const isHost = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(request.host);
  return `${scheme}://${isHost ? request.host : `${settings.host}:${settings.port}`}`;
}

/** Converts a path such as `/reports/{report_id}` to a Fastify route. */
export function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * Whether share links may read a path below `/api/v1`, with its parameters as in `/reports/{report_id}` or as in a route. A new
 * endpoint is closed to them unless it is about one report. Whether it is their report is up to `accounts/access.ts`.
 */
export function isOpenToLinks(path: string): boolean {
  return /^\/((share|events)$|reports\/[:{]report_id\b)/.test(path);
}

/** Returns the path of a request as sent. */
export function pathOf(request: FastifyRequest): string {
  return request.url.replace(/[?#].*/s, '');
}
