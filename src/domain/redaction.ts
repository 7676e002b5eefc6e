import { mapForeignText } from './failures/failure.ts';
import { secretsOfJourneys } from './journey.ts';
import { secretsOfLogin } from './login.ts';
import { accessHeaders, type SiteAccess } from './site-access.ts';

/**
 * Redacts credentials in results, because a site may show the credentials that it receives, such as a token in a form. Replaces
 * each character with an asterisk.
 */
export interface Redaction {
  /** Redacts text of the site, including credentials that are cut off. */
  inPage(text: string): string;
  /**
   * Redacts a message of a validator. Passwords that may be words are redacted only between quotation marks: the rest of the
   * message is not from the site, and an asterisk there would garble the message and reveal the password.
   */
  inMessage(message: string): string;
}

/**
 * A match of this length with the beginning or end of a secret is no coincidence: selectors and extracts contain parts of
 * attributes.
 */
const partMinCharacters = 16;
/** How validators mark text that is cut off. Both read the same forward and backward. */
const CUTS = ['…', '...'];
/** The opening and closing quotation marks of the HTML validator and of axe. */
const QUOTATION_MARKS: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['"', '"'],
  ['`', '`'],
]);

/** A redaction to which values are added while it is used. */
export interface GrowingRedaction extends Redaction {
  /** Whether there are no secrets. */
  isEmpty(): boolean;
  /** @param ofSession values of the session that a login began, such as its cookies */
  add(ofSession: readonly string[]): void;
}

/**
 * @param ofSession values of the session that a login began, such as its cookies
 * @returns null if there are no secrets
 */
export function createRedaction(access: SiteAccess, ofSession: readonly string[] = []): Redaction | null {
  const redaction = createGrowingRedaction(access);
  redaction.add(ofSession);
  return redaction.isEmpty() ? null : redaction;
}

export function createGrowingRedaction(access: SiteAccess): GrowingRedaction {
  const secrets = createSecrets();
  const add = (values: readonly string[]): void => {
    for (const value of values) secrets.add(spellingsOf(value), !looksLikeCredential(value));
  };
  add(secretValues(access));
  const inFields = fieldValues(shortSecrets(access));
  const withoutFields = (text: string): string =>
    inFields === null
      ? text
      : text.replace(inFields, (_, before: string, value: string) => before + '*'.repeat(value.length));
  const inPage = (text: string): string => {
    const found = secrets.findIn(text);
    // Complete secrets first, because a part of one may be another secret.
    return withoutFields(found.reduce(withoutParts, found.reduce(withoutWhole, text)));
  };
  return {
    isEmpty: () => secrets.isEmpty() && inFields === null,
    add: (ofSession) => add(credentialsIn(ofSession)),
    inPage,
    inMessage(message) {
      const found = secrets.findIn(message);
      if (found.length === 0) return withoutFields(message);
      const withoutCredentials = found.filter(({ isWord }) => !isWord).reduce(withoutWhole, message);
      return withoutFields(mapQuoted(withoutCredentials, inPage));
    },
  };
}

/** Redacts a failure, a note, or several of them. @param redaction null if there are no secrets */
export function redacted<Coded extends object>(coded: Coded, redaction: Redaction | null): Coded {
  return redaction === null ? coded : mapForeignText(coded, redaction.inPage);
}

function withoutWhole(text: string, { spelling }: Secret): string {
  return text.replaceAll(spelling, '*'.repeat(spelling.length));
}

/** Replaces everything between quotation marks. Without a regular expression, which could backtrack on text of the site. */
function mapQuoted(text: string, replace: (quoted: string) => string): string {
  const marks = new Map(QUOTATION_MARKS);
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length && marks.size > 0; at += 1) {
    const mark = text.charAt(at);
    const closing = marks.get(mark);
    if (closing === undefined) continue;
    const end = text.indexOf(closing, at + 1);
    // Later opening marks have no closing mark either.
    if (end === -1) marks.delete(mark);
    else {
      pieces.push(text.slice(done, at + 1), replace(text.slice(at + 1, end)));
      done = end;
      at = end;
    }
  }
  return pieces.join('') + text.slice(done);
}

/** Redacts the beginning and the end of a secret whose rest is cut off. */
function withoutParts(text: string, { spelling }: Secret): string {
  const withoutStarts = hideStarts(text, spelling);
  const hasEnd = withoutStarts.includes(spelling.slice(-secretMinCharacters));
  return hasEnd ? reversed(hideStarts(reversed(withoutStarts), reversed(spelling))) : withoutStarts;
}

