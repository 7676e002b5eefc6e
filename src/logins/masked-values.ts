import { maskedValuesMax } from './limits.ts';

/** Adds values that must not be shown to earlier ones: the newest last, each once, and without the oldest above the limit. */
export function withMasked(earlier: Iterable<string>, added: readonly string[]): string[] {
  const values = new Set(earlier);
  for (const value of added) {
    values.delete(value);
    values.add(value);
  }
  return [...values].slice(-maskedValuesMax);
}
