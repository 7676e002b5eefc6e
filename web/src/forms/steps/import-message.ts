import { plural } from '../../lib/formats.ts';
import type { ImportedRows } from './step-rows.ts';

/** How many steps without an equivalent the message names. */
const namedMax = 5;
/** Limits the names of pa11y actions, which can be long. */
const nameMaxCharacters = 60;

/** Returns the result of importing a file with steps. */
export function importMessage(read: readonly ImportedRows[]): string {
  if (read.length === 0) return 'The file is neither a JSON recording nor a pa11y configuration with actions.';
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
      return { text: `step ${number}${of} (${what.slice(0, nameMaxCharacters)})`, instead };
    }),
  );
  const [leftOut, replaced] = [
    others.filter(({ instead }) => instead === null),
    others.filter(({ instead }) => instead !== null),
  ];
  return [listed('Left out', leftOut), listed('Replaced by a click', replaced)].flat();
}

function listed(title: string, steps: readonly { readonly text: string }[]): readonly string[] {
  if (steps.length === 0) return [];
  const more = steps.length > namedMax ? ` and ${steps.length - namedMax} more` : '';
  const texts = steps.slice(0, namedMax).map(({ text }) => text);
  return [`${title}: ${texts.join(', ')}${more}.`];
}
