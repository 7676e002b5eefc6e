import Type, { type Static, type TObject, type TSchema, type TSchemaOptions } from 'typebox';
import { Check } from 'typebox/schema';
import { expectation } from '../../platform/expectation.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import type { ListLinks, ListMeta } from './document.ts';
import { type Problem, parameterProblem, RequestError } from './errors.ts';

const pageSizeDefault = 25;
const pageSizeMax = 100;
/** Far past the end of every list, and still exact as a number of rows. */
const pageNumberMax = 1_000_000_000;

/** A parameter of a request's query. */
export interface QueryPair {
  /** Decoded, or as sent if its encoding is invalid, which `readQuery` refuses. */
  readonly name: string;
  readonly encodedValue: string;
  /** The name and value as sent, for links, with characters such as brackets encoded. */
  readonly text: string;
}

const PAGE_NUMBER = 'page[number]';
const PAGE_SIZE = 'page[size]';

/** The parameters of every list. */
export const PAGING = {
  [PAGE_NUMBER]: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageNumberMax,
      default: 1,
      description: 'Page number. Pages after the last page are empty.',
    }),
  ),
  [PAGE_SIZE]: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageSizeMax,
      default: pageSizeDefault,
      description: 'Number of resources per page.',
    }),
  ),
} as const;

