import { CERTAINTIES, type Certainty, type CheckKind } from '../domain/check.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { isTraceOfSingle, TRACE_BYTES } from './identity.ts';

/** The baseline that `check --write-baseline` writes and `check --baseline` reads: decision 0060. */

/** The version of the format, and the attribute that holds it. */
export const BASELINE_FORMAT = 1;
export const FORMAT_NAME = 'sitewarden_baseline';
/** A baseline of 10,000 pages with ten occurrences for each of ten issue types takes a third of this size. */
export const BASELINE_MAX_BYTES = 67_108_864;
/**
 * Characters of an occurrence's fingerprint that are stored. On a single page, they identify occurrences as well as all 32 do.
 */
const OCCURRENCE_CHARACTERS = 12;

/** An issue type: the kind of check, and its fingerprint in hexadecimal. */
export interface IssueTypeKey {
  readonly kind: CheckKind;
  readonly fingerprint: string;
}

/** The name of an issue type in the file. */
export interface IssueTypeText {
  readonly type: Certainty;
  /** Shortened. */
  readonly message: string;
}

export interface BaselineFile {
  /** The versions of the engine of each kind of check. */
  readonly engines: ReadonlyMap<CheckKind, readonly string[]>;
  /** By `keyOfIssueType`. Entries that were removed by hand are missing. */
  readonly kinds: ReadonlyMap<string, IssueTypeText>;
  /** The occurrences of each page by its reference (`referenceTo`) and by `keyOfIssueType`, separated by spaces. */
  readonly pages: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** `html 0f3a5b8c…`. */
export function keyOfIssueType({ kind, fingerprint }: IssueTypeKey): string {
  return `${kind} ${fingerprint}`;
}

/** Parses a key that `keyOfIssueType` returned. */
export function issueTypeOfKey(key: string): IssueTypeKey {
  const [kind = '', fingerprint = ''] = key.split(' ');
  return { kind, fingerprint };
}

/** Returns the part of an occurrence's hexadecimal fingerprint that the file contains. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, OCCURRENCE_CHARACTERS);
}

/**
 * Returns the entry for an occurrence in the file. A trace follows the fingerprint only for `html`, `head` and `body`: other
 * traces contain the position of the element, so one more paragraph would change every line.
 * @param fingerprint in hexadecimal, like the trace
 */
export function occurrenceText(fingerprint: string, trace: string): string {
  return shortFingerprint(fingerprint) + (isTraceOfSingle(trace) ? trace : '');
}

/** Returns the occurrences of an issue type on a page, and their traces, from their entries in the file. */
export function occurrencesOfText(text: string): { occurrences: string[]; traces: Uint8Array } {
  const occurrences = text.split(' ');
  const traces = occurrences.map((occurrence) => occurrence.slice(OCCURRENCE_CHARACTERS).padEnd(2 * TRACE_BYTES, '0'));
  return { occurrences: occurrences.map(shortFingerprint), traces: Buffer.from(traces.join(''), 'hex') };
}

/** Returns an issue type as the file describes it. */
export function issueTypeText({ type, message }: IssueTypeText): string {
  return `${type}: ${message}`;
}

const KEY = /^[a-z0-9_]{1,32} [0-9a-f]{32}$/;
const OCCURRENCES = /^[0-9a-f]{12}(?:[0-9a-f]{16})?(?: [0-9a-f]{12}(?:[0-9a-f]{16})?)*$/;

/**
 * Parses a baseline.
 * @throws Error whose message describes the problem, worded to follow the name of the file
 */
export function parseBaseline(text: string): BaselineFile {
  const content = objectIn(parsed(text), 'is not a baseline');
  const format = content[FORMAT_NAME];
  if (format === undefined) throw new Error('is not a baseline');
  if (format !== BASELINE_FORMAT) {
    throw new Error(`has format ${JSON.stringify(format)}, but this version reads format ${BASELINE_FORMAT}`);
  }
  return {
    engines: mapOf(content, 'engines', isListOfTexts, (versions) => versions),
    kinds: mapOf(content, 'kinds', isText, parseKind, KEY),
    pages: mapOf(content, 'pages', isObject, (page) =>
      mapOf({ page }, 'page', isOccurrences, (occurrences) => occurrences, KEY),
    ),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const hasConflict = /^(?:<{7}|={7}|>{7})/m.test(text);
    throw new Error(hasConflict ? 'has unresolved merge conflicts' : 'is not valid JSON');
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOccurrences(value: unknown): value is string {
  return isText(value) && OCCURRENCES.test(value);
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function objectIn(value: unknown, problem: string): JsonObject {
  if (!isObject(value)) throw new Error(problem);
  return value;
}

/** Reads an object whose values are of one type, and whose keys have a certain form. */
function mapOf<Value, Result>(
  content: JsonObject,
  name: string,
  isValue: (value: unknown) => value is Value,
  read: (value: Value) => Result,
  form = /^/,
): Map<string, Result> {
  const entries = Object.entries(objectIn(content[name], `is damaged at "${name}"`));
  return new Map(
    entries.map(([key, value]) => {
      if (!form.test(key) || !isValue(value)) throw new Error(`is damaged at ${JSON.stringify(key.slice(0, 100))}`);
      return [key, read(value)];
    }),
  );
}

function parseKind(text: string): IssueTypeText {
  const type = CERTAINTIES.find((name) => text.startsWith(`${name}: `));
  return type === undefined ? { type: 'error', message: text } : { type, message: text.slice(type.length + 2) };
}

/**
 * Returns the URL of a page relative to the folder of a site's starting URL, such as `./`, `about.html` or `../blog/?page=2`, so
 * that the pages of a preview and of the published site have the same references. URLs of other origins are returned unchanged.
 */
export function referenceTo(url: string, start: string): string {
  const { origin, pathname, search } = new URL(url);
  const folder = new URL('.', start);
  if (origin !== folder.origin) return url;
  const shared = sharedFolder(folder.pathname, pathname);
  const up = '../'.repeat(folder.pathname.slice(shared.length).split('/').length - 1);
  const reference = `${up}${pathname.slice(shared.length)}${search}`;
  // For empty paths, and paths that would be read as an origin or a scheme.
  const forms = reference.startsWith('?') || reference === '' ? [`./${reference}`] : [reference, `./${reference}`];
  return forms.find((form) => resolveReference(form, start) === url) ?? url;
}

/** Returns the URL of a reference on the site with this starting URL; null if it is not valid. */
export function resolveReference(reference: string, start: string): string | null {
  return URL.parse(reference, new URL('.', start).href)?.href ?? null;
}

/** Returns the longest folder, with its slash, that both paths begin with. */
function sharedFolder(folder: string, path: string): string {
  let end = 0;
  for (let at = 0; at < folder.length && folder[at] === path[at]; at += 1) if (folder[at] === '/') end = at + 1;
  return folder.slice(0, end);
}
