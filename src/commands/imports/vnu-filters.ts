import { type Imported, type ImportedMuting, NOTHING, shown } from './imported.ts';

/**
 * Reads the file of `vnu --filterfile`: a regular expression on each line, which matches whole messages that are filtered out, or
 * a comment after `#`. A muting names a part of a message, so only expressions that match a single text are imported.
 * @param name of the file, for the reasons of mutings
 */
export function importVnuFilters(text: string, name: string): Imported {
  const remarks: string[] = [];
  const mutings: ImportedMuting[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const parts = alternativesOf(line).map(literalOf);
    const messages = parts.filter((part) => part !== null);
    if (messages.length === parts.length) {
      mutings.push(...messages.map((message) => ({ message, reason: `Filtered out by ${name}.` })));
    } else {
      remarks.push(
        `${name}:${index + 1}: ${shown(line)} is not imported: a muting matches one part of a message, as in "message: Duplicate ID".`,
      );
    }
  }
  return { ...NOTHING, settings: { perform_html_checks: true }, mutings, remarks };
}

/** Returns the alternatives of an expression without groups, in which `|` separates them; else the whole expression. */
function alternativesOf(expression: string): readonly string[] {
  const whole = expression.trim();
  return /[()[\]\\]/.test(whole) ? [whole] : whole.split('|');
}

/** Characters with a special meaning, except the dot. */
const SPECIAL = '*+?()[]{}|^$';
const ANYTHING = ['.*', '.+'];

/** Returns the text that an expression looks for anywhere in a message; null if it does more than that. */
function literalOf(expression: string): string | null {
  const text = unescaped(withoutEnds(expression));
  return text === null || text.trim() === '' ? null : text.trim();
}

/** Removes anchors, which fix the position of the text in a message. */
function withoutEnds(expression: string): string {
  let rest = expression.trim();
  if (rest.startsWith('^')) rest = rest.slice(1);
  if (rest.endsWith('$') && !rest.endsWith('\\$')) rest = rest.slice(0, -1);
  if (ANYTHING.some((each) => rest.startsWith(each))) rest = rest.slice(2);
  return ANYTHING.some((each) => rest.endsWith(each)) ? rest.slice(0, -2) : rest;
}

/** Returns an expression as text; null if any of its characters has a special meaning. */
function unescaped(expression: string): string | null {
  let text = '';
  for (let index = 0; index < expression.length; index += 1) {
    const character = expression.charAt(index);
    const next = expression.charAt(index + 1);
    if (character === '\\') {
      // A letter or digit after a backslash is a class or a reference.
      if (next === '' || /[A-Za-z0-9]/.test(next)) return null;
      text += next;
      index += 1;
    } else if (isLiteral(character, next)) text += character;
    else return null;
  }
  return text;
}

/** A dot at the end of a sentence is meant literally. */
function isLiteral(character: string, next: string): boolean {
  return character === '.' ? next === '' || next === ' ' : !SPECIAL.includes(character);
}
