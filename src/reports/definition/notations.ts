import Type, { type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { STANDARD_IDS } from '../../../packages/client/standards.ts';
import { findDevice } from '../../browser/devices.ts';
import { CONSENT_CHOICES } from '../../domain/consent.ts';
import { shownJourney } from '../../domain/journey.ts';
import type { Notation } from '../../domain/report-attributes.ts';
import { JOURNEY } from '../../domain/step-schema.ts';
import { commaSeparated } from '../../platform/comma-separated.ts';
import { type NameOf, type Phrase, phraseOf } from '../../platform/fault.ts';
import { inclusionProblem } from '../../spider/inclusion-matcher.ts';
import { normaliseUrl } from '../../spider/url.ts';
import { selectorProblem } from './css-selector.ts';
import { readJourneys } from './journey-attributes.ts';
import {
  exclusionMaxCharacters,
  exclusionsMax,
  inclusionMaxCharacters,
  inclusionsMax,
  initialUrlsMax,
  journeyStepsMax,
  journeysMax,
  marksPerJourneyMax,
  selectorMaxCharacters,
  startingUrlMaxCharacters,
  tagMaxCharacters,
  tagsMax,
} from './limits.ts';

/** The value that a notation stands for, and what is wrong with the notation, worded to follow the attribute's name. */
export interface Reading<T> {
  readonly value: T;
  readonly problem: string | null;
  /** How to fix the problem, worded to follow a colon. */
  readonly remedy?: Phrase;
}

/** How requests write an attribute that is stored in another form. */
interface NotationRules {
  readonly schema: TSchema;
  /** How to write the value, added to the description of the attribute. */
  readonly about: string;
  /** The notation of the default, if different from the stored default. */
  readonly default?: string;
  /** Returns a stored value in the forms that requests may use. */
  examplesOf?(value: unknown): readonly unknown[];
  read(given: unknown): Reading<unknown>;
}

const number = (value: number): string => value.toLocaleString('en');
const unchanged = (value: unknown): readonly unknown[] => [value];
/** The contract has a string here. An array is easier for programs. */
const joinedBy = (separator: string) => (value: unknown) => [[value].flat().join(separator), value, ''];

const LINES = Type.Union([Type.String(), Type.Array(Type.String())]);
const NULLABLE_TEXT = Type.Union([Type.String(), Type.Null()]);

export const NOTATIONS: Readonly<Record<Notation, NotationRules>> = {
  url: notation(Type.String(), readUrl, {
    about: `An absolute http or https URL of at most ${number(startingUrlMaxCharacters)} characters, without credentials.`,
    examplesOf: unchanged,
  }),
  urls: notation(LINES, readInitialUrls, {
    about: `One per line, or an array. At most ${number(initialUrlsMax)}, all absolute.`,
    examplesOf: joinedBy('\n'),
  }),
  inclusions: notation(LINES, readInclusions, {
    about: `One per line, or an array. At most ${number(inclusionsMax)} of at most ${number(inclusionMaxCharacters)} characters.`,
    examplesOf: joinedBy('\n'),
  }),
  exclusions: notation(LINES, (given) => readLines(given, exclusionsMax, exclusionMaxCharacters), {
    about: `One per line, or an array. At most ${number(exclusionsMax)} of at most ${number(exclusionMaxCharacters)} characters.`,
    examplesOf: joinedBy('\n'),
  }),
  tags: notation(LINES, readTags, {
    about: `Separated by commas, or an array. At most ${tagsMax} tags of 1 to ${tagMaxCharacters} characters each. Case is ignored.`,
    examplesOf: joinedBy(', '),
  }),
  device_id: notation(NULLABLE_TEXT, readDeviceId, {
    about: 'Null and an empty string also mean the default device.',
    default: 'default',
  }),
  standard: notation(
    Type.Union([Type.Enum([...STANDARD_IDS, '']), Type.Null()]),
    (given) => ({ value: given || null, problem: null }),
    { about: 'An empty string means null.', examplesOf: unchanged },
  ),
  consent: notation(
    Type.Union([Type.Enum([...CONSENT_CHOICES, '']), Type.Null()]),
    (given) => ({ value: given || null, problem: null }),
    { about: 'An empty string means null.', examplesOf: unchanged },
  ),
  // `readSiteAccess` reports what is wrong with them, because they may keep secrets.
  journeys: notation(
    Type.Array(JOURNEY),
    (given) => ({ value: readJourneys(given, () => undefined, 'any').map(shownJourney), problem: null }),
    {
      about: `At most ${journeysMax}, each with at most ${journeyStepsMax} steps, including 1 to ${marksPerJourneyMax} \`check\` steps.`,
      examplesOf: unchanged,
    },
  ),
  selector: notation(NULLABLE_TEXT, readSelector, {
    about: `At most ${selectorMaxCharacters} characters. Null and an empty string mean none.`,
    examplesOf: unchanged,
  }),
};

function notation<Schema extends TSchema>(
  schema: Schema,
  read: (given: Static<Schema>) => Reading<unknown>,
  facts: Omit<NotationRules, 'schema' | 'read'>,
): NotationRules {
  return {
    schema,
    ...facts,
    read(given) {
      if (!Check(schema, given)) throw new Error('The attribute does not match its schema.');
      return read(given);
    },
  };
}

/**
 * Parses a URL to crawl: absolute http(s) with a host, without credentials, at most 2,048 characters as given and as
 * serialized. Returns it serialized.
 */
function readUrl(text: string): Reading<string> {
  const given = text.trim();
  const fails = (problem: string, remedy?: Phrase): Reading<string> => ({
    value: '',
    problem,
    ...(remedy === undefined ? {} : { remedy }),
  });
  if (given === '') return fails("can't be blank");
  if (given.length > startingUrlMaxCharacters) return fails(`must have at most ${startingUrlMaxCharacters} characters`);
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme)) return fails('must begin with http:// or https://');
  // The URL Standard repairs a missing host, backslashes and line breaks, but here they are typing errors.
  const hasHost = /^https?:\/\/[^/\\?#]/i.test(given) && !SCHEME_TWICE.test(given);
  const url = hasHost && !/\p{Cc}/u.test(given) ? URL.parse(given) : null;
  if (url === null) return fails('has invalid format', suggestedUrl(given));
  if (url.username !== '' || url.password !== '')
    return fails('must not contain credentials', (nameOf) => `set them in ${nameOf('basic_auth')}`);
  const value = normaliseUrl(url.href);
  return value === null ? fails(`must have at most ${startingUrlMaxCharacters} characters`) : { value, problem: null };
}

