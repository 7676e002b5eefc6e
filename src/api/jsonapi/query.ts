import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { pageNumberMax, pageSizeDefault, pageSizeMax } from '../limits.ts';
import type { ListLinks, ListMeta } from './document.ts';
import { invalidParameter } from './errors.ts';
import { expectation } from './words.ts';

/** A parameter of a request's query, still encoded. */
export interface QueryPair {
  readonly name: string;
  readonly encodedValue: string;
  /** The pair as it came, with brackets and their like encoded: what links repeat. */
  readonly text: string;
}

const PAGE_NUMBER = 'page[number]';
const PAGE_SIZE = 'page[size]';

/** The parameters that every list takes. */
export const PAGING = {
  [PAGE_NUMBER]: Type.Optional(Type.Integer({ minimum: 1, maximum: pageNumberMax, default: 1 })),
  [PAGE_SIZE]: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
} as const;

/** The part of a request's URL after the question mark, as names and values. Brackets may be encoded or bare. */
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
      const name = decode(encodedName);
      if (name === null) throw invalidParameter(encodedName, 'has invalid percent-encoding');
      return { name, encodedValue: equals === -1 ? '' : text.slice(equals + 1), text };
    });
}

/**
 * The parameters that an endpoint knows, decoded and checked. Unknown ones are ignored, except filters, pages and sort:
 * an answer that silently left them out would be taken for what was asked for.
 * @throws RequestError invalid_parameter
 */
export function readQuery<Schema extends TObject>(schema: Schema, pairs: readonly QueryPair[]): Static<Schema> {
  const values: Record<string, string | number> = {};
  for (const { name, encodedValue } of pairs) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) {
      refuseFamily(schema, name);
      continue;
    }
    if (Object.hasOwn(values, name)) throw invalidParameter(name, 'is given more than once');
    values[name] = readValue(property, name, encodedValue);
  }
  if (!Value.Check(schema, values)) throw new Error('A query passed its parts and failed as a whole.');
  return values;
}

function readValue(property: TSchema, name: string, encodedValue: string): string | number {
  const text = decode(encodedValue);
  if (text === null) throw invalidParameter(name, 'has invalid percent-encoding');
  if (text.includes('\0')) throw invalidParameter(name, 'contains a NUL character');
  const value = Type.IsInteger(property) && /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (!Value.Check(property, value)) throw invalidParameter(name, expectation(property));
  return value;
}

/** In a list, an unknown member of a family that lists know is a mistake, not an extension of somebody else's. */
function refuseFamily(schema: TObject, name: string): void {
  if (!Object.hasOwn(schema.properties, PAGE_NUMBER)) return;
  const family = /^(filter|page|sort)(\[|$)/.exec(name)?.[1];
  if (family === undefined) return;
  const known = Object.keys(schema.properties).filter((candidate) => candidate.startsWith(family));
  throw invalidParameter(
    name,
    known.length > 0 ? `is unknown; known are ${known.join(', ')}` : 'is not available for this list',
  );
}

export interface Paging {
  readonly number: number;
  readonly size: number;
}

/** Which page of a list is asked for. */
export function pagingOf(query: { readonly [PAGE_NUMBER]?: number; readonly [PAGE_SIZE]?: number }): Paging {
  return { number: query[PAGE_NUMBER] ?? 1, size: query[PAGE_SIZE] ?? pageSizeDefault };
}

/**
 * The links and numbers of a page of a list.
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

/**
 * The order that is asked for: `key-asc`, `key-desc`, or the JSON:API form `key`, `-key`; several are separated by
 * commas. `last-checked_at` is another spelling of `last_checked_at` that circulates.
 * @throws RequestError invalid_parameter
 */
export function parseSort<Key extends string>(text: string | undefined, keys: readonly Key[]): SortOrder<Key>[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const spelling = part.trim().replace(/^last-checked_at-/, 'last_checked_at-');
    const suffixed = /^(.+)-(asc|desc)$/.exec(spelling);
    const name = suffixed?.[1] ?? spelling.replace(/^-/, '');
    const key = keys.find((candidate) => candidate === name);
    if (key === undefined) {
      const allowed = keys.map((candidate) => `${candidate}-asc, ${candidate}-desc`).join(', ');
      throw invalidParameter('sort', `must be one of ${allowed}`);
    }
    const descending = suffixed === null ? spelling.startsWith('-') : suffixed[2] === 'desc';
    return { key, direction: descending ? 'desc' : 'asc' };
  });
}

/** The items of a comma-separated list, trimmed, without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A piece of a query with `+` and percent-encoding undone; null when it is not UTF-8 in valid encoding. */
function decode(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Clients may send characters that a link had better not hold; Node lets none but ASCII through. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
