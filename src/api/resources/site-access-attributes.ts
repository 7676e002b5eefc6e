import Type, { type TSchema } from 'typebox';
import { ADDITIVE, flag } from '../../domain/schemas.ts';
import { type BasicAuth, NO_ACCESS, type SiteAccess } from '../../domain/site-access.ts';
import { type Attributes, isObject } from '../jsonapi/attributes.ts';
import { attributeProblem, type Problem, type Wording } from '../jsonapi/errors.ts';
import {
  credentialMaxCharacters,
  siteCookieMaxCharacters,
  siteCookiesMax,
  siteCookiesMaxCharacters,
  siteHeaderNameMaxCharacters,
  siteHeadersMax,
  siteHeadersMaxCharacters,
} from './limits.ts';

const BASIC_AUTH = Type.Object(
  {
    username: Type.String({ maxLength: credentialMaxCharacters, description: 'May be empty, and has no colon.' }),
    password: Type.String({ maxLength: credentialMaxCharacters, description: 'May be empty.' }),
  },
  { additionalProperties: false },
);
const BY_NAME = Type.Object({}, { additionalProperties: Type.String() });

const NEVER_SHOWN =
  'Sent only to the origin of the starting URL, stored encrypted, never shown: in issues, asterisks stand for what looks ' +
  'like a credential.';

/** The attributes that sign in to the site. Nobody gets to see them again: `signs_in` tells whether there are any. */
export const SITE_ACCESS_ATTRIBUTES = {
  basic_auth: secret(BASIC_AUTH, `HTTP Basic credentials. ${NEVER_SHOWN}`, {
    username: 'staging',
    password: 'correct horse battery staple',
  }),
  headers: secret(BY_NAME, `Headers of requests, values by name. ${NEVER_SHOWN}`, { 'X-Preview-Token': 'q1w2e3' }),
  cookies: secret(
    BY_NAME,
    'Cookies, values by name. Scripts of the pages cannot read them. They are sent as given: what the site sets in its ' +
      `answers is not kept, so that a session which it renews with each answer ends. ${NEVER_SHOWN}`,
    { session: '0123456789abcdef' },
  ),
};

/** How it is shown whether a report or schedule has any of them. */
export const SIGNS_IN = flag(
  'Whether it has `basic_auth`, `headers` or `cookies` for the site. They are not shown themselves. If it has, URLs that ' +
    'plainly sign out (`/logout`, `?action=logout` and so on) are left out unless they are initial URLs, and a page that ' +
    'does not let in who sends a cookie or an `Authorization` header, but leads to one to sign in on, has failed.',
  { examples: [false], ...ADDITIVE },
);

const NAMES = ['basic_auth', 'headers', 'cookies'] as const;

/**
 * What signs in to the site, from the attributes of a request as they came.
 * @param problems gets what is wrong beyond what a schema can tell; the result counts only without any
 * @param current gives what stands where an attribute is not given
 * @returns null when none of the attributes is given
 */
export function readSiteAccess(
  attributes: Attributes,
  problems: Map<string, Problem>,
  current: () => SiteAccess,
): SiteAccess | null {
  const given = NAMES.filter((name) => Object.hasOwn(attributes, name));
  if (given.length === 0) return null;
  const before = given.length < NAMES.length ? current() : NO_ACCESS;
  const refuse: Refuse = (path, title) => {
    if (!problems.has(path.join('/'))) problems.set(path.join('/'), attributeProblem(path, title));
  };
  const { basic_auth: auth, headers, cookies } = attributes;
  const access = {
    basicAuth: given.includes('basic_auth') ? readBasicAuth(auth, refuse) : before.basicAuth,
    headers: given.includes('headers') ? readHeaders(headers, refuse) : before.headers,
    cookies: given.includes('cookies') ? readCookies(cookies, refuse) : before.cookies,
  };
  if (access.basicAuth !== null && Object.hasOwn(access.headers, 'authorization')) {
    const name = Object.keys(headers ?? {}).find((candidate) => candidate.toLowerCase() === 'authorization');
    if (name === undefined) refuse(['basic_auth'], 'cannot be given beside the header Authorization');
    else refuse(['headers', name], (nameOf) => `cannot be given beside ${nameOf('basic_auth')}`);
  }
  return access;
}

type Refuse = (path: readonly string[], title: Wording) => void;

