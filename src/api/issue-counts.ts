import type { Selectable } from 'kysely';
import type { IssueCounts } from '../store/schema.ts';

/** The counts of errors and warnings, as every check shows them. */
export function errorsAndWarnings(counts: Pick<Selectable<IssueCounts>, 'errors' | 'warnings'>) {
  return { errors: counts.errors, warnings: counts.warnings };
}

/** The `severity` object of accessibility checks (section 2.1 of the contract): errors and warnings together by impact. */
export function severity(counts: Selectable<IssueCounts>) {
  const { errors, warnings, minor, moderate, serious, critical } = counts;
  return { minor, moderate, serious, critical, total: { errors, warnings, total: errors + warnings } };
}
