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

/** Returns a function that drops every name but these from a search. */
export function only<const Name extends string>(
  ...names: readonly Name[]
): (search: Record<string, unknown>) => { readonly [Each in Name]?: string } {
  return (search) => {
    const kept: { [Each in Name]?: string } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') kept[name] = value;
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
