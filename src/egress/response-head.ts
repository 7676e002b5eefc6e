export type HeaderPair = readonly [name: string, value: string];

/** The head of an HTTP answer. */
export interface ResponseHead {
  readonly status: number;
  /** As sent, byte for byte as Latin-1, names in lower case, repeated headers as repeated pairs. */
  readonly headers: readonly HeaderPair[];
}

/** The values of a header, joined as RFC 9110 (5.3) allows; null when it is not there. */
export function headerValue(head: ResponseHead, name: string): string | null {
  const values = head.headers.filter(([key]) => key === name).map(([, value]) => value);
  return values.length === 0 ? null : values.join(', ');
}
