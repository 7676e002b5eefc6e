/** A failure of any kind: a stable code and the parameters of its sentence. */
export interface AnyFailure {
  readonly code: string;
  readonly params: object;
}

/** How sentences are written for one kind of reader. */
export interface Wording {
  /** Returns the reader's name for an attribute of reports: its name in the API, or the option on the command line. */
  nameOf(attribute: string): string;
  /** Returns the sentence of a failure that is the reason for another failure. */
  describe(failure: AnyFailure): string;
}

/** The attributes of a report's credentials. */
export const ACCESS_NAMES = ['basic_auth', 'headers', 'cookies', 'login'] as const;
export type AccessName = (typeof ACCESS_NAMES)[number];

/** Lists attributes by name, separated by commas. */
export function listOf(names: readonly AccessName[], { nameOf }: Wording): string {
  return names.map(nameOf).join(', ');
}

export function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** Describes the content type of a response, as the rest of a sentence. */
export function typeInWords(contentType: string): string {
  return contentType === '' ? 'has no content type' : `has the content type ${contentType}`;
}
