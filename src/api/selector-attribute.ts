import { selectorMaxCharacters } from './limits.ts';
import type { Reading } from './text-attributes.ts';

/** Selectors as browsers take them (Selectors Level 4), without what no element of a page matches. */

const PLAIN_PSEUDO_CLASSES = new Set(
  `active any-link autofill checked default defined disabled empty enabled first-child first-of-type focus focus-visible
  focus-within fullscreen hover in-range indeterminate invalid last-child last-of-type link modal only-child only-of-type
  open optional out-of-range placeholder-shown popover-open read-only read-write required root scope target user-invalid
  user-valid valid visited`.split(/\s+/),
);
const LIST_PSEUDO_CLASSES = new Set(['has', 'is', 'not', 'where']);
const NTH = /\s*(?:odd|even|[+-]?\d*n(?:\s*[+-]\s*\d+)?|[+-]?\d+)\s*/iy;
/** What is in the parentheses of those that take no selectors. */
const ARGUMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['nth-child', NTH],
  ['nth-last-child', NTH],
  ['nth-of-type', NTH],
  ['nth-last-of-type', NTH],
  ['lang', /\s*[\w-]+\s*/y],
  ['dir', /\s*(?:ltr|rtl)\s*/iy],
]);

/** Written so that each text is read in one way alone: more than one would take time without end where none fits. */
const ESCAPE = '\\\\[0-9a-f]{1,5}(?![0-9a-f])\\s?|\\\\[0-9a-f]{6}\\s?|\\\\[^\\n0-9a-f]';
const NAME_START = `(?:[a-z_]|[^\\0-\\x7f]|${ESCAPE})`;
const NAME_PART = `(?:[\\w-]|[^\\0-\\x7f]|${ESCAPE})`;
const IDENTIFIER = `(?:--|-?${NAME_START})${NAME_PART}*`;
const STRING = '"(?:[^"\\\\\\n]|\\\\[^\\0])*"|\'(?:[^\'\\\\\\n]|\\\\[^\\0])*\'';
const sticky = (pattern: string): RegExp => new RegExp(pattern, 'iyu');
const NAMED = sticky(IDENTIFIER);
const TYPE = sticky(`(?:\\*?\\|)?(?:${IDENTIFIER}|\\*)`);
const ID = sticky(`#${IDENTIFIER}`);
const CLASS = sticky(`\\.${IDENTIFIER}`);
const ATTRIBUTE = sticky(
  `\\[\\s*(?:\\*?\\|)?${IDENTIFIER}\\s*(?:[~|^$*]?=\\s*(?:${IDENTIFIER}|${STRING})\\s*(?:[is]\\s*)?)?\\]`,
);
const COMBINATOR = /\s*[>+~]\s*|\s+(?![,)]|$)/y;
const SPACE = /\s*/y;

/** A CSS selector; null for none. Extensions of other tools are not CSS, and no browser knows them. */
export function readSelector(text: string | null): Reading<string | null> {
  const value = text?.trim() ?? '';
  if (value === '') return { value: null, problem: null };
  if (value.length > selectorMaxCharacters) {
    return { value: null, problem: `must have at most ${selectorMaxCharacters} characters` };
  }
  const remedy = problemIn(value);
  return remedy === null ? { value, problem: null } : { value: null, problem: 'is not a CSS selector', remedy };
}

/** What is wrong with a selector; null when nothing is. */
function problemIn(text: string): string | null {
  const reader = createReader(text);
  try {
    readList(reader, { isInHas: false, isRelative: false });
    if (!reader.isAtEnd()) throw reader.unexpected();
    return null;
  } catch (error) {
    if (error instanceof SelectorProblem) return error.message;
    throw error;
  }
}

class SelectorProblem extends Error {}

type Reader = ReturnType<typeof createReader>;

/** Reads a text from its beginning to its end, a pattern at a time. */
function createReader(text: string) {
  let at = 0;
  return {
    /** What the pattern matches next; null, and nothing is read, where it does not. */
    take(pattern: RegExp): string | null {
      pattern.lastIndex = at;
      const [found] = pattern.exec(text) ?? [];
      if (found === undefined) return null;
      at += found.length;
      return found;
    },
    takeCharacter(character: string): boolean {
      if (!text.startsWith(character, at)) return false;
      at += character.length;
      return true;
    },
    isAtEnd: () => at === text.length,
    unexpected(): SelectorProblem {
      const rest = text.slice(at, at + 20);
      return new SelectorProblem(rest === '' ? 'it ends too early' : `it cannot go on with ${JSON.stringify(rest)}`);
    },
  };
}

interface Place {
  readonly isInHas: boolean;
  /** Whether it may begin with a combinator, as in `:has(> img)`. */
  readonly isRelative: boolean;
}

function readList(reader: Reader, place: Place): void {
  do {
    reader.take(SPACE);
    if (place.isRelative) reader.take(COMBINATOR);
    do readCompound(reader, place);
    while (reader.take(COMBINATOR) !== null);
    reader.take(SPACE);
  } while (reader.takeCharacter(','));
}

/** A type or `*`, and any number of conditions. */
function readCompound(reader: Reader, place: Place): void {
  let parts = reader.take(TYPE) === null ? 0 : 1;
  while ([ID, CLASS, ATTRIBUTE].some((pattern) => reader.take(pattern) !== null) || readPseudoClass(reader, place)) {
    parts += 1;
  }
  if (parts === 0) throw reader.unexpected();
}

function readPseudoClass(reader: Reader, { isInHas }: Place): boolean {
  if (!reader.takeCharacter(':')) return false;
  if (reader.takeCharacter(':')) throw new SelectorProblem('a pseudo-element is no element of the page');
  const name = reader.take(NAMED)?.toLowerCase();
  if (name === undefined) throw reader.unexpected();
  if (PLAIN_PSEUDO_CLASSES.has(name)) return true;
  const argument = ARGUMENTS.get(name);
  if (argument === undefined && !LIST_PSEUDO_CLASSES.has(name)) {
    throw new SelectorProblem(`:${name} is no pseudo-class of browsers`);
  }
  if (name === 'has' && isInHas) throw new SelectorProblem(':has cannot stand in :has');
  if (!reader.takeCharacter('(')) throw reader.unexpected();
  if (argument === undefined) readList(reader, { isInHas: isInHas || name === 'has', isRelative: name === 'has' });
  else if (reader.take(argument) === null) throw reader.unexpected();
  if (!reader.takeCharacter(')')) throw reader.unexpected();
  return true;
}
