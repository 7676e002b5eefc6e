/** Yields the rows in their order, at most `size` at a time. */
export function* slicesOf<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
