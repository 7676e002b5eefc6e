import { accessHeaders, type SiteAccess } from './site-access.ts';

/** Secrets are found by this many characters of their beginning or end. Matches of shorter values may be chance. */
export const secretMinCharacters = 8;
/** Longer values are not words. */
const wordMaxCharacters = 15;

/** One spelling of a secret. */
export interface Secret {
  readonly spelling: string;
  /** Whether it may be a word of the language, such as the password `required`. */
  readonly isWord: boolean;
}

/** Returns the secrets in credentials, longest first because a secret may be part of another one. */
export function secretsOf(access: SiteAccess): readonly Secret[] {
  const secrets = new Map<string, Secret>();
  for (const value of secretValues(access)) {
    const isWord = !looksLikeCredential(value);
    for (const spelling of spellingsOf(value)) secrets.set(spelling, { spelling, isWord });
  }
  return [...secrets.values()].sort((a, b) => b.spelling.length - a.spelling.length);
}

/** Returns all passwords, and other values that look like credentials: the rest are settings, such as `necessary`. */
function secretValues(access: SiteAccess): string[] {
  const { authorization = '', ...others } = accessHeaders(access);
  const passwords = partsOf(authorization).filter((value) => value.length >= secretMinCharacters);
  const values = [...Object.values(others).flatMap(partsOf), ...Object.values(access.cookies)];
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

/** Returns a value as it is, and escaped for URLs, HTML, JSON and CSS. */
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

/** Size of the table of steps. Some pairs of characters share an entry, but no two pairs of ASCII characters. */
const STEPS_SIZE = 1 << 14;

/**
 * Creates a search for many secrets at a time (Wu and Manber 1994). It is fast if there are none: a pair of characters that is in
 * no secret rules out all positions around it, so it looks at about every eighth character.
 * @returns a function that returns the secrets whose beginning or end is in a text, in their order
 */
export function createFinder(secrets: readonly Secret[]): (text: string) => readonly Secret[] {
  const length = secretMinCharacters;
  const owners = new Map<string, Set<Secret>>();
  for (const secret of secrets) {
    for (const part of [secret.spelling.slice(0, length), secret.spelling.slice(-length)]) {
      owners.set(part, (owners.get(part) ?? new Set()).add(secret));
    }
  }
  // How far to move on from the end of a pair: up to the end of the nearest part that may contain the pair there.
  const steps = new Uint8Array(STEPS_SIZE).fill(length - 1);
  for (const part of owners.keys()) {
    for (let end = 2; end <= length; end += 1) {
      const index = indexOfPair(part, end);
      steps[index] = Math.min(steps[index] ?? 0, length - end);
    }
  }
  return (text) => {
    const found = new Set<Secret>();
    for (let end = length; end <= text.length; ) {
      const step = steps[indexOfPair(text, end)] ?? 0;
      if (step === 0) for (const secret of owners.get(text.slice(end - length, end)) ?? []) found.add(secret);
      end += Math.max(step, 1);
    }
    return found.size === 0 ? [] : secrets.filter((secret) => found.has(secret));
  };
}

/** Returns the index of the pair of characters before `end` in the table of steps. */
function indexOfPair(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 7) ^ text.charCodeAt(end - 1)) & (STEPS_SIZE - 1);
}
