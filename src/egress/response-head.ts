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
