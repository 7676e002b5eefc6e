import { plural } from '../domain/amounts.ts';
import type { Verdict } from '../domain/decision.ts';

/** The number of occurrences by what people decided about them. */
export type DecidedCounts = Readonly<Record<Verdict, number>>;

/** Returns what people have decided about the results of a report, as sentences; none if they have decided nothing. */
export function decidedNote({ error, not_an_error: refuted, later }: DecidedCounts): string[] {
  const parts = [
    ...(error > 0 ? [`${plural(error, 'occurrence')} ${error === 1 ? 'is an error' : 'are errors'} by decision`] : []),
    ...(refuted > 0
      ? [`${plural(refuted, 'occurrence')} ${refuted === 1 ? 'was' : 'were'} marked as not an error`]
      : []),
    ...(later > 0 ? [`${plural(later, 'occurrence')} ${later === 1 ? 'was' : 'were'} left for later`] : []),
  ];
  return parts.length === 0 ? [] : [`People reviewed results: ${parts.join(', ')}.`];
}
