import { unpackDocument } from '../platform/packed-document.ts';
import type { ClaimedCheck } from '../queue/claims.ts';

/** Headers of a page that affect what browsers show, or that its scripts can read. */
const SHOWN = new Set([
  'content-disposition',
  'content-language',
  'content-security-policy',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'document-policy',
  'feature-policy',
  'last-modified',
  'link',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'refresh',
  'set-cookie',
  'speculation-rules',
  'x-content-type-options',
]);
/** Cookies whose value is different for each visitor and means nothing to a page. */
const OF_THE_VISITOR = /sess|csrf|xsrf|^(?:connect\.)?sid$/i;

/** Returns the headers on which the result of a check that shows a page depends. */
export async function shownHeaders({
  headers,
  compressedBody,
}: Pick<ClaimedCheck, 'headers' | 'compressedBody'>): Promise<readonly (readonly [string, string])[]> {
  const shown = headers.filter(([name]) => SHOWN.has(name));
  // Only scripts see when a document was modified, by a property of this name.
  const showsDate =
    shown.some(([name]) => name === 'last-modified') && (await unpackDocument(compressedBody)).includes('lastModified');
  return shown.flatMap(([name, value]): (readonly [string, string])[] => {
    if (name === 'last-modified' && !showsDate) return [];
    return [[name, name === 'set-cookie' ? knownCookie(value) : value]];
  });
}

/** Returns a cookie without the parts that differ each time and cannot be seen. */
function knownCookie(cookie: string): string {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  const [name = ''] = pair.split('=', 1);
  const isHidden = OF_THE_VISITOR.test(name) || attributes.some((attribute) => /^httponly$/i.test(attribute));
  const kept = attributes.filter((attribute) => !/^expires=/i.test(attribute));
  return [isHidden ? name : pair, ...kept].join('; ');
}
