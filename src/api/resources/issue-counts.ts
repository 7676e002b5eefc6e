import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import { count } from '../../domain/schemas.ts';
import type { IssueCounts } from '../../store/schema.ts';

export const ERRORS_AND_WARNINGS = {
  errors: count('Errors: places or elements, not kinds; without muted ones.', { examples: [7] }),
  warnings: count('Warnings, counted like errors.', { examples: [2] }),
};

export const SEVERITY = Type.Object(
  {
    minor: count('Errors and warnings of the impact minor.', { examples: [1] }),
    moderate: count('Of the impact moderate.', { examples: [1] }),
    serious: count('Of the impact serious.', { examples: [4] }),
    critical: count('Of the impact critical.', { examples: [3] }),
    total: Type.Object(
      { ...ERRORS_AND_WARNINGS, total: count('Errors and warnings together.', { examples: [9] }) },
      { description: 'The sums over all impacts.' },
    ),
  },
  { description: 'Errors and warnings by their impact.' },
);

/** The counts of errors and warnings, as every check shows them. */
export function errorsAndWarnings(counts: Pick<Selectable<IssueCounts>, 'errors' | 'warnings'>) {
  return { errors: counts.errors, warnings: counts.warnings };
}

/** The `severity` object of accessibility checks (section 2.1 of the contract): errors and warnings together by impact. */
export function severity(counts: Selectable<IssueCounts>): Static<typeof SEVERITY> {
  const { errors, warnings, minor, moderate, serious, critical } = counts;
  return { minor, moderate, serious, critical, total: { errors, warnings, total: errors + warnings } };
}
