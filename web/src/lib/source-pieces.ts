import type { Range } from './source-lines.ts';

/** A part of a row that belongs to the same places throughout. */
export interface Piece<Mark extends Range> extends Range {
  readonly marks: readonly Mark[];
}

/** A row can have thousands of places. Nobody can tell more than these apart, and cutting takes the square of their number. */
const rowMarksMax = 100;

/** Cuts a row where places begin and end. Places may overlap; the first 100 count. */
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
