import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';

/** The settings of a report. */

/** The settings that a response contains as attributes and that a new report accepts unchanged. The device is a relationship. */
const COPIED = Object.keys(REPORT_ATTRIBUTES).filter((name) => name !== 'device_id');

export type Settings = Readonly<Partial<Record<keyof typeof REPORT_ATTRIBUTES, unknown>>>;

interface Shown {
  readonly related: { readonly device?: string };
}

/**
 * Returns the settings of a report or a schedule as attributes of a new one. Reports do not show whether they store raw checks,
 * and credentials for the site are never shown.
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

/** Adds a scheme to a host without one. Other texts stay unchanged. */
export function completeUrl(typed: string): string {
  const text = typed.trim();
  if (/^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:[/?#]|$)/i.test(text)) return `http://${text}`;
  return /^(?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}(?::\d+)?(?:[/?#]|$)/iu.test(text) ? `https://${text}` : text;
}

/** Returns the non-blank lines of a text. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Name and value pairs, and the first line that is not a pair or repeats a name. */
interface Pairs {
  readonly pairs: Readonly<Record<string, string>>;
  readonly wrong: string | null;
}

/**
 * Parses a name and a value on each line, or in each part between semicolons.
 * @param separator the character between name and value
 */
export function pairsOf(text: string, separator: ':' | '='): Pairs {
  const pairs = new Map<string, string>();
  let wrong: string | null = null;
  // Cookie values contain no semicolons, so a Cookie header from a browser can be pasted.
  for (const line of linesOf(separator === '=' ? text.replaceAll(';', '\n') : text)) {
    const at = line.indexOf(separator);
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '' || pairs.has(name)) wrong ??= line;
    else pairs.set(name, line.slice(at + 1).trim());
  }
  return { pairs: Object.fromEntries(pairs), wrong };
}
