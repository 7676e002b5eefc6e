import type { Range, SourceLines } from '../lib/source-lines.ts';
import type { SourceRows } from '../lib/source-rows.ts';
import type { ShownLine } from './source-line.tsx';
import type { SourceMark } from './source-mark.ts';
import type { Viewport } from './use-viewport.ts';

/** Rows drawn above and below what is visible, so that nothing is white while scrolling. */
const spareRows = 8;

/** The place where a note stands between rows. */
export interface NotePlace {
  /** The row above it. */
  readonly row: number;
  readonly height: number;
}

/** Returns where a row is, in pixels from the top of the source. */
export function topOf(row: number, rowHeight: number, note: NotePlace | null): number {
  return row * rowHeight + (note !== null && row > note.row ? note.height : 0);
}

/** Returns the rows to draw, `to` behind the last one. */
export function rowsToDraw({ top, height, rowHeight }: Viewport, count: number, note: NotePlace | null): Range {
  const isBehindNote = note !== null && top > (note.row + 1) * rowHeight;
  const first = Math.floor(Math.max(0, isBehindNote ? top - note.height : top) / rowHeight);
  return {
    from: Math.max(0, Math.min(first, count - 1) - spareRows),
    to: Math.min(count, first + Math.ceil(height / rowHeight) + spareRows),
  };
}

/** Joins rows to lines. A line that a note divides is two. */
export function linesToDraw(
  lines: SourceLines,
  rows: SourceRows,
  { from, to }: Range,
  note: NotePlace | null,
): ShownLine[] {
  const shown: { line: number; firstRow: number; rows: Range[]; isWhole: boolean }[] = [];
  for (let row = from; row < to; row += 1) {
    const range = rows.rangeOf(row);
    const line = lines.lineAt(range.from);
    const before = shown.at(-1);
    if (before?.line === line && row - 1 !== note?.row) before.rows.push(range);
    else shown.push({ line, firstRow: row, rows: [range], isWhole: range.from === lines.startOf(line) });
  }
  return shown;
}

/** Returns the places in some rows. The selected one comes first, since only the first ones are drawn where there are too many. */
export function marksIn(marks: readonly SourceMark[], rows: readonly Range[], selected: string | null): SourceMark[] {
  const inside = rangesIn(marks, rows);
  const first = inside.find(({ key }) => key === selected);
  return first === undefined ? inside : [first, ...inside.filter((mark) => mark !== first)];
}

/** Returns the ranges of a list that touch some rows. */
export function rangesIn<Each extends Range>(ranges: readonly Each[], rows: readonly Range[]): Each[] {
  const from = rows[0]?.from ?? 0;
  const to = rows.at(-1)?.to ?? 0;
  return ranges.filter((range) => range.from < to && range.to > from);
}