/** Matches a URL pasted after a scheme. */
const SCHEME_TWICE = /^https?:\/\/https?:/i;
/** Matches a host with a dot, this machine, or any host with a port, and the character after it. */
const HOST =
  /^(?:(?:[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|localhost|\[[\da-f:.]+\])(?::\d{1,5})?|[\p{L}\p{N}-]+:\d{1,5})(?:[/?#]|$)/iu;
/** Matches hosts that usually use plain HTTP: IP addresses, this machine, and hosts with a port. */
const PLAIN_HTTP = /^(?:localhost(?:[/?#]|$)|[\d.]+(?:[/?#]|$)|\[|[^/?#]+:)/i;
const echoMaxCharacters = 200;

/**
 * Explains how to fix a URL whose scheme is missing, malformed or doubled; if the intent is unclear, explains the form of a URL.
 */
function suggestedUrl(given: string): string {
  const [, named, rest = ''] = /^(?:(https?)[:/\\]+)*[/\\]*(.*)$/is.exec(given) ?? [];
  const scheme = named?.toLowerCase() ?? (PLAIN_HTTP.test(rest) ? 'http' : 'https');
  const meant = `${scheme}://${rest}`;
  if (!HOST.test(rest) || URL.parse(meant) === null) return 'it must be a complete URL, as in https://example.com/';
  const shown = meant.slice(0, echoMaxCharacters);
  return HOST.test(given) ? `it must begin with http:// or https://, as in ${shown}` : `write ${shown}`;
}

function readInitialUrls(given: string | readonly string[]): Reading<string[]> {
  const lines = readLines(given, initialUrlsMax, Number.POSITIVE_INFINITY);
  const readings = lines.value.map((line) => ({ line, ...readUrl(line) }));
  const value = [...new Set(readings.map((reading) => reading.value))];
  const wrong = readings.find((reading) => reading.problem !== null);
  if (lines.problem !== null || wrong === undefined) return { value, problem: lines.problem };
  const remedy = (nameOf: NameOf): string =>
    `${wrong.line.slice(0, 200)} ${wrong.problem}${wrong.remedy === undefined ? '' : ` (${phraseOf(wrong.remedy, nameOf)})`}`;
  return { value, problem: 'has an invalid URL', remedy };
}

function readInclusions(given: string | readonly string[]): Reading<string[]> {
  const lines = readLines(given, inclusionsMax, inclusionMaxCharacters);
  const wrong = lines.value
    .map((line) => ({ line, problem: inclusionProblem(line) }))
    .find(({ problem }) => problem !== null);
  if (lines.problem !== null || wrong === undefined) return lines;
  return { value: [], problem: 'has an invalid inclusion', remedy: `${wrong.line.slice(0, 200)} ${wrong.problem}` };
}

/** Reads the lines of a string, or the strings of an array. Trims them and drops empty ones and duplicates. */
function readLines(given: string | readonly string[], linesMax: number, lineMaxCharacters: number): Reading<string[]> {
  const trimmed = [given].flat().flatMap((text) => text.split(/\r\n|\r|\n/).map((line) => line.trim()));
  const lines = [...new Set(trimmed.filter((line) => line !== ''))];
  if (lines.length > linesMax) return { value: [], problem: `must be at most ${linesMax} lines or strings` };
  const tooLong = lines.some((line) => line.length > lineMaxCharacters);
  return { value: lines, problem: tooLong ? `must have at most ${lineMaxCharacters} characters each` : null };
}

/** Reads comma-separated tags, or the strings of an array. Trims them and drops duplicates, ignoring case. */
function readTags(given: string | readonly string[]): Reading<string[]> {
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

/** Reads the id of a device; null for the default device, which can also be given as an empty string or `default`. */
function readDeviceId(given: string | null): Reading<string | null> {
  const id = given?.trim() ?? '';
  if (id === '' || id === 'default') return { value: null, problem: null };
  const device = findDevice(id);
  return { value: device?.id ?? null, problem: device === undefined ? 'is not the id of a device' : null };
}

/** Reads a CSS selector; null for none. */
function readSelector(text: string | null): Reading<string | null> {
  const value = text?.trim() ?? '';
  if (value === '') return { value: null, problem: null };
  if (value.length > selectorMaxCharacters) {
    return { value: null, problem: `must have at most ${selectorMaxCharacters} characters` };
  }
  const remedy = selectorProblem(value);
  return remedy === null ? { value, problem: null } : { value: null, problem: 'is not a CSS selector', remedy };
}
