import Type from 'typebox';
import { findDevice } from '../../browser/devices.ts';
import { normaliseUrl } from '../../spider/url.ts';
import type { Wording } from '../jsonapi/errors.ts';
import { commaSeparated } from '../jsonapi/query.ts';
import { startingUrlMaxCharacters, tagMaxCharacters, tagsMax } from './limits.ts';

/** What a text means, and what is wrong with it in words that fit behind the attribute's name. */
export interface Reading<T> {
  readonly value: T;
  readonly problem: string | null;
  /** What to do about it, in words that fit behind a colon. */
  readonly remedy?: Wording;
}

/**
 * A URL to crawl: absolute http(s) with a host, without credentials, at most 2,048 characters as given and as the URL
 * Standard serialises it, in which form it is returned.
 */
export function readUrl(text: string): Reading<string> {
  const given = text.trim();
  const fails = (problem: string, remedy?: Wording): Reading<string> => ({
    value: '',
    problem,
    ...(remedy === undefined ? {} : { remedy }),
  });
  if (given === '') return fails("can't be blank");
  if (given.length > startingUrlMaxCharacters) return fails(`must have at most ${startingUrlMaxCharacters} characters`);
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme)) return fails('must begin with http:// or https://');
  // The URL Standard would forgive a missing host, backslashes and line breaks; they are slips of whoever typed them.
  const hasHost = /^https?:\/\/[^/\\?#]/i.test(given) && !SCHEME_TWICE.test(given);
  const url = hasHost && !/\p{Cc}/u.test(given) ? URL.parse(given) : null;
  if (url === null) return fails('has invalid format', whatWasMeant(given));
  if (url.username !== '' || url.password !== '')
    return fails('must not contain credentials', (nameOf) => `give them as ${nameOf('basic_auth')}`);
  const value = normaliseUrl(url.href);
  return value === null ? fails(`must have at most ${startingUrlMaxCharacters} characters`) : { value, problem: null };
}

/** Where a form had the first already. */
const SCHEME_TWICE = /^https?:\/\/https?:/i;
/** A host with a dot, this machine, or any host with a port, and what may follow it. */
const HOST =
  /^(?:(?:[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|localhost|\[[\da-f:.]+\])(?::\d{1,5})?|[\p{L}\p{N}-]+:\d{1,5})(?:[/?#]|$)/iu;
/** Addresses, this machine and other ports than the web's own mostly speak plain HTTP. */
const PLAIN_HTTP = /^(?:localhost(?:[/?#]|$)|[\d.]+(?:[/?#]|$)|\[|[^/?#]+:)/i;
const echoMaxCharacters = 200;

/** What to write instead of a URL whose scheme is missing, spoilt or there twice; undefined where that is a riddle. */
function whatWasMeant(given: string): string | undefined {
  const [, named, rest = ''] = /^(?:(https?)[:/\\]+)*[/\\]*(.*)$/is.exec(given) ?? [];
  const scheme = named?.toLowerCase() ?? (PLAIN_HTTP.test(rest) ? 'http' : 'https');
  const meant = `${scheme}://${rest}`;
  if (!HOST.test(rest) || URL.parse(meant) === null) return undefined;
  const shown = meant.slice(0, echoMaxCharacters);
  return HOST.test(given) ? `it must begin with http:// or https://, as in ${shown}` : `write ${shown}`;
}

/** The id of a device; null for the default one, which nothing and the name of its address stand for, too. */
export function readDeviceId(given: string | null): Reading<string | null> {
  const id = given?.trim() ?? '';
  if (id === '' || id === 'default') return { value: null, problem: null };
  const device = findDevice(id);
  return { value: device?.id ?? null, problem: device === undefined ? 'is not the id of a device' : null };
}

/** The schema of a text that is to be trimmed; one without a default must not be blank. */
export function trimmedText(
  maxCharacters: number,
  options: { readonly description: string; readonly examples: readonly string[]; readonly default?: '' },
) {
  const problem = (text: string): string | null => {
    const { length } = text.trim();
    if (length === 0 && options.default !== '') return "can't be blank";
    return length > maxCharacters ? `must have at most ${maxCharacters} characters` : null;
  };
  return Type.Refine(
    Type.String(options),
    (text) => problem(text) === null,
    (text) => problem(text) ?? '',
  );
}

/** The lines of a text, or the strings of an array: trimmed, each once, without empty ones. */
export function readLines(
  given: string | readonly string[],
  linesMax: number,
  lineMaxCharacters: number,
): Reading<string[]> {
  const trimmed = [given].flat().flatMap((text) => text.split(/\r\n|\r|\n/).map((line) => line.trim()));
  const lines = [...new Set(trimmed.filter((line) => line !== ''))];
  if (lines.length > linesMax) return { value: [], problem: `must be at most ${linesMax} lines or strings` };
  const tooLong = lines.some((line) => line.length > lineMaxCharacters);
  return { value: lines, problem: tooLong ? `must have at most ${lineMaxCharacters} characters each` : null };
}

/** Tags, trimmed, each once in whatever case: comma-separated in a string, or the strings of an array. */
export function readTags(given: string | readonly string[]): Reading<string[]> {
  const items = typeof given === 'string' ? commaSeparated(given) : given.map((tag) => tag.trim());
  const seen = new Map<string, string>();
  for (const tag of items) if (!seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
  const tags = [...seen.values()];
  const fails = (problem: string): Reading<string[]> => ({ value: [], problem });
  if (tags.length > tagsMax) return fails(`must be at most ${tagsMax} tags`);
  if (tags.some((tag) => tag === '' || [...tag].length > tagMaxCharacters)) {
    return fails(`must be tags of 1 to ${tagMaxCharacters} characters`);
  }
  if (tags.some((tag) => tag.includes(','))) return fails('must be tags without commas');
  return { value: tags, problem: null };
}

/**
 * A moment in ISO 8601, `2026-01-31T23:59:59`, in UTC unless it ends in a zone; a date alone is its last second in UTC.
 * Null stays null.
 */
export function readTime(text: string | null): Reading<Date | null> {
  if (text === null) return { value: null, problem: null };
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59` : text;
  const [, moment = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(whole) ?? [];
  const value = new Date(moment + zone);
  // What no calendar has, such as 30 February, would be taken for a day after.
  const isReal = value.getUTCFullYear() <= 9_999 && new Date(`${moment}Z`).toISOString().startsWith(moment);
  return isReal
    ? { value, problem: null }
    : { value: null, problem: 'must be a time such as 2026-01-31T23:59:59, or a date' };
}
