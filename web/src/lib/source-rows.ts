import { countUpTo, type Range, type SourceLines } from './source-lines.ts';

/** Characters in a row if lines are not wrapped. Browsers take seconds to lay out a line of a million characters. */
export const rowMaxColumns = 2_000;
/** Browsers limit the height of a box to about 17 million pixels. */
export const rowsMax = 600_000;
/** Columns of a tab, as in the style of the source. */
const tabColumns = 4;

/** The rows in which lines are drawn. A long line has several. All rows have the same height. */
export interface SourceRows {
  readonly count: number;
  /** Whether the document has more rows than can be shown. */
  readonly isCut: boolean;
  /** Characters of the longest row. */
  readonly longest: number;
  /** Returns the row of a character, from 0. */
  rowAt(offset: number): number;
  /** Returns the characters of a row, without its line ending. */
  rangeOf(row: number): Range;
}

/**
 * Divides lines into rows.
 * @param columns the width of a row in columns of half an em; at least 8
 */
export function sourceRows(lines: SourceLines, columns: number): SourceRows {
  const width = Math.max(8, Math.min(columns, rowMaxColumns));
  let longest = 0;
  const starts: number[] = [];
  const ends: number[] = [];
  for (let line = 1; line <= lines.count && starts.length < rowsMax; line += 1) {
    const { from, to } = lines.rangeOf(line);
    for (let at = from; ; ) {
      const end = rowEnd(lines.text, at, to, width);
      starts.push(at);
      ends.push(end);
      longest = Math.max(longest, end - at);
      at = end;
      if (at >= to || starts.length >= rowsMax) break;
    }
  }
  const rowStarts = Uint32Array.from(starts);
  return {
    count: starts.length,
    isCut: (ends.at(-1) ?? 0) < lines.rangeOf(lines.count).to || starts.length >= rowsMax,
    longest,
    rowAt: (offset) => Math.max(0, countUpTo(rowStarts, offset) - 1),
    rangeOf: (row) => ({ from: starts[row] ?? 0, to: ends[row] ?? 0 }),
  };
}

/** Returns where the row that starts at `from` ends. Rows have at least one character, and don't split surrogate pairs. */
function rowEnd(text: string, from: number, to: number, width: number): number {
  // Each character takes at most four columns.
  if ((to - from) * tabColumns <= width) return to;
  let column = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    column += code === 0x09 ? tabColumns - (column % tabColumns) : code < 0x1100 ? 1 : isLowSurrogate(code) ? 0 : 2;
    if (column > width && at > from && !isLowSurrogate(code)) return at;
  }
  return to;
}

function isLowSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xdc00;
}
