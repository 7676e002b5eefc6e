import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { hashSecret } from '../../platform/kept-secret.ts';
import { findSessionHolder, SESSION_DAYS, type SessionHolder, touchSession } from '../../store/accounts/sessions.ts';
import { bookkeep, type Database } from '../../store/database.ts';
import { type AddressSettings, baseUrlFor } from './links.ts';

/** The name over http. Over https it has the prefix `__Host-`: no other host and no page without https can set such a cookie. */
export const SESSION_COOKIE = 'sitewarden_session';
/** Kept when the session ends, so that others who try passwords cannot lock this browser out. */
export const DEVICE_COOKIE = 'sitewarden_device';

/**
 * Sent with requests that the dashboard makes while the user is away, so that an open tab does not keep its session alive
 * forever.
 */
const UNATTENDED_HEADER = 'sitewarden-unattended';

const DAY_S = 86_400;
const DEVICE_DAYS = 365;

interface CookieOptions {
  /** `strict` cookies are not sent when another site leads here, which only matters for pages: the app's own requests follow. */
  readonly sameSite: 'strict' | 'lax';
  readonly maxAgeSeconds: number;
}

/** Whether the browser reaches this service over https. */
function isSecure(request: FastifyRequest, settings: AddressSettings): boolean {
  return baseUrlFor(request, settings).startsWith('https:');
}

function nameFor(request: FastifyRequest, settings: AddressSettings, name: string): string {
  return isSecure(request, settings) ? `__Host-${name}` : name;
}

export function readCookie(request: FastifyRequest, settings: AddressSettings, name: string): string | undefined {
  return request.cookies[nameFor(request, settings, name)];
}

/** Sets a cookie that scripts cannot read. */
export function writeCookie(
  { request, reply, settings }: Exchange,
  name: string,
  value: string,
  { sameSite, maxAgeSeconds }: CookieOptions,
): void {
  reply.setCookie(nameFor(request, settings, name), value, {
    path: '/',
    httpOnly: true,
    secure: isSecure(request, settings),
    sameSite,
    maxAge: maxAgeSeconds,
  });
}

export function clearCookie(exchange: Exchange, name: string): void {
  writeCookie(exchange, name, '', { sameSite: 'strict', maxAgeSeconds: 0 });
}

/** A request with its reply, and how browsers reach this service. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly settings: AddressSettings;
}

/** Signs the browser in. The session may end before its cookie. */
export function writeSessionCookie(exchange: Exchange, secret: string): void {
  writeCookie(exchange, SESSION_COOKIE, secret, { sameSite: 'strict', maxAgeSeconds: SESSION_DAYS * DAY_S });
}

/** Makes the browser recognizable when it signs in again. */
export function writeDeviceCookie(exchange: Exchange, device: string): void {
  writeCookie(exchange, DEVICE_COOKIE, device, { sameSite: 'strict', maxAgeSeconds: DEVICE_DAYS * DAY_S });
}

/** Whether a request is made for a person who is using the page: the dashboard marks its automatic requests. */
export function isAttended(request: FastifyRequest): boolean {
  return request.headers[UNATTENDED_HEADER] === undefined;
}

/**
 * Returns the session of the request's cookie; undefined without one, or if it has ended.
 * @param isUse whether this request counts as use of the session
 */
export async function sessionOf(
  db: Database,
  request: FastifyRequest,
  settings: AddressSettings,
  isUse: boolean = isAttended(request),
): Promise<SessionHolder | undefined> {
  const secret = readCookie(request, settings, SESSION_COOKIE);
  if (secret === undefined || secret === '') return undefined;
  const session = await findSessionHolder(db, hashSecret(secret));
  if (isUse && session?.lastSeenStale) await bookkeep(touchSession(db, session.sessionId));
  if (session !== undefined) request.actor = { accountId: session.accountId, sessionId: session.sessionId };
  return session;
}

/**
 * Refuses a request that another site may have made the browser send.
 * @throws AppError forbidden
 */
export function requireOwnOrigin(request: FastifyRequest, settings: AddressSettings): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  // Browsers without Sec-Fetch-Site send Origin with every change. Pages can set neither.
  const isOwn = site === undefined ? origin === new URL(baseUrlFor(request, settings)).origin : site === 'same-origin';
  if (isOwn) return;
  const detail =
    'Only pages of this service can do this with a session cookie: the Sec-Fetch-Site header must be same-origin, or ' +
    'the Origin header must match the origin of this URL. In programs, use an API token.';
  throw new AppError('forbidden', detail);
}
