import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema, Parameter } from '../../src/api/openapi/openapi.ts';
import { anyCharacter, fc } from './random.ts';

/** Faults of requests, one at a time, with the response that each must get. */

export interface FuzzRequest {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly token: 'owner' | 'reader' | 'worthless' | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  /** The allowed responses: `200`, or `status code source` as tests read errors. */
  readonly expected: readonly RegExp[];
}

/** A request in parts, each of which can be made invalid separately. */
export interface Draft extends Omit<FuzzRequest, 'path'> {
  readonly segments: Readonly<Record<string, string>>;
  readonly query: readonly string[];
}

type Fault = fc.Arbitrary<(draft: Draft) => Draft>;

export const SUCCESS = /^20[014]$/;
const ajv = new Ajv2020({ strict: false });
const matches = (schema: JsonSchema, value: unknown): boolean => ajv.validate(schema, value);

const HUGE = 'x'.repeat(70_000);
const DEEP = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
const TEXTS = [
  ...['', ' ', '-1', '0', '1', '1.5', '1e3', '0x10', '９', '2147483648', '9223372036854775808', '1'.repeat(40)],
  ...[
    'true',
    'TRUE',
    'null',
    '{}',
    '[]',
    '%',
    '%25',
    '_',
    '\\',
    "'",
    '";--',
    '<b>',
    '../..',
    '\u202e',
    '🙂',
    'ß',
    '\ufeff',
  ],
  ...['any', 'url-asc', 'pending', 'me', 'default', '00000000-0000-4000-8000-000000000000', HUGE.slice(0, 3_000)],
];
const VALUES: readonly unknown[] = [
  ...TEXTS,
  ...[null, true, false, 0, -1, 1.5, 1e300, 2 ** 53, [], {}, [null], [[]], ['a', 1], { a: 1 }, HUGE, DEEP],
];
const ILL_TEXTS = ['\0', 'a\0b', '\ud800', 'a\udfff'];
const ILL_ENCODINGS = ['%', '%zz', '%ff', 'a%c3', '%ed%a0%80'];
const NOBODYS_ID = '999999999999999';
const ILL_SEGMENTS = [
  NOBODYS_ID,
  ...['0', '-1', '01', '1.0', '1e3', 'x', 'null', '9223372036854775808', '1'.repeat(99), 'y'.repeat(500), '%00', '%20'],
  ...['%2F', '..%2f', "'%22", '%F0%9F%99%82', '*', ';', '00000000-0000-4000-8000-000000000000', '{report_id}'],
];

/** All faults that a request to an operation may have. */
export function faultsOf(
  method: string,
  parts: {
    readonly segments: readonly Parameter[];
    readonly queries: readonly Parameter[];
    readonly body: JsonSchema | undefined;
  },
): Fault[] {
  const { segments, queries, body } = parts;
  const faults: Fault[] = [tokenFault(method), encodingFault()];
  if (segments.length > 0) faults.push(segmentFault(segments));
  for (const parameter of queries) faults.push(queryFault(parameter));
  if (queries.some(({ name }) => name.startsWith('page['))) faults.push(familyFault());
  else faults.push(ignoredQuery());
  if (body !== undefined) {
    faults.push(mediaTypeFault(), rawBodyFault(), envelopeFault(), attributesFault(body), attributesFault(body));
    faults.push(unknownAttribute(body));
  }
  return faults;
}

function tokenFault(method: string) {
  const needsWrite = method !== 'GET';
  return fc
    .constantFrom('none' as const, 'worthless' as const, 'reader' as const)
    .map((who) => (draft: Draft): Draft => {
      if (who === 'none') return { ...draft, what: who, token: null, expected: [/^401 unauthorized$/] };
      if (who === 'worthless') return { ...draft, what: who, token: who, expected: [/^401 invalid_token$/] };
      return { ...draft, what: who, token: who, expected: needsWrite ? [/^403 read_only_token$/] : draft.expected };
    });
}

export function segmentFault(segments: readonly Parameter[]) {
  return fc.tuple(fc.constantFrom(...segments), fc.constantFrom(...ILL_SEGMENTS)).map(
    ([{ name }, segment]) =>
      (draft: Draft): Draft => ({
        ...draft,
        what: `id ${segment}`,
        segments: { ...draft.segments, [name]: segment },
        expected: [/^404 not_found$/],
      }),
  );
}

