import { plural } from '../../lib/formats.ts';
import type { ImportedRows } from './step-rows.ts';

/** Returns what became of a file with steps. */
export function importMessage(read: readonly ImportedRows[]): string {
  if (read.length === 0) return 'The file is no recording in JSON, and has no actions of pa11y.';
  const sumOf = (count: (list: ImportedRows) => number): number => read.reduce((sum, list) => sum + count(list), 0);
  const lists = read.length === 1 ? '' : ` in ${read.length} lists`;
  const numOthers = sumOf((list) => list.numOthers);
  const others = numOthers === 0 ? '' : `, ${plural(numOthers, 'step')} without an equivalent left out`;
  return `Imported ${plural(
    sumOf(({ rows }) => rows.length),
    'step',
  )}${lists}${others}. Secrets are not imported: enter them.`;
}
