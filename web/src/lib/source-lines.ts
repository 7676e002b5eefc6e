const [LF, CR] = [0x0a, 0x0d];

/** A range of a text, in UTF-16 code units from 0; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The lines of a document as the HTML validator counts them: CR, LF and CRLF end a line, and columns are UTF-16 code units from
 * 1, a tab included.
 */
export interface SourceLines {
  readonly text: string;
  /** Number of lines, at least 1. The last one may be empty. */
  readonly count: number;
  /** Returns where a line starts. Lines are numbered from 1; after the last line, returns the end of the text. */
  startOf(line: number): number;
  /** Returns a line without its line ending. */
  rangeOf(line: number): Range;
  /** Returns the line that contains a character. */
  lineAt(offset: number): number;
}

export function sourceLines(text: string): SourceLines {
  const starts = lineStarts(text);
  const startOf = (line: number): number => starts[line - 1] ?? (line < 1 ? 0 : text.length);
  return {
    text,
    count: starts.length,
    startOf,
    rangeOf(line) {
      const from = startOf(line);
      let to = startOf(line + 1);
      if (line < starts.length && text.charCodeAt(to - 1) === LF) to -= 1;
      if (line < starts.length && to > from && text.charCodeAt(to - 1) === CR) to -= 1;
      return { from, to };
    },
    lineAt: (offset) => Math.max(1, countUpTo(starts, offset)),
  };
}

function lineStarts(text: string): Uint32Array {
  let count = 1;
  for (let at = nextLine(text, 0); at !== -1; at = nextLine(text, at)) count += 1;
  const starts = new Uint32Array(count);
  for (let at = nextLine(text, 0), line = 1; at !== -1; at = nextLine(text, at), line += 1) starts[line] = at;
  return starts;
}

/** Returns where the next line starts; -1 if there is none. */
function nextLine(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) return at + 1;
  }
  return -1;
}

/** Returns how many of the ascending numbers are at most the limit. */
export function countUpTo(ascending: Uint32Array, limit: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? 0) <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** More matches don't help the reader, and use memory. */
export const foundMax = 5_000;

/** Returns the occurrences of a text, ignoring case; at most 5,000. */
export function findInSource(source: string, text: string): readonly Range[] {
  if (text === '') return [];
  // Not by lower-casing, which makes some characters longer.
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  const found: Range[] = [];
  for (const match of source.matchAll(pattern)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    if (found.length >= foundMax) break;
  }
  return found;
}

/** A part of a row in which the set of occurrences doesn't change. */
interface Piece<Mark extends Range> extends Range {
  readonly marks: readonly Mark[];
}

/**
 * A row can have thousands of occurrences. More than these cannot be told apart, and the time for cutting grows with the square
 * of their number.
 */
const rowMarksMax = 100;

/** Cuts a row where occurrences start and end. Occurrences may overlap; the first 100 count. */
export function piecesOf<Mark extends Range>({ from, to }: Range, marks: readonly Mark[]): readonly Piece<Mark>[] {
  const inside = marks.filter((mark) => mark.from < to && mark.to > from).slice(0, rowMarksMax);
  if (inside.length === 0) return from === to ? [] : [{ from, to, marks: [] }];
  const cuts = new Set([from, to]);
  for (const mark of inside) {
    cuts.add(Math.max(from, mark.from));
    cuts.add(Math.min(to, mark.to));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => {
    const start = sorted[index] ?? from;
    return { from: start, to: end, marks: inside.filter((mark) => mark.from < end && mark.to > start) };
  });
}
