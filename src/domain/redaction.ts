import { mapForeignText } from './failures/failure.ts';
import { secretsOfJourneys } from './journey.ts';
import { secretsOfLogin } from './login.ts';
import { accessHeaders, type SiteAccess } from './site-access.ts';

/**
 * Redacts credentials in results, because a site may show the credentials that it receives, such as a token in a form. Replaces
 * each character with an asterisk.
 */
export interface Redaction {
  /** Redacts a text of the site, including credentials that are cut off. */
  inPage(text: string): string;
  /**
   * Redacts a message of a validator. Passwords that may be words are redacted only between quotation marks: the rest of the
   * message is not from the site, and an asterisk there would garble the message and reveal the password.
   */
  inMessage(message: string): string;
}

/**
 * A match of this length with the beginning or end of a secret is not chance: selectors and extracts contain parts of attributes.
 */
const partMinCharacters = 16;
/** How validators mark a text that is cut off. Both read the same in both directions. */
const CUTS = ['…', '...'];
/** The opening and closing quotation marks of the HTML validator and of axe. */
const QUOTATION_MARKS: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['"', '"'],
  ['`', '`'],
]);

/**
 * @param ofSession values of the session that a login began, such as its cookies
 * @returns null if there are no secrets
 */
export function createRedaction(access: SiteAccess, ofSession: readonly string[] = []): Redaction | null {
  const secrets = secretsOf(access, ofSession);
  if (secrets.length === 0) return null;
  const find = createFinder(secrets);
  const inPage = (text: string): string => {
    const found = find(text);
    // Complete secrets first, because a part of one may be another secret.
    return found.reduce(withoutParts, found.reduce(withoutWhole, text));
  };
  const inMessage = (message: string): string => {
    const found = find(message);
    if (found.length === 0) return message;
    const withoutCredentials = found.filter(({ isWord }) => !isWord).reduce(withoutWhole, message);
    return mapQuoted(withoutCredentials, inPage);
  };
  return { inPage, inMessage };
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

/** Secrets are found by this many characters of their beginning or end. Matches of shorter values may be chance. */
const secretMinCharacters = 8;
/** Longer values are not words. */
const wordMaxCharacters = 15;

/** One spelling of a secret. */
interface Secret {
  readonly spelling: string;
  /** Whether it may be a word of the language, such as the password `required`. */
  readonly isWord: boolean;
}

/** Returns the secrets in credentials, longest first because a secret may be part of another secret. */
function secretsOf(access: SiteAccess, ofSession: readonly string[]): readonly Secret[] {
  const secrets = new Map<string, Secret>();
  for (const value of secretValues(access, ofSession)) {
    const isWord = !looksLikeCredential(value);
    for (const spelling of spellingsOf(value)) secrets.set(spelling, { spelling, isWord });
  }
  return [...secrets.values()].sort((a, b) => b.spelling.length - a.spelling.length);
}

/** Returns all passwords, and other values that look like credentials: the rest are settings, such as `necessary`. */
function secretValues(access: SiteAccess, ofSession: readonly string[]): string[] {
  const { authorization = '', ...others } = accessHeaders(access);
  const ofLogin = access.login ? secretsOfLogin(access.login) : [];
  const ofJourneys = secretsOfJourneys(access.journeys ?? []);
  const passwords = [...partsOf(authorization), ...ofLogin, ...ofJourneys].filter(
    (value) => value.length >= secretMinCharacters,
  );
  const values = [...Object.values(others).flatMap(partsOf), ...Object.values(access.cookies), ...ofSession];
  // Cookies are often encoded, as in a browser, and shown decoded.
  const credentials = values.filter((value) => looksLikeCredential(decoded(value)));
  return [...passwords, ...credentials].flatMap((value) => [value, decoded(value)]);
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
  const inUrl = encodeURIComponent(value.toWellFormed());
  const inHtml = value.replace(/[&<>"]/g, (character) => HTML[character] ?? character);
  const inJson = JSON.stringify(value).slice(1, -1);
  const inSelector = value.replace(/[^\w\u0080-\uffff-]/g, inCss);
  return [
    value,
    ...[inUrl, inUrl.replaceAll('%20', '+'), inUrl.replace(/%../g, (code) => code.toLowerCase())],
    // Browsers and template engines of servers escape all other characters alike.
    ...[inHtml, inHtml.replaceAll("'", '&#39;'), inHtml.replaceAll("'", '&#x27;').replaceAll('&quot;', '&#34;')],
    ...[value.replaceAll('&', '&amp;'), value.replace(/[&"]/g, (character) => HTML[character] ?? character)],
    ...[inJson, inJson.replaceAll('/', '\\/')],
    // CSS escapes a digit at the beginning of an identifier by its code, also after a hyphen.
    ...[inSelector, inSelector.replace(/^(-?)(\d)/, '$1\\3$2 ')],
  ];
}

/** Escapes a character like `CSS.escape` (CSSOM, "serialize an identifier"). */
function inCss(character: string): string {
  const isControl = /\p{Cc}/u.test(character);
  return isControl ? `\\${character.charCodeAt(0).toString(16)} ` : `\\${character}`;
}

/**
 * Creates a search for many secrets at a time, which is fast if there are none.
 * @returns a function that returns the secrets whose beginning or end is in a text, in their order
 */
function createFinder(secrets: readonly Secret[]): (text: string) => readonly Secret[] {
  const startAndEnd = ({ spelling }: Secret): readonly string[] => [
    spelling.slice(0, secretMinCharacters),
    spelling.slice(-secretMinCharacters),
  ];
  // All have the same length, so that at most one of them matches at a position.
  const parts = new RegExp([...new Set(secrets.flatMap(startAndEnd))].map(RegExp.escape).join('|'), 'g');
  return (text) => {
    const found = new Set<string>();
    parts.lastIndex = 0;
    for (let match = parts.exec(text); match !== null; match = parts.exec(text)) {
      found.add(match[0]);
      // They may overlap.
      parts.lastIndex = match.index + 1;
    }
    return found.size === 0 ? [] : secrets.filter((secret) => startAndEnd(secret).some((part) => found.has(part)));
  };
}
