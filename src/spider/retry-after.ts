import { headerValue, type ResponseHead } from '../egress/response-head.ts';

/**
 * Milliseconds for which a server asks to be left alone (RFC 9110, 10.2.3: seconds, or a date).
 *
 * @param now milliseconds since 1970, by our clock
 * @returns null when it does not say, or not in a form that can be read
 */
export function retryAfterMs(head: Pick<ResponseHead, 'headers'>, now: number): number | null {
  const value = headerValue({ status: 503, headers: head.headers }, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
