import type { SourceLocation } from '../domain/check.ts';

const [CR, LF] = [0x0d, 0x0a];

/** Lines and columns of a document as the HTML validator counts them: CR, LF and CRLF end a line, and a tab is one column. */
export interface SourceLines {
  /** Returns the position of the character at an offset, in UTF-16 code units from 0. */
  locationOf(offset: number): SourceLocation;
  /** Returns the offset of a position. A position outside of the document becomes the nearest position in it. */
  offsetOf(place: SourceLocation): number;
}

/** @param text the decoded document, without a byte order mark */
export function linesOf(text: string): SourceLines {
  const starts = lineStarts(text);
  return {
    locationOf(offset) {
      let from = 0;
      let to = starts.length;
      while (from < to) {
        const middle = (from + to) >> 1;
        if ((starts[middle] ?? 0) <= offset) from = middle + 1;
        else to = middle;
      }
      return { line: from, column: offset - (starts[from - 1] ?? 0) + 1 };
    },
    offsetOf({ line, column }) {
      const start = starts[line - 1];
      if (start === undefined) return line < 1 ? 0 : text.length;
      const end = starts[line] ?? text.length;
      return Math.max(start, Math.min(start + column - 1, end));
    },
  };
}

/** Returns the offsets at which lines start. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) {
    if (isLineEnd(text, at)) starts.push(at + 1);
  }
  return starts;
}

/** Returns the number of lines, at least 1: the last one may be empty. Faster than `linesOf`, which stores their starts. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at += 1) if (isLineEnd(text, at)) count += 1;
  return count;
}

/** Whether a character is the last of a line. */
function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === LF || (code === CR && text.charCodeAt(at + 1) !== LF);
}
