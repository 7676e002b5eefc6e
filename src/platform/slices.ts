/** Milliseconds of work on the event loop before other work gets its turn. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, after its input and output. Each turn resolves one caller: even if many tasks work
 * in slices at the same time, requests are handled between any two slices.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) setImmediate(giveTurn);
  return promise;
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** Returns a function that waits for the next turn if the work since the last turn has taken long enough. */
export function createPace(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await nextTurn();
    began = performance.now();
  };
}

/** Yields the rows in their order, at most `size` at a time. */
export function* slicesOf<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** Yields the rows in their order, as many at a time as together weigh at most `max`, and at least one. */
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

/** Yields items that are created one by one, `size` at a time. Between slices, other work gets its turn when it is time. */
export async function* slicesInTurns<Item>(items: Iterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  const pace = createPace();
  let slice: Item[] = [];
  for (const item of items) {
    slice.push(item);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
    await pace();
  }
  if (slice.length > 0) yield slice;
}
