import { mapForeignText } from './failures/failure.ts';
import { createFinder } from './find-secrets.ts';
import { type Secret, secretMinCharacters, secretsOf } from './secrets-of-access.ts';
import type { SiteAccess } from './site-access.ts';

/**
 * Hides what signs in to a site from what is told of the site: one that shows what it was sent, such as a token in a form,
 * would else have it in reports. Asterisks stand for it, as many as it has characters.
 */
export interface Redaction {
  /** Hides it in a text of the site, also as far as it goes where it is cut off. */
  inPage(text: string): string;
  /**
   * Hides it in what a checker says of the site: all of it between quotation marks. The words around them are not the
   * site's; asterisks in place of one would change what is said, and give away a password that is a word.
   */
  inMessage(message: string): string;
}

/** So much of the beginning or the end of a longer one is no chance: selectors and extracts hold parts of attributes. */
const partMinCharacters = 16;
/** What stands where checkers cut a long text off; the same in both directions. */
const CUTS = ['…', '...'];
/** The quotation marks of the validator and those of axe, each with the one that ends it. */
const QUOTATION_MARKS: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['"', '"'],
  ['`', '`'],
]);

/** @returns null when there is nothing to hide */
export function createRedaction(access: SiteAccess): Redaction | null {
  const secrets = secretsOf(access);
  if (secrets.length === 0) return null;
  const find = createFinder(secrets);
  const inPage = (text: string): string => {
    const found = find(text);
    // Whole ones first: what is a part of one may be the whole of another.
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

/** A failure, a note or several of them without what signs in. @param redaction null where there is nothing to hide */
export function hidden<Coded extends object>(coded: Coded, redaction: Redaction | null): Coded {
  return redaction === null ? coded : mapForeignText(coded, redaction.inPage);
}

function withoutWhole(text: string, { spelling }: Secret): string {
  return text.replaceAll(spelling, '*'.repeat(spelling.length));
}

/** A text in which everything between quotation marks has been replaced. It is the site's: no pattern goes back in it. */
function mapQuoted(text: string, replace: (quoted: string) => string): string {
  const marks = new Map(QUOTATION_MARKS);
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length && marks.size > 0; at += 1) {
    const mark = text.charAt(at);
    const closing = marks.get(mark);
    if (closing === undefined) continue;
    const end = text.indexOf(closing, at + 1);
    // Nothing behind it ends one either.
    if (end === -1) marks.delete(mark);
    else {
      pieces.push(text.slice(done, at + 1), replace(text.slice(at + 1, end)));
      done = end;
      at = end;
    }
  }
  return pieces.join('') + text.slice(done);
}

/** Hides the beginning and the end of a secret where the rest has been cut off. */
function withoutParts(text: string, { spelling }: Secret): string {
  const withoutStarts = hideStarts(text, spelling);
  const hasEnd = withoutStarts.includes(spelling.slice(-secretMinCharacters));
  return hasEnd ? reversed(hideStarts(reversed(withoutStarts), reversed(spelling))) : withoutStarts;
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
