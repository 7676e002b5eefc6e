import { maskedValuesMax } from './limits.ts';

/** Adds secret values to earlier ones: each once, the newest last, and without the oldest beyond the limit. */
export function withMasked(earlier: Iterable<string>, added: readonly string[]): string[] {
  const values = new Set(earlier);
  for (const value of added) {
    values.delete(value);
    values.add(value);
  }
  return [...values].slice(-maskedValuesMax);
}
