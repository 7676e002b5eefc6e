import type { Selectable } from 'kysely';
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { foundIn } from '../../domain/counts.ts';
import { ADDITIVE, count, nullable, PRO } from '../../domain/schemas.ts';
import type { IssueCounts } from '../../store/issues/finding-tables.ts';

const ERRORS_AND_WARNINGS = {
  errors: count('Number of errors: occurrences, not issue types, excluding muted ones.', { examples: [7] }),
  warnings: count('Number of warnings, counted like errors. Accessibility warnings need review by a person.', {
    examples: [2],
  }),
};

/** The results of occurrences in a re-check. */
export const RECHECKED_OCCURRENCES = {
  fixed: count('Occurrences that were fixed.', { examples: [2] }),
  still: count('Occurrences that remain.', { examples: [1] }),
  new: count('New occurrences.', { examples: [0] }),
};

const SEVERITY = Type.Object(
  {
    minor: count('Errors and warnings with minor impact.', { examples: [1] }),
    moderate: count('Errors and warnings with moderate impact.', { examples: [1] }),
    serious: count('Errors and warnings with serious impact.', { examples: [4] }),
    critical: count('Errors and warnings with critical impact.', { examples: [3] }),
    total: Type.Object(
      { ...ERRORS_AND_WARNINGS, total: count('Errors and warnings together.', { examples: [9] }) },
      { description: 'The totals across all impacts.' },
    ),
  },
  { description: 'Errors and warnings by impact, including findings that need review.' },
);

const ERRORS_BY_IMPACT = Type.Object(
  {
    minor: count('Errors with minor impact.', { examples: [1] }),
    moderate: count('Errors with moderate impact.', { examples: [1] }),
    serious: count('Errors with serious impact.', { examples: [3] }),
    critical: count('Errors with critical impact.', { examples: [2] }),
  },
  {
    description: 'Errors by impact, excluding findings that need review. They add up to `errors`.',
    ...ADDITIVE,
  },
);

/** Returns the schema of an engine's attribute of a resource: null if the engine is off, or absent if it is additive. */
export function engineSchema({ isPro, isAdditive }: EngineDescription, schema: TObject, about: string): TSchema {
  const marks = { ...(isPro && PRO), ...(isAdditive && ADDITIVE) };
  const described = nullable(schema, `${about} ${isAdditive ? 'Absent' : 'Null'} if not enabled.`, marks);
  return isAdditive ? Type.Optional(described) : described;
}

/** Returns the schema of `issueCounts`. */
export function issueCountsSchema(isGraded: boolean): TProperties {
  return isGraded
    ? { ...ERRORS_AND_WARNINGS, severity: SEVERITY, errors_by_impact: ERRORS_BY_IMPACT }
    : ERRORS_AND_WARNINGS;
}

/**
 * Returns the counts of a check's issues (docs/contract/resources.md#report).
 * @param isGraded whether its issues have impacts, so that they are also counted by severity
 */
export function issueCounts(counts: Selectable<IssueCounts>, isGraded: boolean) {
  const { errors, warnings, minor, moderate, serious, critical } = counts;
  const total = { errors, warnings, total: errors + warnings };
  return {
    ...foundIn(counts, isGraded),
    ...(isGraded && { severity: { minor, moderate, serious, critical, total } }),
  };
}