/** Redacts the start of a secret, as far as it matches, if it is long enough or the text is cut off there. */
function hideStarts(text: string, secret: string): string {
  const start = secret.slice(0, secretMinCharacters);
  const pieces: string[] = [];
  let done = 0;
  let at = text.indexOf(start);
  while (at !== -1) {
    let end = at + start.length;
    while (end - at < secret.length && text[end] === secret[end - at]) end += 1;
    const isEnough = end - at >= Math.min(secret.length, partMinCharacters);
    if (isEnough || end === text.length || CUTS.some((cut) => text.startsWith(cut, end))) {
      pieces.push(text.slice(done, at), '*'.repeat(end - at));
      done = end;
    }
    at = text.indexOf(start, Math.max(done, at + 1));
  }
  return done === 0 ? text : pieces.join('') + text.slice(done);
}

function reversed(text: string): string {
  return text.split('').reverse().join('');
}

/** Secrets are found by this many characters of their beginning or end. Matches of shorter values may be coincidence. */
const secretMinCharacters = 8;
/** Secrets of at least this length that steps enter are masked if they are the value of a field. */
const shortSecretMinCharacters = 3;
/** Longer values are not words. */
const wordMaxCharacters = 15;

/** One spelling of a secret. */
interface Secret {
  readonly spelling: string;
  /** Whether it may be a word of the language, such as the password `required`. */
  isWord: boolean;
}

/** Returns all passwords, and other values that look like credentials: the rest are settings, such as `necessary`. */
function secretValues(access: SiteAccess): string[] {
  const { authorization = '', ...others } = accessHeaders(access);
  const ofLogin = access.login ? secretsOfLogin(access.login) : [];
  const ofJourneys = secretsOfJourneys(access.journeys ?? []);
  const passwords = [...partsOf(authorization), ...ofLogin, ...ofJourneys].filter(
    (value) => value.length >= secretMinCharacters,
  );
  const values = [...Object.values(others).flatMap(partsOf), ...Object.values(access.cookies)];
  return [...passwords.flatMap(withDecoded), ...credentialsIn(values)];
}

/** Returns secrets that steps enter and that are too short to be found in any text, such as the security code of a card. */
function shortSecrets({ login, journeys = [] }: SiteAccess): string[] {
  const entered = [...(login ? secretsOfLogin(login) : []), ...secretsOfJourneys(journeys)];
  return entered.filter(({ length }) => length >= shortSecretMinCharacters && length < secretMinCharacters);
}

/**
 * Returns an expression for secrets that are the value of a field: some libraries write the entered text to the attribute. Also
 * matches in selectors, and in the JSON of raw results.
 */
function fieldValues(secrets: readonly string[]): RegExp | null {
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length).map(RegExp.escape);
  return spellings.length === 0
    ? null
    : new RegExp(`(\\bvalue=\\\\?["']?)(${spellings.join('|')})(?=[\\\\"'\\s>\\]]|$)`, 'gi');
}

/** Returns the values that look like credentials. */
function credentialsIn(values: readonly string[]): string[] {
  return values.filter((value) => looksLikeCredential(decoded(value))).flatMap(withDecoded);
}

/** Cookies are often encoded, as in a browser, and shown decoded. */
function withDecoded(value: string): string[] {
  return [value, decoded(value)];
}

/** Returns a header's value, the token after a scheme such as `Bearer`, and the password of `Basic`. */
function partsOf(header: string): string[] {
  const [, scheme = '', token] = /^\s*([\w-]+)\s+(\S+)\s*$/.exec(header) ?? [];
  if (token === undefined) return [header];
  if (scheme.toLowerCase() !== 'basic') return [header, token];
  const pair = Buffer.from(token, 'base64').toString('utf8');
  return [header, token, pair.slice(pair.indexOf(':') + 1)];
}

