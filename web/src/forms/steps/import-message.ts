import { plural } from '../../lib/formats.ts';
import type { ImportedRows } from './step-rows.ts';

/** Returns what became of a file with steps. */
export function importMessage(read: ImportedRows | null): string {
  if (read === null) return 'The file is no recording in JSON, and has no actions of pa11y.';
  const others = read.numOthers === 0 ? '' : `, ${plural(read.numOthers, 'step')} without an equivalent left out`;
  return `Imported ${plural(read.rows.length, 'step')}${others}. Secrets are not imported: enter them.`;
}
