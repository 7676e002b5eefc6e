import type { Range } from '../lib/source-lines.ts';
import type { Severity } from '../parts/severity.tsx';

/** A marked range of the source. */
export interface SourceMark extends Range {
  readonly key: string;
  readonly severity: Severity;
  /** Its description, such as `error 1 of 2: Duplicate ID “rye”.` */
  readonly words: string;
}

const ORDER: readonly Severity[] = ['critical', 'error', 'serious', 'moderate', 'warning', 'minor', 'review'];

/** Returns the worst severity of occurrences. */
export function worstOf(marks: readonly SourceMark[]): Severity | null {
  return ORDER.find((severity) => marks.some((mark) => mark.severity === severity)) ?? marks[0]?.severity ?? null;
}

/** Groups occurrences by the line in which they start. */
export function marksByLine(
  marks: readonly SourceMark[],
  lineAt: (offset: number) => number,
): ReadonlyMap<number, readonly SourceMark[]> {
  return Map.groupBy(marks, ({ from }) => lineAt(from));
}
