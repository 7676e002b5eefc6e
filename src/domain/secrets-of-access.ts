import { accessHeaders, type SiteAccess } from './site-access.ts';

/** Parts of secrets are looked for by so much of their beginning or end. Shorter values are as likely to be chance. */
export const secretMinCharacters = 8;
/** No word is as long, so whatever is may be a credential. */
const wordMaxCharacters = 15;

/** One spelling of something that signs in. */
export interface Secret {
  readonly spelling: string;
  /** Whether it may as well be a word of the language: a password may be `required`. */
  readonly isWord: boolean;
}

/** What must not be told of what signs in to a site, longest first: a secret may be part of another one. */
export function secretsOf(access: SiteAccess): readonly Secret[] {
  const secrets = new Map<string, Secret>();
  for (const value of secretValues(access)) {
    const isWord = !looksLikeCredential(value);
    for (const spelling of spellingsOf(value)) secrets.set(spelling, { spelling, isWord });
  }
  return [...secrets.values()].sort((a, b) => b.spelling.length - a.spelling.length);
}

/** Passwords, whatever they are; of other values, what may be a credential: the rest are settings, such as `necessary`. */
function secretValues(access: SiteAccess): string[] {
  const { authorization = '', ...others } = accessHeaders(access);
  const passwords = partsOf(authorization).filter((value) => value.length >= secretMinCharacters);
  const values = [...Object.values(others).flatMap(partsOf), ...Object.values(access.cookies)];
  // Cookies are often given as they stand in a browser, and shown as what that stands for.
  const credentials = values.filter((value) => looksLikeCredential(decoded(value)));
  return [...passwords, ...credentials].flatMap((value) => [value, decoded(value)]);
}

/** A header's value, its token where a scheme stands before it, such as `Bearer`, and the password in one of `Basic`. */
function partsOf(header: string): string[] {
  const [, scheme = '', token] = /^\s*([\w-]+)\s+(\S+)\s*$/.exec(header) ?? [];
  if (token === undefined) return [header];
  if (scheme.toLowerCase() !== 'basic') return [header, token];
  const pair = Buffer.from(token, 'base64').toString('utf8');
  return [header, token, pair.slice(pair.indexOf(':') + 1)];
}

/** Long, or with digits among its letters, or with capital letters within its words. */
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

/** A value as it is, and as URLs, HTML, JSON and CSS spell it. */
function spellingsOf(value: string): string[] {
  const inUrl = encodeURIComponent(value.toWellFormed());
  const inHtml = value.replace(/[&<>"]/g, (character) => HTML[character] ?? character);
  const inJson = JSON.stringify(value).slice(1, -1);
  const inSelector = value.replace(/[^\w\u0080-\uffff-]/g, inCss);
  return [
    value,
    ...[inUrl, inUrl.replaceAll('%20', '+'), inUrl.replace(/%../g, (code) => code.toLowerCase())],
    // Browsers, and the libraries with which servers make HTML, agree on the rest.
    ...[inHtml, inHtml.replaceAll("'", '&#39;'), inHtml.replaceAll("'", '&#x27;').replaceAll('&quot;', '&#34;')],
    ...[value.replaceAll('&', '&amp;'), value.replace(/[&"]/g, (character) => HTML[character] ?? character)],
    ...[inJson, inJson.replaceAll('/', '\\/')],
    // A digit at the beginning of a name is written as its number, after a hyphen, too.
    ...[inSelector, inSelector.replace(/^(-?)(\d)/, '$1\\3$2 ')],
  ];
}

/** As `CSS.escape` writes a character that is not one of names (CSSOM, "serialize an identifier"). */
function inCss(character: string): string {
  const isControl = /\p{Cc}/u.test(character);
  return isControl ? `\\${character.charCodeAt(0).toString(16)} ` : `\\${character}`;
}
