import { plural } from '../../lib/formats.ts';
import type { ImportedRows } from './step-rows.ts';

/** Steps without an equivalent that the message names. */
const namedMax = 5;

/** Returns what became of a file with steps. */
export function importMessage(read: readonly ImportedRows[]): string {
  if (read.length === 0) return 'The file is no recording in JSON, and has no actions of pa11y.';
  const steps = read.reduce((sum, { rows }) => sum + rows.length, 0);
  const lists = read.length === 1 ? '' : ` in ${read.length} lists`;
  return [
    `Imported ${plural(steps, 'step')}${lists}.`,
    ...othersIn(read),
    'Secrets are not imported: enter them.',
  ].join(' ');
}

function othersIn(read: readonly ImportedRows[]): readonly string[] {
  const others = read.flatMap(({ title, others: ofList }) =>
    ofList.map(({ number, what, instead }) => {
      const of = read.length === 1 ? '' : ` of ${title}`;
      return `step ${number}${of} (${what}${instead === null ? '' : `, replaced by a ${instead}`})`;
    }),
  );
  if (others.length === 0) return [];
  const more = others.length > namedMax ? ` and ${others.length - namedMax} more` : '';
  return [`Not imported, because no equivalent exists: ${others.slice(0, namedMax).join(', ')}${more}.`];
}
