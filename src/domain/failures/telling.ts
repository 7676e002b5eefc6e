/** A failure of any kind: a stable word and what its sentence is made of. */
export interface AnyFailure {
  readonly code: string;
  readonly params: object;
}

/** How sentences are told to one kind of reader. */
export interface Telling {
  /** What the reader calls an attribute of reports: as it is in the API, an option on the command line. */
  nameOf(attribute: string): string;
  /** The sentence of a failure that is the reason for another one. */
  tell(failure: AnyFailure): string;
}

/** What a report signs in with, by the names of its attributes. */
export const ACCESS_NAMES = ['basic_auth', 'headers', 'cookies'] as const;
export type AccessName = (typeof ACCESS_NAMES)[number];

/** The names of attributes, in parentheses or between commas. */
export function listOf(names: readonly AccessName[], { nameOf }: Telling): string {
  return names.map(nameOf).join(', ');
}

export function inSeconds(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** What an answer says of its type, as the rest of a sentence. */
export function typeInWords(contentType: string): string {
  return contentType === '' ? 'names no content type' : `has the content type ${contentType}`;
}
