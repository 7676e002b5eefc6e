import { URL_OUTCOMES } from 'sitewarden-client/values';
import { CHANGE_WORDS } from './change-words.ts';

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

/** Returns whether a text is one or more of these values, separated by commas. */
const someOf =
  (...values: readonly string[]) =>
  (text: string): boolean =>
    text.split(',').every((item) => values.includes(item));
const isState = someOf('passed', 'with_errors', 'failed', 'pending');

/** Which values a name of a search may have on the screens that have it; any text otherwise. The API refuses others. */
const ALLOWED: Readonly<Partial<Record<string, (text: string) => boolean>>> = {
  ...{ report: isId, site: isId, schedule: isId, cluster: isId, with: isId, from: isId },
  ...{ page: isNumber, size: isNumber, view: isWord, sort: isWord },
  ...{ html: isState, a11y: isState, link: isState, recheck: someOf('fixed', 'still', 'new') },
  ...{
    muted: someOf('true', 'false', 'all'),
    tags_mode: someOf('any', 'all', 'none'),
    active: someOf('true', 'false'),
  },
  impact: someOf('critical', 'serious', 'moderate', 'minor'),
  type: someOf('error', 'warning', 'critical', 'serious', 'moderate', 'minor', 'review'),
  change: someOf(...Object.keys(CHANGE_WORDS)),
  pages: someOf('broken', 'recovered', 'added', 'removed'),
  outcome: someOf(...URL_OUTCOMES),
  status: someOf('pending', 'crawling', 'checking', 'finished', 'failed', 'held', 'delivered'),
  ...{ group: someOf('site', 'domain', 'tag'), interval: someOf('day', 'week', 'month') },
  reason: someOf('checks', 'raw_checks', 'rendered_pages', 'api_requests', 'refund', 'granted', 'set'),
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
