import Type, { type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Notation } from '../../domain/report-attributes.ts';
import { inWords, type NameOf } from '../jsonapi/errors.ts';
import {
  exclusionMaxCharacters,
  exclusionsMax,
  initialUrlsMax,
  selectorMaxCharacters,
  startingUrlMaxCharacters,
  tagMaxCharacters,
  tagsMax,
} from './limits.ts';
import { readSelector } from './selector-attribute.ts';
import { type Reading, readDeviceId, readLines, readTags, readUrl } from './text-attributes.ts';

/** How requests write the value of an attribute that is stored in another form. */
interface NotationFacts {
  readonly schema: TSchema;
  /** What those who write it need to know beyond what the attribute means. */
  readonly about: string;
  /** The text for the default; the default itself unless given. */
  readonly default?: string;
  /** An example of a value, as requests may write it; without it, requests have no examples. */
  examplesOf?(value: unknown): readonly unknown[];
  read(given: unknown): Reading<unknown>;
}

const number = (value: number): string => value.toLocaleString('en');
const asItIs = (value: unknown): readonly unknown[] => [value];
/** In the contract, a text; where a program writes the request, an array is easier. */
const joinedBy = (separator: string) => (value: unknown) => [[value].flat().join(separator), value, ''];

const LINES = Type.Union([Type.String(), Type.Array(Type.String())]);
const NULLABLE_TEXT = Type.Union([Type.String(), Type.Null()]);

export const NOTATIONS: Readonly<Record<Notation, NotationFacts>> = {
  url: notation(Type.String(), readUrl, {
    about: `An absolute http or https URL of at most ${number(startingUrlMaxCharacters)} characters, without credentials.`,
    examplesOf: asItIs,
  }),
  urls: notation(LINES, readInitialUrls, {
    about: `One a line, or an array. At most ${number(initialUrlsMax)}, all absolute.`,
    examplesOf: joinedBy('\n'),
  }),
  exclusions: notation(LINES, (given) => readLines(given, exclusionsMax, exclusionMaxCharacters), {
    about: `One a line, or an array. At most ${number(exclusionsMax)} of at most ${number(exclusionMaxCharacters)} characters.`,
    examplesOf: joinedBy('\n'),
  }),
  tags: notation(LINES, readTags, {
    about: `Separated by commas, or an array. At most ${tagsMax} of 1 to ${tagMaxCharacters} characters, compared without regard to case.`,
    examplesOf: joinedBy(', '),
  }),
  device_id: notation(NULLABLE_TEXT, readDeviceId, {
    about: 'Null and an empty text stand for the default device, too.',
    default: 'default',
  }),
  selector: notation(NULLABLE_TEXT, readSelector, {
    about: `At most ${selectorMaxCharacters} characters. Null and an empty text stand for none.`,
    examplesOf: asItIs,
  }),
};

function notation<Schema extends TSchema>(
  schema: Schema,
  read: (given: Static<Schema>) => Reading<unknown>,
  facts: Omit<NotationFacts, 'schema' | 'read'>,
): NotationFacts {
  return {
    schema,
    ...facts,
    read(given) {
      if (!Value.Check(schema, given)) throw new Error('An attribute that its schema refuses was read.');
      return read(given);
    },
  };
}

function readInitialUrls(given: string | readonly string[]): Reading<string[]> {
  const lines = readLines(given, initialUrlsMax, Number.POSITIVE_INFINITY);
  const readings = lines.value.map((line) => ({ line, ...readUrl(line) }));
  const value = [...new Set(readings.map((reading) => reading.value))];
  const wrong = readings.find((reading) => reading.problem !== null);
  if (lines.problem !== null || wrong === undefined) return { value, problem: lines.problem };
  const remedy = (nameOf: NameOf): string =>
    `${wrong.line.slice(0, 200)} ${wrong.problem}${wrong.remedy === undefined ? '' : ` (${inWords(wrong.remedy, nameOf)})`}`;
  return { value, problem: 'has an invalid URL', remedy };
}
