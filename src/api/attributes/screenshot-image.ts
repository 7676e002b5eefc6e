import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { accessTo } from '../../accounts/access.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Database } from '../../store/database.ts';
import { findImage, findShownScreenshot, type ShownScreenshot } from '../../store/pages/screenshots.ts';
import { opensSite } from '../../store/reports/site-links.ts';

/**
 * A URL is valid for one to two of these periods, so that it stays the same for an hour and browsers can cache the screenshot.
 */
const PERIOD_MS = 3_600_000;

/**
 * Whom a URL was made for: someone with full access to the report (`a`), a reader of a shared report (`r`), or readers with the
 * share link of its site or of a tag (the id of the link).
 */
type Audience = string;

/** `PAGE.END.AUDIENCE.CODE`: the end in periods since 1970, the code in base64url. */
const NAME = /^([1-9]\d{0,14})\.(\d{1,9})\.([ar]|[0-9a-f-]{36})\.([\w-]{43})$/;

/** Returns whom a URL is made for. */
export function imageAudience(...[report, viewer]: Parameters<typeof accessTo>): Audience {
  if (viewer.link?.opens === 'sites') return viewer.link.id;
  return accessTo(report, viewer) === 'all' ? 'a' : 'r';
}

interface Grant {
  readonly webPageId: number;
  /** SHA-256 of the image, so that another image has another URL. */
  readonly hash: Buffer;
  readonly audience: Audience;
}

/**
 * Returns the URL of the screenshot of a page, for images in HTML, which cannot send a token. The URL is signed by this
 * installation and expires after one to two hours.
 */
export function imageUrl(baseUrl: string, grant: Grant, box: Pick<SecretBox, 'sign'>, clock: Clock): string {
  const end = endOfUrl(clock);
  const code = codeOf(grant, end, box).toString('base64url');
  return `${baseUrl}/screenshots/${grant.webPageId}.${end}.${grant.audience}.${code}`;
}

/** Returns when a new URL expires, in periods. */
export function endOfUrl(clock: Clock): number {
  return Math.floor(clock().getTime() / PERIOD_MS) + 2;
}

/** Returns the time until a URL expires, in milliseconds; 0 or less if it has expired. @param end in periods */
export function timeLeftMs(end: number, clock: Clock): number {
  return end * PERIOD_MS - clock().getTime();
}

function codeOf({ webPageId, hash, audience }: Grant, end: number, box: Pick<SecretBox, 'sign'>): Buffer {
  return box.sign(`screenshot ${webPageId} ${end} ${audience} ${hash.toString('hex')}`);
}

function isShared(db: Database, { shared, siteId }: ShownScreenshot, audience: Audience): boolean | Promise<boolean> {
  return audience === 'r' ? shared : opensSite(db, audience, siteId);
}

/** The headers of an image, which is foreign content: nothing in it may run, and other sites may not use it. */
export const imageHeaders = (leftMs: number) => ({
  'content-type': 'image/webp',
  'cache-control': `private, max-age=${Math.floor(leftMs / 1_000)}, immutable`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
});

export interface ImageParts {
  readonly db: Database;
  readonly box: Pick<SecretBox, 'sign'>;
  readonly clock: Clock;
}

/** Plugin that serves the images of screenshots. The URL is the secret, so it takes no token. */
export function screenshotImages(server: FastifyInstance, { db, box, clock }: ImageParts, done: () => void): void {
  server.get<{ Params: { '*': string } }>('/screenshots/*', async (request, reply) => {
    const [, id, periods, audience = '', code] = NAME.exec(request.params['*']) ?? [];
    const end = Number(periods);
    const leftMs = timeLeftMs(end, clock);
    if (code === undefined || leftMs <= 0) throw notFound();
    const webPageId = Number(id);
    const shown = await findShownScreenshot(db, webPageId);
    if (shown === undefined) throw notFound();
    const expected = codeOf({ webPageId, hash: shown.hash, audience }, end, box);
    if (!timingSafeEqual(Buffer.from(code, 'base64url'), expected)) throw notFound();
    // If a report is no longer shared, or signs in to its site, its readers' URLs stop working.
    if (audience !== 'a' && (shown.signsIn || !(await isShared(db, shown, audience)))) throw notFound();
    const image = await findImage(db, shown.hash);
    if (image === undefined) throw notFound();
    return reply.headers(imageHeaders(leftMs)).send(image);
  });
  done();
}
