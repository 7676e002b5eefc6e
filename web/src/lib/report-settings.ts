/** What a report is made with, and what it costs. */

/** The attributes that a report or a schedule shows of its settings, and a new one takes as they are. */
const COPIED = [
  'starting_url',
  'max_pages',
  'rate_limit',
  'deep_crawl',
  'prefer_canonical_urls',
  'respect_robots_txt',
  'dynamic_crawler',
  'initial_urls',
  'exclusions',
  'device_rotated',
  'wait_for',
  'store_screenshots',
  'tags',
  'shared',
  'perform_html_checks',
  'perform_a11y_checks',
  'perform_link_checks',
  'store_raw_html_checks',
  'store_raw_a11y_checks',
  'store_raw_link_checks',
] as const;

export type Settings = Readonly<Partial<Record<(typeof COPIED)[number] | 'device_id', unknown>>>;

interface Shown {
  readonly related: { readonly device?: string };
}

/**
 * Returns the settings of a report or a schedule as attributes of a new one. Reports do not show whether they store raw checks, and
 * nothing shows credentials for the site.
 */
export function settingsOf(shown: Shown & { readonly starting_url: string }): Settings {
  const values = new Map(Object.entries(shown));
  const copied = COPIED.filter((name) => values.has(name)).map((name) => [name, values.get(name)] as const);
  return { ...Object.fromEntries(copied), device_id: deviceOf(shown) };
}

/** Returns the id of the device of a report or a schedule: `default` if it has none. */
export function deviceOf({ related }: Shown): string {
  return related.device?.split('/').at(-1) ?? 'default';
}

/** What decides the price of a page. */
export interface Priced {
  /** The kinds of check that are on. */
  readonly checks: number;
  /** The kinds of check whose raw output is stored. */
  readonly raws: number;
  readonly isRendered: boolean;
}

/** Returns the credits of one page: 1 for each check, 1 for each stored raw check, and 1 if a browser renders it to find links. */
export function creditsOfPage({ checks, raws, isRendered }: Priced): number {
  return checks + raws + (isRendered ? 1 : 0);
}

/** Completes a host without a scheme, as people type it. Everything else stays as it is. */
export function completeUrl(typed: string): string {
  const text = typed.trim();
  if (/^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:[/?#]|$)/i.test(text)) return `http://${text}`;
  return /^(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}(?::\d+)?(?:[/?#]|$)/iu.test(text) ? `https://${text}` : text;
}

/** Returns the lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Names with their values, and the first line that is no pair or repeats a name. */
interface Pairs {
  readonly pairs: Readonly<Record<string, string>>;
  readonly wrong: string | null;
}

/**
 * Parses a name and a value in each line, or in each part between semicolons.
 * @param separator what stands between name and value
 */
export function pairsOf(text: string, separator: ':' | '='): Pairs {
  const pairs = new Map<string, string>();
  let wrong: string | null = null;
  // A cookie's value has no semicolon, so that what a browser shows as its Cookie header can be pasted.
  for (const line of linesOf(separator === '=' ? text.replaceAll(';', '\n') : text)) {
    const at = line.indexOf(separator);
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '' || pairs.has(name)) wrong ??= line;
    else pairs.set(name, line.slice(at + 1).trim());
  }
  return { pairs: Object.fromEntries(pairs), wrong };
}
