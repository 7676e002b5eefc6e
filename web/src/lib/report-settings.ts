import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';

/** What a report is made with. */

/** The attributes that a report or a schedule shows of its settings, and a new one takes as they are: it shows a device as a relationship. */
const COPIED = Object.keys(REPORT_ATTRIBUTES).filter((name) => name !== 'device_id');

export type Settings = Readonly<Partial<Record<keyof typeof REPORT_ATTRIBUTES, unknown>>>;

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
