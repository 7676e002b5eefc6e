import { mapForeignText } from './failures/failure.ts';
import { createFinder, type Secret, secretMinCharacters, secretsOf } from './secrets-of-access.ts';
import type { SiteAccess } from './site-access.ts';

/**
 * Redacts credentials in results, because a site may show what it was sent, such as a token in a form. Replaces each character
 * by an asterisk.
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

/** A match of this length with the beginning or end of a secret is not chance: selectors and extracts contain parts of attributes. */
const partMinCharacters = 16;
/** How validators mark a text that is cut off. Both read the same in both directions. */
const CUTS = ['…', '...'];
/** The opening and closing quotation marks of the HTML validator and of axe. */
const QUOTATION_MARKS: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['"', '"'],
  ['`', '`'],
]);

/** @returns null if there are no secrets */
export function createRedaction(access: SiteAccess): Redaction | null {
  const secrets = secretsOf(access);
  if (secrets.length === 0) return null;
  const find = createFinder(secrets);
  const inPage = (text: string): string => {
    const found = find(text);
    // Complete secrets first, because a part of one may be another one.
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
    // There is no closing mark after any later one either.
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
