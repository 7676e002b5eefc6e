import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { IssueCounts } from '../store/schema.ts';
import { COUNT } from './jsonapi/schemas.ts';

export const ERRORS_AND_WARNINGS = { errors: COUNT, warnings: COUNT };

export const SEVERITY = Type.Object({
  minor: COUNT,
  moderate: COUNT,
  serious: COUNT,
  critical: COUNT,
  total: Type.Object({ ...ERRORS_AND_WARNINGS, total: COUNT }),
});

/** The counts of errors and warnings, as every check shows them. */
export function errorsAndWarnings(counts: Pick<Selectable<IssueCounts>, 'errors' | 'warnings'>) {
  return { errors: counts.errors, warnings: counts.warnings };
}

/** The `severity` object of accessibility checks (section 2.1 of the contract): errors and warnings together by impact. */
export function severity(counts: Selectable<IssueCounts>): Static<typeof SEVERITY> {
  const { errors, warnings, minor, moderate, serious, critical } = counts;
  return { minor, moderate, serious, critical, total: { errors, warnings, total: errors + warnings } };
}
