import type { HtmlOccurrence } from 'sitewarden-client/occurrences';
import type { Range, SourceLines } from './source-lines.ts';

/** Longer start tags are marked only up to this length. */
const tagMaxCharacters = 4_096;

/**
 * Returns the range of the source that an occurrence of the validator covers; null if it covers the whole document.
 *
 * Its last line and column are exact. Its first column is absent or off by 1 if the tag starts after a line break, so the start
 * is found by going back by the length of the part of `extract` that the validator highlights.
 */
export function validatorRange(lines: SourceLines, { extract, coordinates }: HtmlOccurrence): Range | null {
  const { first_line: line, first_column: column, last_line: lastLine, last_column: lastColumn } = coordinates;
  if (lastLine < 1 || lastLine > lines.count) return null;
  const to = Math.min(lines.startOf(lastLine) + lastColumn, lines.text.length);
  const highlighted = extract.slice(coordinates.hilite_start, coordinates.hilite_start + coordinates.hilite_length);
  const from = startOfText(lines.text, to, highlighted) ?? lines.startOf(line) + (column ?? 1) - 1;
  return { from: Math.max(0, Math.min(from, to)), to };
}

/**
 * Returns the start of a text that ends at an offset of the source; null if it does not end there. The validator writes every
 * line end as LF.
 */
function startOfText(source: string, end: number, text: string): number | null {
  let at = end;
  for (let left = text.length - 1; left >= 0; left -= 1) {
    const character = source[at - 1];
    if (text[left] === '\n') {
      if (character !== '\n' && character !== '\r') return null;
      at -= character === '\n' && source[at - 2] === '\r' ? 2 : 1;
    } else {
      if (character !== text[left]) return null;
      at -= 1;
    }
  }
  return text === '' ? null : at;
}

/** Returns the start tag at a line and column; null if the document has no such position. */
export function startTagRange(lines: SourceLines, line: number, column: number): Range | null {
  if (line < 1 || line > lines.count) return null;
  const from = Math.min(lines.startOf(line) + column - 1, lines.text.length);
  return { from, to: startTagEnd(lines.text, from) };
}

/** Attribute values in quotes may contain `>`. */
function startTagEnd(text: string, from: number): number {
  const end = Math.min(text.length, from + tagMaxCharacters);
  let quote: string | null = null;
  for (let at = from; at < end; at += 1) {
    const character = text[at];
    if (quote !== null) {
      if (character === quote) quote = null;
    } else if (character === '>') return at + 1;
    else if ((character === '"' || character === "'") && /=\s*$/.test(text.slice(Math.max(from, at - 8), at)))
      quote = character;
  }
  return end;
}
