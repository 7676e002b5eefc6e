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
export function isId(text: string): boolean {
  return /^[\w~-]{1,200}$/.test(text);
}

const isWord = (text: string): boolean => /^[a-z0-9_,-]{1,100}$/.test(text);
const isNumber = (text: string): boolean => /^[0-9]{1,9}$/.test(text);

/** Which values a name of a search may have, on every screen that has it; any text otherwise. */
const ALLOWED: Readonly<Partial<Record<string, (text: string) => boolean>>> = {
  ...{ report: isId, site: isId, schedule: isId, cluster: isId, with: isId, from: isId },
  ...{ page: isNumber, size: isNumber, view: isWord, tags_mode: isWord, muted: isWord, sort: isWord },
};

/** Returns a function that drops every name but these from a search, and values that these cannot have. */
export function only<const Name extends string>(
  ...names: readonly Name[]
): (search: Record<string, unknown>) => { readonly [Each in Name]?: string | undefined } {
  return (search) => {
    const kept: { [Each in Name]?: string | undefined } = {};
    for (const name of names) {
      const value = search[name];
      if (value === undefined) continue;
      const isGood = typeof value === 'string' && value !== '' && (ALLOWED[name]?.(value) ?? true);
      // The router merges what a route keeps over what the URL has, so a bad value is replaced, not left out.
      kept[name] = isGood ? value : undefined;
    }
    return kept;
  };
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
