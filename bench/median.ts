/** Returns the middle one of some numbers, the upper of two; NaN without any. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
