import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { notFound } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { findThumbnail } from '../../store/pages/thumbnails.ts';
import { endOfUrl, type ImageParts, imageHeaders, timeLeftMs } from './screenshot-image.ts';

/** `SITE.END.CODE`, as for screenshots. */
const NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(\d{1,9})\.([\w-]{43})$/;

interface Grant {
  readonly siteId: string;
  /** SHA-256 of the image in hexadecimal: another image has another URL. */
  readonly hash: string;
}

/** Returns the URL of the thumbnail of a site, which is signed and expires like the URL of a screenshot. */
export function thumbnailUrl(baseUrl: string, grant: Grant, box: Pick<SecretBox, 'sign'>, clock: Clock): string {
  const end = endOfUrl(clock);
  return `${baseUrl}/thumbnails/${grant.siteId}.${end}.${codeOf(grant, end, box).toString('base64url')}`;
}

function codeOf({ siteId, hash }: Grant, end: number, box: Pick<SecretBox, 'sign'>): Buffer {
  return box.sign(`thumbnail ${siteId} ${end} ${hash}`);
}

/** Plugin that serves the thumbnails of sites. The URL is the secret, so it takes no token. */
export function thumbnailImages(server: FastifyInstance, { db, box, clock }: ImageParts, done: () => void): void {
  server.get<{ Params: { '*': string } }>('/thumbnails/*', async (request, reply) => {
    const [, siteId, periods, code] = NAME.exec(request.params['*']) ?? [];
    const end = Number(periods);
    const leftMs = timeLeftMs(end, clock);
    if (siteId === undefined || code === undefined || leftMs <= 0) throw notFound();
    const found = await findThumbnail(db, siteId);
    if (found === undefined) throw notFound();
    const hash = found.hash.toString('hex');
    if (!timingSafeEqual(Buffer.from(code, 'base64url'), codeOf({ siteId, hash }, end, box))) throw notFound();
    const etag = `"${hash}"`;
    reply.headers({ ...imageHeaders(leftMs), etag });
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(found.image);
  });
  done();
}
