import Type, { type TSchema } from 'typebox';
import type { Journey } from '../../domain/journey.ts';
import type { Login } from '../../domain/login.ts';
import { ADDITIVE } from '../../domain/schemas.ts';
import { type BasicAuth, NO_ACCESS, type SiteAccess } from '../../domain/site-access.ts';
import { faultsMax } from '../../platform/attribute-faults.ts';
import { type Faults, fault, type Phrase } from '../../platform/fault.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { haveSecrets, keepSecrets, readJourneys } from './journey-attributes.ts';
import {
  credentialMaxCharacters,
  siteCookieMaxCharacters,
  siteCookiesMax,
  siteCookiesMaxCharacters,
  siteHeaderNameMaxCharacters,
  siteHeadersMax,
  siteHeadersMaxCharacters,
} from './limits.ts';
import { keepsSecrets, LOGIN_ATTRIBUTE, readLogin } from './login-attributes.ts';

const BASIC_AUTH = Type.Object(
  {
    username: Type.String({
      maxLength: credentialMaxCharacters,
      description: 'May be empty. Must not contain a colon.',
    }),
    password: Type.String({ maxLength: credentialMaxCharacters, description: 'May be empty.' }),
  },
  { additionalProperties: false },
);
const BY_NAME = Type.Object({}, { additionalProperties: Type.String() });

const NEVER_SHOWN =
  'Sent only to the origin of the starting URL, stored encrypted and never shown. In issues, asterisks replace text that ' +
  'looks like a credential.';

/** The attributes for access to the site. They are never shown again. `signs_in` shows whether there are any. */
export const SITE_ACCESS_ATTRIBUTES = {
  basic_auth: secret(BASIC_AUTH, `HTTP Basic credentials. ${NEVER_SHOWN}`, {
    username: 'staging',
    password: 'correct horse battery staple',
  }),
  headers: secret(BY_NAME, `Request headers, as an object of names and values. ${NEVER_SHOWN}`, {
    'X-Preview-Token': 'q1w2e3',
  }),
  cookies: secret(
    BY_NAME,
    'Cookies, values by name. Scripts of pages cannot read them. `Set-Cookie` in responses is ignored, so a session that ' +
      `the site renews with each response will end. Use \`login\` for such a site. ${NEVER_SHOWN}`,
    { session: '0123456789abcdef' },
  ),
  login: LOGIN_ATTRIBUTE,
};

const NAMES = ['basic_auth', 'headers', 'cookies', 'login'] as const;

/**
 * Reads the credentials for the site from the attributes of a request.
 * @param faults receives faults that the schema cannot find; the result is valid only if there are none
 * @param current returns the values of attributes that are not given
 * @returns null if none of the attributes is given
 */
export function readSiteAccess(attributes: JsonObject, faults: Faults, current: () => SiteAccess): SiteAccess | null {
  const given = NAMES.filter((name) => Object.hasOwn(attributes, name));
  const journeys = Object.hasOwn(attributes, 'journeys') ? readJourneysIn(attributes, faults, current) : null;
  if (given.length === 0 && journeys === null) return null;
  const before = given.length < NAMES.length || journeys === null ? valuesBefore(given, current) : NO_ACCESS;
  const refuse: Refuse = (path, message) => {
    if (!faults.has(path.join('/'))) faults.set(path.join('/'), fault(path, message));
  };
  const { basic_auth: auth, headers, cookies } = attributes;
  const login = given.includes('login') ? readLoginIn(attributes, faults, current) : (before.login ?? null);
  const access: SiteAccess = {
    basicAuth: given.includes('basic_auth') ? readBasicAuth(auth, refuse) : before.basicAuth,
    headers: given.includes('headers') ? readHeaders(headers, refuse) : before.headers,
    cookies: given.includes('cookies') ? readCookies(cookies, refuse) : before.cookies,
    ...(login !== null && { login }),
    ...journeysOrNone(journeys ?? before.journeys ?? []),
  };
  if (access.basicAuth !== null && Object.hasOwn(access.headers, 'authorization')) {
    const name = Object.keys(headers ?? {}).find((candidate) => candidate.toLowerCase() === 'authorization');
    if (name === undefined) refuse(['basic_auth'], 'cannot be combined with the header Authorization');
    else refuse(['headers', name], (nameOf) => `cannot be combined with ${nameOf('basic_auth')}`);
  }
  return access;
}

/** Returns the current values; none if they cannot be decrypted and all of them, except perhaps the login, are given again. */
function valuesBefore(given: readonly string[], current: () => SiteAccess): SiteAccess {
  try {
    return current();
  } catch (error) {
    if (NAMES.every((name) => name === 'login' || given.includes(name))) return NO_ACCESS;
    throw error;
  }
}

function readLoginIn({ login }: JsonObject, faults: Faults, current: () => SiteAccess): Login | null {
  // These faults are more exact than the fault of the whole list.
  if (isObject(login) && Array.isArray(login['steps'])) faults.delete('login/steps');
  const refuse: Refuse = (path, message) => {
    const whole = ['login', ...path];
    if (faults.size < faultsMax && !faults.has(whole.join('/'))) faults.set(whole.join('/'), fault(whole, message));
  };
  return readLogin(login, refuse, keepsSecrets(login) ? (current().login ?? null) : null);
}

/**
 * Reads journeys. Journeys with secrets are part of the credentials.
 * @returns null if neither they nor the stored ones have secrets, so that the credentials stay the same
 */
