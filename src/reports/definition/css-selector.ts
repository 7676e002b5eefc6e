/** Validates selectors as browsers do (Selectors Level 4), except for selectors that cannot match an element. */

const PLAIN_PSEUDO_CLASSES = new Set(
  `active any-link autofill checked default defined disabled empty enabled first-child first-of-type focus focus-visible
  focus-within fullscreen hover in-range indeterminate invalid last-child last-of-type link modal only-child only-of-type
  open optional out-of-range placeholder-shown popover-open read-only read-write required root scope target user-invalid
  user-valid valid visited`.split(/\s+/),
);
const LIST_PSEUDO_CLASSES = new Set(['has', 'is', 'not', 'where']);
/** Functions whose list may be empty. */
const FORGIVING_PSEUDO_CLASSES = new Set(['is', 'where']);

/** These patterns are unambiguous, so that matching takes linear time even when it fails. */
const GAP = '[ \\t\\r\\n\\f]';
const ESCAPE = `\\\\[0-9a-f]{1,5}(?![0-9a-f])${GAP}?|\\\\[0-9a-f]{6}${GAP}?|\\\\[^\\r\\n\\f0-9a-f]`;
const NAME_START = `(?:[a-z_]|[^\\0-\\x7f]|${ESCAPE})`;
const NAME_PART = `(?:[\\w-]|[^\\0-\\x7f]|${ESCAPE})`;
const IDENTIFIER = `(?:--|-?${NAME_START})${NAME_PART}*`;
const STRING = '"(?:[^"\\\\\\r\\n\\f]|\\\\[^\\0])*"|\'(?:[^\'\\\\\\r\\n\\f]|\\\\[^\\0])*\'';
const sticky = (pattern: string): RegExp => new RegExp(pattern, 'iyu');
const NAMED = sticky(IDENTIFIER);
const TYPE = sticky(`(?:\\*?\\|)?(?:${IDENTIFIER}|\\*)`);
const ID = sticky(`#${IDENTIFIER}`);
const CLASS = sticky(`\\.${IDENTIFIER}`);
const ATTRIBUTE = sticky(
  `\\[${GAP}*(?:\\*?\\|)?${IDENTIFIER}${GAP}*` +
    `(?:[~|^$*]?=${GAP}*(?:${IDENTIFIER}|${STRING})${GAP}*(?:[is]${GAP}*)?)?\\]`,
);
const COMBINATOR = /[>+~]/y;
const OF = sticky(`of(?!${NAME_PART})`);
const SPACE = sticky(`${GAP}*`);
const NTH = sticky(`odd|even|[+-]?\\d*n(?:${GAP}*[+-]${GAP}*\\d+)?|[+-]?\\d+`);
/** The arguments of pseudo-classes, except for pseudo-classes that only take selectors. */
const ARGUMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['nth-child', NTH],
  ['nth-last-child', NTH],
  ['nth-of-type', NTH],
  ['nth-last-of-type', NTH],
  ['lang', NAMED],
  ['dir', /ltr|rtl/iy],
  ['state', NAMED],
]);
/** Pseudo-classes that can limit the counted elements with `of` and a selector. */
const COUNTING_PSEUDO_CLASSES = new Set(['nth-child', 'nth-last-child']);

/**
 * Returns what is wrong with a CSS selector, worded to follow a colon; null if it is valid. Extensions of other tools are
 * invalid, since browsers do not support them.
 * @param text of at most 256 characters
 */
export function selectorProblem(text: string): string | null {
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

/** Creates a reader that consumes text pattern by pattern. */
function createReader(text: string) {
  let at = 0;
  return {
    /** Consumes the text that the pattern matches here; null if it does not match. */
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
    /** Whether one of these characters is next. */
    isBefore: (characters: string) => at < text.length && characters.includes(text.charAt(at)),
    isAtEnd: () => at === text.length,
    unexpected(): SelectorProblem {
      const rest = text.slice(at, at + 20);
      return new SelectorProblem(rest === '' ? 'it ends too early' : `unexpected ${JSON.stringify(rest)}`);
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
    if (place.isRelative) takeCombinator(reader);
    do readCompound(reader, place);
    while (takeCombinator(reader));
  } while (reader.takeCharacter(','));
}

/** Consumes a combinator with the space around it. Space alone is a combinator unless the selector ends there. */
function takeCombinator(reader: Reader): boolean {
  const hasSpace = reader.take(SPACE) !== '';
  if (reader.take(COMBINATOR) === null) return hasSpace && !reader.isAtEnd() && !reader.isBefore(',)');
  reader.take(SPACE);
  return true;
}

/** Reads a type or `*`, and any number of conditions. */
function readCompound(reader: Reader, place: Place): void {
  let parts = reader.take(TYPE) === null ? 0 : 1;
  while ([ID, CLASS, ATTRIBUTE].some((pattern) => reader.take(pattern) !== null) || readPseudoClass(reader, place)) {
    parts += 1;
  }
  if (parts === 0) throw reader.unexpected();
}

function readPseudoClass(reader: Reader, { isInHas }: Place): boolean {
  if (!reader.takeCharacter(':')) return false;
  if (reader.takeCharacter(':')) throw new SelectorProblem('a pseudo-element is not an element of the page');
  const name = reader.take(NAMED)?.toLowerCase();
  if (name === undefined) throw reader.unexpected();
  if (PLAIN_PSEUDO_CLASSES.has(name)) return true;
  if (!ARGUMENTS.has(name) && !LIST_PSEUDO_CLASSES.has(name)) {
    throw new SelectorProblem(`browsers have no pseudo-class :${name}`);
  }
  if (name === 'has' && isInHas) throw new SelectorProblem(':has cannot be nested in :has');
  if (!reader.takeCharacter('(')) throw reader.unexpected();
  reader.take(SPACE);
  readArguments(reader, name, isInHas);
  if (!reader.takeCharacter(')')) throw reader.unexpected();
  return true;
}

/** Reads the content of the parentheses. */
function readArguments(reader: Reader, name: string, isInHas: boolean): void {
  const argument = ARGUMENTS.get(name);
  if (argument === undefined) {
    if (FORGIVING_PSEUDO_CLASSES.has(name) && reader.isBefore(')')) return;
    readList(reader, { isInHas: isInHas || name === 'has', isRelative: name === 'has' });
    return;
  }
  if (reader.take(argument) === null) throw reader.unexpected();
  const hasSpace = reader.take(SPACE) !== '';
  if (hasSpace && COUNTING_PSEUDO_CLASSES.has(name) && reader.take(OF) !== null) {
    readList(reader, { isInHas, isRelative: false });
  }
}
