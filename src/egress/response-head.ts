export type HeaderPair = readonly [name: string, value: string];

/** The status and headers of an HTTP response. */
export interface ResponseHead {
  readonly status: number;
  /** In the order sent, decoded as Latin-1. Names are in lower case, and may repeat. */
  readonly headers: readonly HeaderPair[];
}

/** Returns the values of a header, joined with commas (RFC 9110, section 5.3); null when it is missing. */
export function headerValue(head: ResponseHead, name: string): string | null {
  const values = head.headers.filter(([key]) => key === name).map(([, value]) => value);
  return values.length === 0 ? null : values.join(', ');
}

/**
 * Returns the value of `Retry-After` in milliseconds (RFC 9110, section 10.2.3: seconds or a date).
 * @param now milliseconds since 1970
 * @returns null when the header is missing or invalid
 */
export function retryAfterMs(head: Pick<ResponseHead, 'headers'>, now: number): number | null {
  const value = headerValue({ status: 503, headers: head.headers }, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * Returns how long to wait after a response, in milliseconds; null when it does not say that the server is busy.
 * @param defaultMs for `429 Too Many Requests` without `Retry-After`
 */
export function busyForMs(head: ResponseHead, now: number, defaultMs: number): number | null {
  if (head.status !== 429 && head.status !== 503) return null;
  return retryAfterMs(head, now) ?? (head.status === 429 ? defaultMs : null);
}
