import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields the rows in their order, at most `size` at a time. */
export function* slicesOf<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** Yields the rows in their order, as many at a time as weigh `max` together, and at least one. */
export function* slicesByWeight<Row>(
  rows: readonly Row[],
  weightOf: (row: Row) => number,
  max: number,
): Generator<readonly Row[]> {
  let slice: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    weight += weightOf(row);
    if (weight > max && slice.length > 0) {
      yield slice;
      slice = [];
      weight = weightOf(row);
    }
    slice.push(row);
  }
  if (slice.length > 0) yield slice;
}

/** Yields what is made one by one, `size` at a time. Between slices, others get their turn. */
export async function* slicesInTurns<Item>(items: Iterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let slice: Item[] = [];
  for (const item of items) {
    slice.push(item);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
    await nextTurn();
  }
  if (slice.length > 0) yield slice;
}
