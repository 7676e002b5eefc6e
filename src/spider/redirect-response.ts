import { isUtf8 } from 'node:buffer';
import { headerValue, type ResponseHead } from '../egress/response-head.ts';
import { normaliseUrl } from './url.ts';

/** The statuses that redirect (RFC 9110, 15.4): 304 confirms a stored response, 305 is deprecated, 306 is unused. */
const REDIRECTS: readonly number[] = [300, 301, 302, 303, 307, 308];

/**
 * Returns where a response redirects; null if it does not. A 300 redirects only if it names the server's preferred choice.
 * @returns the normalized target, or null as the target if there is no valid `Location`
 */
export function redirectOf(url: string, head: ResponseHead): { readonly target: string | null } | null {
  if (!REDIRECTS.includes(head.status)) return null;
  const location = headerValue(head, 'location');
  const target = location === null ? null : normaliseUrl(decodeLocation(location), url);
  return target === null && head.status === 300 ? null : { target };
}

/** Decodes a `Location` as browsers do: as UTF-8, although only ASCII is allowed there. */
function decodeLocation(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1;
}
