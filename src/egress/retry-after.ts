import { headerValue, type ResponseHead } from './response-head.ts';

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

/**
 * Milliseconds to leave a server alone after an answer; null when the answer does not say that the server is busy.
 *
 * @param defaultMs after `429 Too Many Requests` that names no time
 */
export function busyForMs(head: ResponseHead, now: number, defaultMs: number): number | null {
  if (head.status !== 429 && head.status !== 503) return null;
  return retryAfterMs(head, now) ?? (head.status === 429 ? defaultMs : null);
}
