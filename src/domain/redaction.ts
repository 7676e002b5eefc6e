import { accessHeaders, type SiteAccess } from './site-access.ts';

/** Gives a text, or whatever JSON is made of, with asterisks for every secret in it, as many as it has characters. */
export type Redact = <T>(value: T) => T;

/** Shorter values are as likely to be ordinary words: `dark`, `true`, `en`. */
const secretMinCharacters = 8;
/** So much of the beginning or the end of a longer one is no chance: selectors and extracts hold parts of attributes. */
const partMinCharacters = 16;
/** What stands where checkers cut a long text off; the same in both directions. */
const CUTS = ['…', '...'];

/**
 * Hides what signs in to a site from what is told of the site: one that shows what it was sent, such as a token in a form,
 * would else have it in reports. Also as far as it goes where it is cut off, and in the spellings of URLs, HTML and JSON.
 * Property names stay, and so do the values of `url`: addresses are the site's own.
 */
export function createRedact(access: SiteAccess): Redact {
  const values = secretValues(access).filter((value) => value.length >= secretMinCharacters);
  // A secret may be part of another one.
  const secrets = [...new Set(values.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return (value) => value;
  // Whole ones first: what is a part of one may be the whole of another.
  const hide = (text: string): string => secrets.reduce(withoutParts, secrets.reduce(withoutWhole, text));
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === 'url' ? inner : walk(inner)]));
  };
  return <T>(value: T) => walk(value) as T;
}

function secretValues(access: SiteAccess): string[] {
  const headers = Object.values(accessHeaders(access));
  // `Bearer` and `Basic` name a scheme, and are followed by the secret.
  const tokens = headers.flatMap((value) => /^\s*[\w-]+\s+(\S+)\s*$/.exec(value)?.[1] ?? []);
  const passwords = headers.flatMap((value) => {
    const credentials = /^\s*basic\s+(\S+)\s*$/i.exec(value)?.[1];
    if (credentials === undefined) return [];
    const pair = Buffer.from(credentials, 'base64').toString('utf8');
    return [pair.slice(pair.indexOf(':') + 1)];
  });
  const values = [...headers, ...tokens, ...passwords, ...Object.values(access.cookies)];
  // Cookies are often given as they stand in a browser, and shown as what that stands for.
  return values.flatMap((value) => [value, decoded(value)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function spellingsOf(value: string): string[] {
  const inUrl = encodeURIComponent(value.toWellFormed());
  const inHtml = value.replace(/[&<>"]/g, (character) => HTML[character] ?? character);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    ...[inUrl, inUrl.replaceAll('%20', '+'), inUrl.replace(/%../g, (code) => code.toLowerCase())],
    // Browsers, and the libraries with which servers make HTML, agree on the rest.
    ...[inHtml, inHtml.replaceAll("'", '&#39;'), inHtml.replaceAll("'", '&#x27;').replaceAll('&quot;', '&#34;')],
    ...[value.replaceAll('&', '&amp;'), value.replace(/[&"]/g, (character) => HTML[character] ?? character)],
    ...[inJson, inJson.replaceAll('/', '\\/')],
  ];
}

function withoutWhole(text: string, secret: string): string {
  return text.replaceAll(secret, '*'.repeat(secret.length));
}

/** Hides the beginning and the end of a secret where the rest has been cut off. */
function withoutParts(text: string, secret: string): string {
  const withoutStarts = hideStarts(text, secret);
  const hasEnd = withoutStarts.includes(secret.slice(-secretMinCharacters));
  return hasEnd ? reversed(hideStarts(reversed(withoutStarts), reversed(secret))) : withoutStarts;
}

/** Hides a secret as far as it goes wherever enough of its start is there, or the text is cut off within it. */
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