/** Blank ones are none: client libraries send every attribute that they know. */
function readBasicAuth(given: unknown, refuse: Refuse): BasicAuth | null {
  const { username = '', password = '' } = Object.fromEntries(textsIn(given));
  for (const [name, value] of Object.entries({ username, password })) {
    if (/\p{Cc}/u.test(value)) refuse(['basic_auth', name], 'must not contain control characters');
  }
  if (username.includes(':')) refuse(['basic_auth', 'username'], 'must not contain a colon');
  return username + password === '' ? null : { username, password };
}

/** A name of a header or a cookie (RFC 9110, 5.6.2, and RFC 6265, 4.1.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

/**
 * Headers that say what a client and its connection are, which are not the owner's to say: those that the Fetch Standard
 * keeps from pages, those on which our reading of the answers rests, and those by which robots.txt and devices know us.
 */
const RESERVED = new RegExp(
  `^(proxy-.*|sec-.*|access-control-request-.*|if-.*|${[
    ...['accept', 'accept-charset', 'accept-encoding', 'connection', 'content-length', 'content-type', 'cookie2'],
    ...['date', 'dnt', 'expect', 'host', 'http2-settings', 'keep-alive', 'origin', 'range', 'referer', 'set-cookie'],
    ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
  ].join('|')})$`,
);

/** Headers by their names in lower case. */
function readHeaders(given: unknown, refuse: Refuse): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  const judge = (name: string, value: string): Wording | null => {
    const key = name.toLowerCase();
    if (!TOKEN.test(name) || name.length > siteHeaderNameMaxCharacters) return 'is not the name of a header';
    if (key === 'cookie') return (nameOf) => `is made of the attribute ${nameOf('cookies')}`;
    if (RESERVED.test(key)) return 'cannot be set';
    if (headers.has(key)) return 'is given twice';
    if (value === '') return "can't be blank";
    return /^[\t\x20-\x7e]+$/.test(value) ? null : 'must consist of ASCII characters, without line breaks';
  };
  for (const [name, value] of entriesOf(given, 'headers', { max: siteHeadersMax, refuse })) {
    const problem = judge(name, value);
    if (problem !== null) refuse(['headers', name], problem);
    headers.set(name.toLowerCase(), value);
  }
  refuseTooLong('headers', headers, siteHeadersMaxCharacters, refuse);
  return Object.fromEntries(headers);
}

/** Cookies by name. Values are what browsers take, which is more than servers should send. */
function readCookies(given: unknown, refuse: Refuse): Readonly<Record<string, string>> {
  const cookies = new Map(entriesOf(given, 'cookies', { max: siteCookiesMax, refuse }));
  for (const [name, value] of cookies) {
    if (!TOKEN.test(name)) refuse(['cookies', name], 'is not the name of a cookie');
    else if (!/^[\x20-\x3a\x3c-\x7e]*$/.test(value)) {
      refuse(['cookies', name], 'must consist of ASCII characters, without line breaks and semicolons');
    } else if (name.length + value.length > siteCookieMaxCharacters) {
      refuse(['cookies', name], `must have at most ${siteCookieMaxCharacters} characters, its name included`);
    }
  }
  refuseTooLong('cookies', cookies, siteCookiesMaxCharacters, refuse);
  return Object.fromEntries(cookies);
}

/** Names and values, without white space around these; none when they are too many. */
function entriesOf(
  given: unknown,
  attribute: string,
  { max, refuse }: { readonly max: number; readonly refuse: Refuse },
): [name: string, value: string][] {
  const entries = textsIn(given);
  if (entries.length > max) refuse([attribute], `must be at most ${max}`);
  return entries.length > max ? [] : entries.map(([name, value]) => [name, value.trim()]);
}

/** The texts in an object, by name; what else is in it is a problem already. */
function textsIn(given: unknown): [name: string, value: string][] {
  if (!isObject(given)) return [];
  return Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}

function refuseTooLong(attribute: string, entries: ReadonlyMap<string, string>, max: number, refuse: Refuse): void {
  const characters = [...entries].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (characters > max) refuse([attribute], `must have at most ${max} characters in all`);
}

function secret<Schema extends TSchema>(schema: Schema, description: string, example: unknown) {
  const options = { writeOnly: true, description, examples: [example, null], ...ADDITIVE };
  return Type.Optional(Type.Union([schema, Type.Null()], options));
}