/** The same request for a missing resource, so that it has no effect. */
export function segmentGone(draft: Draft, segments: readonly Parameter[]): Draft {
  const last = segments.at(-1)?.name ?? '';
  const isThere = !ILL_SEGMENTS.includes(draft.segments[last] ?? '');
  const expected = draft.expected.includes(SUCCESS) ? [/^404 not_found$/] : [...draft.expected, /^404 not_found$/];
  return isThere ? { ...draft, segments: { ...draft.segments, [last]: NOBODYS_ID }, expected } : { ...draft, expected };
}

function queryFault({ name, schema }: Parameter) {
  const values =
    schema.type === 'integer' ? TEXTS.map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : text)) : TEXTS;
  const wrong = values.filter((value) => !matches(schema, value)).map((value) => encodeURIComponent(value));
  const refusal = new RegExp(`^400 invalid_parameter ${escaped(name)}$`);
  const refused = fc.constantFrom(...wrong, '%00', ...ILL_ENCODINGS).map((text) => ({ text, expected: [refusal] }));
  // Only the endpoint knows whether a text without a schema rule is valid.
  const unclear = fc
    .oneof(fc.constantFrom(...TEXTS), fc.string({ unit: anyCharacter, maxLength: 40 }))
    .map((text) => ({ text: encodeURIComponent(text.toWellFormed()), expected: null }));
  return fc.oneof({ weight: 3, arbitrary: refused }, { weight: 1, arbitrary: unclear }).map(
    ({ text, expected }) =>
      (draft: Draft): Draft => ({
        ...draft,
        what: `${name}=${text}`,
        query: [...draft.query.filter((known) => !known.startsWith(`${encodeURIComponent(name)}=`)), pair(name, text)],
        expected: expected ?? [...draft.expected, refusal],
      }),
  );
}

function familyFault() {
  return fc.constantFrom('filter[nonsense]', 'filter', 'filter[', 'page[offset]', 'page', 'sort[x]').map(
    (name) =>
      (draft: Draft): Draft => ({
        ...draft,
        what: name,
        query: [...draft.query, pair(name, '1')],
        expected: [new RegExp(`^400 invalid_parameter ${escaped(name)}$`)],
      }),
  );
}

function ignoredQuery() {
  const raw = fc.string({ unit: fc.constantFrom(...'abc[]{}=&;+?/\\\'"<>^`|~0'.split('')), maxLength: 20 });
  return raw.map(
    (text) =>
      (draft: Draft): Draft => ({ ...draft, what: `?${text}`, query: [...draft.query, text] }),
  );
}

function encodingFault() {
  return fc.constantFrom(...ILL_ENCODINGS).map(
    (text) =>
      (draft: Draft): Draft => ({
        ...draft,
        what: `?${text}`,
        query: [...draft.query, `x${text}=1`],
        expected: [new RegExp(`^400 invalid_parameter x${escaped(text)}$`)],
      }),
  );
}

function mediaTypeFault() {
  const types = [
    'text/plain',
    'application/jsonx',
    'json',
    '',
    'multipart/form-data; boundary=a',
    'application/*',
    'é',
  ];
  return fc.constantFrom(...types).map(
    (type) =>
      (draft: Draft): Draft => ({
        ...draft,
        what: `content-type ${type}`,
        headers: { 'content-type': type },
        expected: [/^415 unsupported_media_type$/],
      }),
  );
}

function rawBodyFault() {
  const broken = fc.constantFrom<[string, string | Buffer]>(
    ['empty', ''],
    ['cut', '{"data":{"attributes":{'],
    ['nonsense', 'nonsense'],
    ['NUL', '\0'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from('{"data":"\u00ed"}', 'latin1')],
    ['endless', '['.repeat(50_000)],
    ['NaN', '{"data":{"attributes":NaN}}'],
    ['a comma too many', '{"data":{"attributes":{},}}'],
  );
  const spoilt = broken.map(([what, body]) => ({ what, body, expected: /^400 invalid_json$/ }));
  const large = fc.constant({ what: 'large', body: ' '.repeat(1_048_577), expected: /^413 payload_too_large$/ });
  return fc.oneof({ weight: 19, arbitrary: spoilt }, { weight: 1, arbitrary: large }).map(
    ({ what, body, expected }) =>
      (draft: Draft): Draft => ({ ...draft, what, body, expected: [expected] }),
  );
}