function readJourneysIn({ journeys }: JsonObject, faults: Faults, current: () => SiteAccess): Journey[] | null {
  // These faults are more exact than the fault of the whole list.
  if (Array.isArray(journeys)) faults.delete('journeys');
  const refuse: Refuse = (path, message) => {
    const whole = ['journeys', ...path];
    if (faults.size < faultsMax && !faults.has(whole.join('/'))) faults.set(whole.join('/'), fault(whole, message));
  };
  const stored = keepSecrets(journeys) ? (current().journeys ?? []) : [];
  const withSecrets = readJourneys(journeys, refuse, stored).filter((journey) => haveSecrets([journey]));
  if (withSecrets.length > 0) return withSecrets;
  return (valuesBefore(['journeys'], current).journeys ?? []).length > 0 ? [] : null;
}

function journeysOrNone(journeys: readonly Journey[]): Pick<SiteAccess, 'journeys'> {
  return journeys.length === 0 ? {} : { journeys };
}

type Refuse = (path: readonly string[], message: Phrase) => void;

/** Reads credentials; null if they are blank, since client libraries send every attribute that they know. */
function readBasicAuth(given: unknown, refuse: Refuse): BasicAuth | null {
  const { username = '', password = '' } = Object.fromEntries(textsIn(given));
  for (const [name, value] of Object.entries({ username, password })) {
    if (/\p{Cc}/u.test(value)) refuse(['basic_auth', name], 'must not contain control characters');
  }
  if (username.includes(':')) refuse(['basic_auth', 'username'], 'must not contain a colon');
  return username + password === '' ? null : { username, password };
}

/** Matches a name of a header or a cookie (RFC 9110, 5.6.2, and RFC 6265, 4.1.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

/**
 * Matches headers that users cannot set, because they describe the client and its connection: headers that the Fetch Standard
 * forbids for pages, headers that change how responses are read, and headers that identify the crawler and the device.
 */
const RESERVED = new RegExp(
  `^(proxy-.*|sec-.*|access-control-request-.*|if-.*|${[
    ...['accept', 'accept-charset', 'accept-encoding', 'connection', 'content-length', 'content-type', 'cookie2'],
    ...['date', 'dnt', 'expect', 'host', 'http2-settings', 'keep-alive', 'origin', 'range', 'referer', 'set-cookie'],
    ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
  ].join('|')})$`,
);

/** Reads headers by their names in lower case. */
function readHeaders(given: unknown, refuse: Refuse): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  const problemOf = (name: string, value: string): Phrase | null => {
    const key = name.toLowerCase();
    if (!TOKEN.test(name) || name.length > siteHeaderNameMaxCharacters) return 'is not a valid header name';
    if (key === 'cookie') return (nameOf) => `cannot be set: use ${nameOf('cookies')}`;
    if (RESERVED.test(key)) return 'cannot be set';
    if (headers.has(key)) return 'is given twice';
    if (value === '') return "can't be blank";
    return /^[\t\x20-\x7e]+$/.test(value) ? null : 'must consist of ASCII characters, without line breaks';
  };
  for (const [name, value] of entriesOf(given, 'headers', { max: siteHeadersMax, refuse })) {
    const problem = problemOf(name, value);
    if (problem !== null) refuse(['headers', name], problem);
    headers.set(name.toLowerCase(), value);
  }
  refuseTooLong('headers', headers, siteHeadersMaxCharacters, refuse);
  return Object.fromEntries(headers);
}

/** Reads cookies by name. Accepts all values that browsers accept, which is more than servers should send. */
function readCookies(given: unknown, refuse: Refuse): Readonly<Record<string, string>> {
  const cookies = new Map(entriesOf(given, 'cookies', { max: siteCookiesMax, refuse }));
  for (const [name, value] of cookies) {
    if (!TOKEN.test(name)) refuse(['cookies', name], 'is not a valid cookie name');
    else if (!/^[\x20-\x3a\x3c-\x7e]*$/.test(value)) {
      refuse(['cookies', name], 'must consist of ASCII characters, without line breaks or semicolons');
    } else if (name.length + value.length > siteCookieMaxCharacters) {
      refuse(['cookies', name], `must have at most ${siteCookieMaxCharacters} characters, including its name`);
    }
  }
  refuseTooLong('cookies', cookies, siteCookiesMaxCharacters, refuse);
  return Object.fromEntries(cookies);
}

/** Returns names and trimmed values; none if there are too many. */
function entriesOf(
  given: unknown,
  attribute: string,
  { max, refuse }: { readonly max: number; readonly refuse: Refuse },
): [name: string, value: string][] {
  const entries = textsIn(given);
  if (entries.length > max) refuse([attribute], `must contain at most ${max} entries`);
  return entries.length > max ? [] : entries.map(([name, value]) => [name, value.trim()]);
}

/** Returns the strings in an object, by name. The schema reports other values. */
function textsIn(given: unknown): [name: string, value: string][] {
  if (!isObject(given)) return [];
  return Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
}

function refuseTooLong(attribute: string, entries: ReadonlyMap<string, string>, max: number, refuse: Refuse): void {
  const characters = [...entries].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (characters > max) refuse([attribute], `must have at most ${max} characters in total`);
}

function secret<Schema extends TSchema>(schema: Schema, description: string, example: unknown) {
  const options = { writeOnly: true, description, examples: [example, null], ...ADDITIVE };
  return Type.Optional(Type.Union([schema, Type.Null()], options));
}
