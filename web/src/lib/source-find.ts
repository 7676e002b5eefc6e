import type { Range } from './source-lines.ts';

/** More are of no help, and take memory. */
export const foundMax = 5_000;

/** Returns where a text occurs, without regard to case; at most 5,000 places. */
export function findInSource(source: string, text: string): readonly Range[] {
  if (text === '') return [];
  // Not by lower case, in which some characters are longer.
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  const found: Range[] = [];
  for (const match of source.matchAll(pattern)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    if (found.length >= foundMax) break;
  }
  return found;
}
