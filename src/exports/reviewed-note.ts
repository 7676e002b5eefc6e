import { plural } from '../domain/amounts.ts';
import type { Verdict } from '../domain/decision.ts';

/** The number of occurrences by what people decided about them, and of muted ones. */
export type ReviewedCounts = Readonly<Record<Verdict | 'muted', number>>;

/** Returns what people have decided about results of a report, and what they have muted, as sentences; none without either. */
export function reviewedNote({ error, not_an_error: refuted, later, muted }: ReviewedCounts): string[] {
  const parts = [
    ...(error > 0
      ? [`${plural(error, 'occurrence')} ${error === 1 ? 'was marked as an error' : 'were marked as errors'}`]
      : []),
    ...(refuted > 0
      ? [`${plural(refuted, 'occurrence')} ${refuted === 1 ? 'was' : 'were'} marked as not an error`]
      : []),
    ...(later > 0 ? [`${plural(later, 'occurrence')} ${later === 1 ? 'was' : 'were'} left for later`] : []),
  ];
  return [
    ...(parts.length > 0 ? [`People reviewed results: ${parts.join(', ')}.`] : []),
    ...(muted > 0
      ? [`${plural(muted, 'occurrence')} ${muted === 1 ? 'is' : 'are'} muted and not part of this document.`]
      : []),
  ];
}
