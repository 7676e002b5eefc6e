/**
 * The state of a screen in its URL: names and values are plain text, in the words of the API. Values that are absent are defaults.
 */
export type Search = Readonly<Partial<Record<string, string>>>;

export function parseSearch(query: string): Search {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Returns `?name=value…`, or an empty string. Names keep their order, so equal states have equal URLs. */
export function stringifySearch(search: Search): string {
  const pairs = Object.entries(search).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns whether a text can be the id of something, or a secret: anything else would lead to another path of the API. */
export function isId(text: string): text is string {
  return /^[\w~-]{1,200}$/.test(text);
}

/** Whether a text is a value that a name of a search can have. */
type Check<Value extends string = string> = (text: string) => text is Value;

/** The names that a search can have, each with its values. */
export type Fields = Readonly<Record<string, Check>>;
export type SearchWith<Of extends Fields> = {
  readonly [Name in keyof Of]?: (Of[Name] extends Check<infer Value> ? Value : never) | undefined;
};

export const isText = (text: string): text is string => text !== '';
export const isWord = (text: string): text is string => /^[a-z0-9_,-]{1,100}$/.test(text);
export const isNumber = (text: string): text is string => /^[0-9]{1,9}$/.test(text);
/** Refuses years before 1000, which are being typed. */
export const isDay = (text: string): text is string => {
  const time = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // `Date.parse` reads February 30 as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};
export const isState = someOf('passed', 'with_errors', 'failed', 'pending');

/** Returns a check for one of these values. */
export function oneOf<const Value extends string>(...values: readonly Value[]): Check<Value> {
  return (text): text is Value => values.some((value) => value === text);
}

/** Returns a check for one or more of these values, separated by commas. */
export function someOf(...values: readonly string[]): Check {
  return (text): text is string => text.split(',').every((item) => values.includes(item));
}

/** Returns what a search says about these fields. Values that a field cannot have are left out, so that its default holds. */
export function read<const Of extends Fields>(fields: Of, search: Readonly<Record<string, unknown>>): SearchWith<Of> {
  const given = Object.entries(fields).filter(([name]) => search[name] !== undefined);
  const kept: readonly (readonly unknown[])[] = given.map(([name, isValue]) => {
    const value = search[name];
    // The router merges what a route keeps over what the URL has, so a bad value is replaced, not left out.
    return [name, typeof value === 'string' && isValue(value) ? value : undefined];
  });
  return Object.fromEntries(kept);
}

/** Returns the number of a page of a list, from 1; 1 if it is absent or none. */
export function pageNumber(text: string | undefined): number {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : 1;
}

/** Returns how many rows of a list come before the page that a search names. @param sizeDefault rows of a page if it names none */
export function rowsBefore({ page, size }: Search, sizeDefault: number): number {
  return (pageNumber(page) - 1) * (size === undefined ? sizeDefault : pageNumber(size));
}

/** Returns the items of a list separated by commas. */
export function items(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((item) => item !== '');
}