/** Returns whether a value is long, or mixes letters with digits or lower with upper case. */
function looksLikeCredential(value: string): boolean {
  if (value.length < secretMinCharacters) return false;
  const isMixed = (/\d/.test(value) && /[a-z]/i.test(value)) || (/[a-z]/.test(value) && /\B[A-Z]/.test(value));
  return value.length > wordMaxCharacters || isMixed;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns a value unchanged, and escaped for URLs, HTML, JSON and CSS. */
function spellingsOf(value: string): string[] {
  // As with most tokens: escaping does not change the value.
  if (/^[a-z_][\w-]*$/i.test(value)) return [value];
  const inUrl = encodeURIComponent(value.toWellFormed());
  const inSelector = value.replace(/[^\w\u0080-\uffff-]/g, inCss);
  return [
    value,
    ...[inUrl, inUrl.replaceAll('%20', '+'), inUrl.replace(/%../g, (code) => code.toLowerCase())],
    ...(/^[\w%+/=.:|~-]*$/.test(value) ? [value.replaceAll('/', '\\/')] : spellingsInText(value)),
    // CSS escapes a digit at the beginning of an identifier, even after a hyphen, as its code point.
    ...[inSelector, inSelector.replace(/^(-?)(\d)/, '$1\\3$2 ')],
  ];
}

/** Returns a value escaped for HTML and JSON. */
function spellingsInText(value: string): string[] {
  const inHtml = value.replace(/[&<>"]/g, (character) => HTML[character] ?? character);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    // Browsers and template engines of servers escape all other characters alike.
    ...[inHtml, inHtml.replaceAll("'", '&#39;'), inHtml.replaceAll("'", '&#x27;').replaceAll('&quot;', '&#34;')],
    ...[value.replaceAll('&', '&amp;'), value.replace(/[&"]/g, (character) => HTML[character] ?? character)],
    ...[inJson, inJson.replaceAll('/', '\\/')],
  ];
}

/** Escapes a character like `CSS.escape` (CSSOM, "serialize an identifier"). */
function inCss(character: string): string {
  const isControl = /\p{Cc}/u.test(character);
  return isControl ? `\\${character.charCodeAt(0).toString(16)} ` : `\\${character}`;
}

/**
 * Creates a set of secrets with a search for all of them, which is fast if a text contains none. A regular expression of all
 * secrets takes longer to compile than most texts take to search, and some sites encrypt their cookies anew with each response.
 */
function createSecrets() {
  const known = new Map<string, Secret>();
  // Secrets by their first and last characters, always the same number of them.
  const byStart = new Map<string, Set<Secret>>();
  const byEnd = new Map<string, Set<Secret>>();
  const mayBegin = new Uint8Array(0x1_0000);
  const learn = (parts: Map<string, Set<Secret>>, part: string, secret: Secret): void => {
    parts.getOrInsertComputed(part, () => new Set()).add(secret);
    mayBegin[hashAt(part, 0)] = 1;
  };
  return {
    isEmpty: () => known.size === 0,
    add(spellings: readonly string[], isWord: boolean): void {
      for (const spelling of spellings) {
        const secret = known.getOrInsertComputed(spelling, () => ({ spelling, isWord }));
        secret.isWord = isWord;
        learn(byStart, spelling.slice(0, secretMinCharacters), secret);
        learn(byEnd, spelling.slice(-secretMinCharacters), secret);
      }
    },
    /** Returns the secrets that may have to be masked in a text, longest first because one may be part of another. */
    findIn(text: string): readonly Secret[] {
      const found = new Set<Secret>();
      for (let at = 0; at <= text.length - secretMinCharacters; at += 1) {
        if (mayBegin[hashAt(text, at)] === 0) continue;
        const end = at + secretMinCharacters;
        const part = text.slice(at, end);
        addIf(found, byStart.get(part), (secret) => startsAt(text, at, secret));
        addIf(found, byEnd.get(part), (secret) => endsAt(text, end, secret));
      }
      return [...found].sort((a, b) => b.spelling.length - a.spelling.length);
    },
  };
}

function addIf(found: Set<Secret>, secrets: Iterable<Secret> = [], isWanted: (secret: Secret) => boolean): void {
  for (const secret of secrets) if (isWanted(secret)) found.add(secret);
}

/**
 * Returns whether enough of a secret begins at a position to be masked, or whether the text is cut off in it. Encrypted cookies
 * of a site often begin alike.
 */
function startsAt(text: string, at: number, { spelling }: Secret): boolean {
  const enough = Math.min(spelling.length, partMinCharacters);
  let length = secretMinCharacters;
  while (length < enough && text[at + length] === spelling[length]) length += 1;
  const end = at + length;
  return length === enough || end === text.length || CUTS.some((cut) => text.startsWith(cut, end));
}

/** Like `startsAt`, for a secret that ends at a position. */
function endsAt(text: string, end: number, { spelling }: Secret): boolean {
  const enough = Math.min(spelling.length, partMinCharacters);
  let length = secretMinCharacters;
  while (length < enough && text[end - 1 - length] === spelling.at(-1 - length)) length += 1;
  const start = end - length;
  return length === enough || start === 0 || CUTS.some((cut) => text.startsWith(cut, start - cut.length));
}

/** Returns 16 bits that depend on the four characters at a position. */
function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 0x9e5 + text.charCodeAt(at + 1);
  const second = text.charCodeAt(at + 2) * 0x35 + text.charCodeAt(at + 3);
  return (first * 0x1f3 + second) & 0xffff;
}