function envelopeFault() {
  const data = fc.constantFrom('null', '[]', '1', '"text"', '{}', '{"data":null}', '{"data":[]}', '{"data":"x"}');
  const inner = fc.constantFrom('{"data":{}}', '{"data":{"attributes":[]}}', '{"data":{"attributes":null}}');
  const other = fc.constantFrom('"nonsense"', '""', 'null', '7', '{}', '["report"]').map((type) => `"type":${type}`);
  return fc.oneof(
    data.map((body) => spoilt(body, /^400 invalid_request \/data$/)),
    inner.map((body) => spoilt(body, /^400 invalid_request \/data\/attributes$/)),
    other.map((type) => spoilt(`{"data":{${type},"attributes":{}}}`, /^409 conflict \/data\/type$/)),
  );
  function spoilt(body: string, expected: RegExp) {
    return (draft: Draft): Draft => ({ ...draft, what: body, body, expected: [expected] });
  }
}

/** One attribute that is missing, of a wrong type, not storable, given twice, or far too long. */
function attributesFault(body: JsonSchema) {
  return fc.constantFrom(...Object.entries(body.properties ?? {})).chain(([name, schema]) => {
    const refusal = new RegExp(`^422 invalid /data/attributes/${name}(/|$)`);
    const isText = [schema, ...(schema.anyOf ?? [])].some(({ type }) => type === 'string');
    const refused = [
      ...VALUES.filter((value) => !matches(schema, value)),
      ...(isText ? ILL_TEXTS : []),
      ...(body.required?.includes(name) ? [undefined] : []),
    ];
    const wrong = fc.constantFrom(...refused).map((value) => ({ value, isWrong: true }));
    // Only the endpoint knows whether a value of the right type is valid.
    const text = fc.string({ unit: anyCharacter, maxLength: 40 });
    const unclear = fc
      .oneof(
        fc.constantFrom(...VALUES),
        fc.jsonValue({ maxDepth: 2 }),
        text,
        text.map((part) => `https://${part}`),
      )
      .map((value) => ({ value, isWrong: false }));
    return fc.oneof({ weight: 2, arbitrary: wrong }, { weight: 1, arbitrary: unclear }).map(
      ({ value, isWrong }) =>
        (draft: Draft): Draft => ({
          ...draft,
          what: `${name}: ${JSON.stringify(value)?.slice(0, 80)}`,
          body: withAttribute(draft, name, value),
          expected: isWrong ? [refusal] : [...draft.expected, refusal],
        }),
    );
  });
}

function unknownAttribute(body: JsonSchema) {
  const names = ['nonsense', 'id', '__proto__', 'constructor', 'a/b~c', '', 'starting-url', '🙂'];
  const unknown = names.filter((name) => !Object.hasOwn(body.properties ?? {}, name));
  return fc.constantFrom(...unknown).map((name) => (draft: Draft): Draft => {
    const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1');
    const expected = [new RegExp(`^422 invalid /data/attributes/${escaped(pointer)}$`)];
    return { ...draft, what: `unknown ${name}`, body: withAttribute(draft, name, 1), expected };
  });
}

/** The draft's body with an attribute appended: an existing one is then given twice, and the later one counts. */
function withAttribute(draft: Draft, name: string, value: unknown): string {
  const text = String(draft.body);
  if (value === undefined) {
    const document: { data: { attributes: Record<string, unknown> } } = JSON.parse(text);
    delete document.data.attributes[name];
    return JSON.stringify(document);
  }
  const isEmpty = text.includes('"attributes":{}');
  return text.replace(/\}\}\}$/, () => `${isEmpty ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}}}`);
}

export function pair(name: string, encodedValue: string): string {
  return `${encodeURIComponent(name)}=${encodedValue}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
