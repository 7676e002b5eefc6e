/**
 * Returns round numbers for the axis of a chart, from 0 to at least the largest value: 0, 20, 40, 60.
 * @param largest at least 0
 * @param steps the approximate number of steps
 */
export function ticksTo(largest: number, steps: number): number[] {
  const rough = Math.max(largest, 1e-9) / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough * 0.999_999) ?? 10) * power;
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < largest * 0.999_999) ticks.push(Number((ticks.length * step).toPrecision(12)));
  return ticks.length === 1 ? [0, step] : ticks;
}
