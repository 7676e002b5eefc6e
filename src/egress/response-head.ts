export type HeaderPair = readonly [name: string, value: string];

/** The status and headers of an HTTP response. */
export interface ResponseHead {
  readonly status: number;
  /** In the order sent, decoded as Latin-1. Names are in lower case, and may repeat. */
  readonly headers: readonly HeaderPair[];
}

/** Returns the values of a header, joined with commas (RFC 9110, section 5.3); null when it is missing. */
export function headerValue(head: Pick<ResponseHead, 'headers'>, name: string): string | null {
  const values = head.headers.filter(([key]) => key === name).map(([, value]) => value);
  return values.length === 0 ? null : values.join(', ');
}

/**
 * Returns the value of `Retry-After` in milliseconds (RFC 9110, section 10.2.3: seconds or a date).
 * @param now milliseconds since 1970
 * @returns null when the header is missing or invalid
 */
export function retryAfterMs(head: Pick<ResponseHead, 'headers'>, now: number): number | null {
  const value = headerValue(head, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * Returns how long to wait after a response, in milliseconds; null when it does not indicate that the server is busy.
 * @param defaultMs for `429 Too Many Requests` without `Retry-After`
 */
export function busyForMs(head: ResponseHead, now: number, defaultMs: number): number | null {
  if (head.status !== 429 && head.status !== 503) return null;
  return retryAfterMs(head, now) ?? (head.status === 429 ? defaultMs : null);
}

/** The start of a link-value (RFC 8288, 3): its target, then its parameters up to the comma before the next one. */
const LINK_VALUE = /<([^<>]*)>((?:\s*;\s*[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s;,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Returns the unresolved targets of the `Link` headers with a relation type, in order. */
export function linkTargets(head: Pick<ResponseHead, 'headers'>, relation: string): string[] {
  const value = headerValue(head, 'link') ?? '';
  const targets: string[] = [];
  for (const [, target = '', parameters = ''] of value.matchAll(LINK_VALUE)) {
    const given = [...parameters.matchAll(PARAMETER)];
    const parameter = (name: string): string | undefined => {
      // The first of repeated parameters counts (RFC 8288, 3.3).
      const found = given.find(([, key = '']) => key.toLowerCase() === name);
      return found?.[2] ?? found?.[3];
    };
    const types = (parameter('rel') ?? '').toLowerCase().split(/\s+/);
    // A link with an anchor is about another resource.
    if (types.includes(relation) && parameter('anchor') === undefined) targets.push(target);
  }
  return targets;
}