/** Parses the query of a URL. Brackets can be encoded or not. */
export function parseQuery(url: string): QueryPair[] {
  const start = url.indexOf('?');
  const query = start === -1 ? '' : url.slice(start + 1).replace(/#.*/s, '');
  return query
    .split('&')
    .filter((text) => text !== '')
    .map((raw) => {
      const text = raw.replace(/["<>[\]\\^`{|}]/g, percentEncoded);
      const equals = text.indexOf('=');
      const encodedName = equals === -1 ? text : text.slice(0, equals);
      const encodedValue = equals === -1 ? '' : text.slice(equals + 1);
      return { name: decode(encodedName) ?? encodedName, encodedValue, text };
    });
}

/**
 * Decodes and validates the parameters of an endpoint. Ignores unknown ones, except `filter`, `page` and `sort`, since a
 * client could not know that its filter had no effect.
 * @throws RequestError invalid_parameter, with every invalid parameter
 */
export function readQuery<Schema extends TObject>(schema: Schema, pairs: readonly QueryPair[]): Static<Schema> {
  const values: Record<string, string | number> = {};
  const problems = new Map<string, Problem>();
  for (const pair of pairs) {
    const { name } = pair;
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const reading = property === undefined ? readUnknown(schema, pair) : readValue(property, pair.encodedValue);
    const title = Object.hasOwn(values, name) ? 'is given more than once' : reading.problem;
    if (title !== null) problems.set(name, parameterProblem(name, title));
    if (property !== undefined) values[name] = reading.value;
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(values, name)) problems.set(name, parameterProblem(name, 'is required'));
  }
  if (problems.size > 0) throw new RequestError('invalid_parameter', [...problems.values()]);
  if (!Check(schema, values)) throw new Error('A query passed its parts and failed as a whole.');
  return values;
}

/** The value of a parameter, and its problem, worded to follow the name. */
interface Reading {
  readonly value: string | number;
  readonly problem: string | null;
}

const BAD_ENCODING: Reading = { value: '', problem: 'has invalid percent-encoding' };

function readValue(property: TSchema, encodedValue: string): Reading {
  const text = decode(encodedValue);
  if (text === null) return BAD_ENCODING;
  if (text.includes('\0')) return { value: '', problem: 'contains a NUL character' };
  const value = Type.IsInteger(property) && /^\d{1,15}$/.test(text) ? Number(text) : text;
  return { value, problem: Check(property, value) ? null : expectation(property, value) };
}

/** Reports an unknown `filter`, `page` or `sort` of a list. */
function readUnknown(schema: TObject, { name, text }: QueryPair): Reading {
  if (decode(text.replace(/=.*/s, '')) === null) return BAD_ENCODING;
  const family = /^(filter|page|sort)(\[|$)/.exec(name)?.[1];
  if (family === undefined || !Object.hasOwn(schema.properties, PAGE_NUMBER)) return { value: '', problem: null };
  const known = Object.keys(schema.properties).filter((candidate) => candidate.startsWith(family));
  const meant = likelyParameter(name, known, Object.keys(schema.properties));
  const hint = meant === null ? '' : `; did you mean ${meant}?`;
  if (known.length === 0) return { value: '', problem: `is not available for this list${hint}` };
  return {
    value: '',
    problem: `is unknown${hint}${hint === '' ? '; known' : ' Known'} parameters: ${known.join(', ')}`,
  };
}

/**
 * Returns the parameter that was probably meant by an unknown one: `interval` by `filter[interval]`, `filter[tags][list]` by
 * `filter[tags]`, or the most similar one. Null if there is none.
 * @param family the known parameters of the same family
 * @param all all known parameters
 */
function likelyParameter(name: string, family: readonly string[], all: readonly string[]): string | null {
  const list = `${name}[list]`;
  if (all.includes(list)) return list;
  const [, outer, inner = ''] = /^(\w+)\[([^\]]*)\]$/.exec(name) ?? [];
  const outside = all.filter((known) => !known.includes('['));
  return (
    outside.find((known) => known === inner || known === outer) ??
    nearestName(name, family) ??
    nearestName(inner, outside)
  );
}

export interface Paging {
  readonly number: number;
  readonly size: number;
}

/** Returns the requested page of a list. */
export function pagingOf(query: { readonly [PAGE_NUMBER]?: number; readonly [PAGE_SIZE]?: number }): Paging {
  return { number: query[PAGE_NUMBER] ?? 1, size: query[PAGE_SIZE] ?? pageSizeDefault };
}

/**
 * Returns the links and `meta` of a page of a list.
 * @param path absolute URL of the list, without query
 */
export function pageLinks(
  path: string,
  pairs: readonly QueryPair[],
  paging: Paging,
  total: number,
): { readonly links: ListLinks; readonly meta: ListMeta } {
  const pages = Math.ceil(total / paging.size);
  const others = pairs.filter((pair) => pair.name !== PAGE_NUMBER).map((pair) => pair.text);
  const to = (number: number): string => `${path}?${[...others, `page%5Bnumber%5D=${number}`].join('&')}`;
  const asked = pairs.map((pair) => pair.text).join('&');
  return {
    links: {
      self: asked === '' ? path : `${path}?${asked}`,
      first: to(1),
      ...(paging.number > 1 ? { prev: to(Math.max(1, Math.min(paging.number - 1, pages))) } : {}),
      ...(paging.number < pages ? { next: to(paging.number + 1) } : {}),
      last: to(Math.max(1, pages)),
    },
    meta: { total, page: { number: paging.number, size: paging.size, pages } },
  };
}

export interface SortOrder<Key extends string> {
  readonly key: Key;
  readonly direction: 'asc' | 'desc';
}

/** The description of a parameter, and marks such as `ADDITIVE`. */
type Described = TSchemaOptions & { readonly description: string };

const quoted = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

const SORT_FORMS = '`KEY-asc` or `KEY-desc`, or `KEY` or `-KEY` as in JSON:API; several separated by commas.';

/** Returns the schema of a `sort` parameter, which `parseSort` reads. The description follows the description of the keys. */
export function sortParameter<Key extends string>(
  keys: readonly Key[],
  { example, description, ...options }: Described & { readonly example: `${Key}-${'asc' | 'desc'}` },
) {
  const allowed = keys.map((key) => `${key}-asc, ${key}-desc`).join(', ');
  return Type.Optional(
    Type.Refine(
      Type.String({
        ...options,
        description: `${SORT_FORMS} Keys: ${quoted(keys)}. ${description}`,
        examples: [example, `-${keys[1]},${keys[0]}`],
      }),
      (text) => text.split(',').every((part) => orderOf(part, keys) !== null),
      (text) => `must be one of ${allowed}${likelyOrder(text, keys)}`,
    ),
  );
}

/** Parses a `sort` parameter. It can have several keys, separated by commas; none if it is absent. */
export function parseSort<Key extends string>(text: string | undefined, keys: readonly Key[]): SortOrder<Key>[] {
  return (text ?? '').split(',').flatMap((part) => orderOf(part, keys) ?? []);
}

/**
 * Parses `key-asc`, `key-desc`, or the JSON:API forms `key` and `-key`; null for anything else. Some clients spell
 * `last_checked_at` as `last-checked_at`.
 */
function orderOf<Key extends string>(part: string, keys: readonly Key[]): SortOrder<Key> | null {
  const spelling = part.trim().replace(/^last-checked_at-/, 'last_checked_at-');
  const suffixed = /^(.+)-(asc|desc)$/.exec(spelling);
  const name = suffixed?.[1] ?? spelling.replace(/^-/, '');
  const key = keys.find((candidate) => candidate === name);
  const descending = suffixed === null ? spelling.startsWith('-') : suffixed[2] === 'desc';
  return key === undefined ? null : { key, direction: descending ? 'desc' : 'asc' };
}

/** Suggests the order that an invalid value probably means, as the end of a sentence; empty if there is none. */
function likelyOrder(text: string, keys: readonly string[]): string {
  const wrong = text.split(',').find((part) => orderOf(part, keys) === null) ?? '';
  const [, minus = '', name = '', suffix = ''] = /^(-?)(.*?)(-asc|-desc)?$/.exec(wrong.trim()) ?? [];
  const nearest = nearestName(name, keys);
  return nearest === null ? '' : `; did you mean ${minus}${nearest}${suffix}?`;
}

/**
 * Returns the schema of a parameter with one or more values, separated by commas, which `chosenOf` reads.
 * @param options.description describes the choice; the list of values follows, then the remark
 */
export function choiceParameter<Value extends string>(
  values: readonly Value[],
  { description, remark, ...options }: Described & { readonly remark?: string },
) {
  const list = `${description}, separated by commas: ${quoted(values)}.`;
  return Type.Optional(
    Type.Refine(
      Type.String({
        ...options,
        description: remark === undefined ? list : `${list} ${remark}`,
        examples: [values.slice(0, 2).join(',')],
      }),
      (text) => chosenOf(text, values).length === text.split(',').length,
      (text) => `must be one or more of ${values.join(', ')}, separated by commas${likelyValue(text, values)}`,
    ),
  );
}

/** Returns the values in a parameter, in its order; undefined if it is absent. */
export function chosenOf<Value extends string>(text: string, values: readonly Value[]): Value[];
export function chosenOf<Value extends string>(text: string | undefined, values: readonly Value[]): Value[] | undefined;
export function chosenOf<Value extends string>(text: string | undefined, values: readonly Value[]) {
  return text?.split(',').flatMap((part) => values.find((value) => value === part.trim()) ?? []);
}

function likelyValue(text: string, values: readonly string[]): string {
  const wrong = text.split(',').find((part) => chosenOf(part, values).length === 0) ?? '';
  const nearest = nearestName(wrong.trim(), values);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** Decodes `+` and percent-encoding; null if the encoding is invalid or the result is not UTF-8. */
function decode(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Encodes a character that clients may send but links should not contain. Node.js accepts only ASCII in URLs. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
