import { type RawBuilder, sql } from 'kysely';
import { IMPACTS } from '../../domain/check.ts';
import { ISSUE_SUMS } from '../../domain/counts.ts';

/** The issues that each sum counts, as conditions on `issue_type` and `impact`. */
const COUNTED = {
  errors: sql`issue_type = 'error'`,
  warnings: sql`issue_type = 'warning'`,
  ...Object.fromEntries(
    IMPACTS.flatMap((impact) => [
      [impact, sql`impact = ${sql.lit(impact)}`],
      [`${impact}_errors`, sql`impact = ${sql.lit(impact)} AND issue_type = 'error'`],
    ]),
  ),
} as Readonly<Record<(typeof ISSUE_SUMS)[number], RawBuilder<unknown>>>;

/** Selects the sums of issues, each under its name. @param howMany the occurrences of an issue */
export function issueSums(howMany: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(
    ISSUE_SUMS.map((name) => sql`coalesce(sum(${howMany}) FILTER (WHERE ${COUNTED[name]}), 0) AS ${sql.ref(name)}`),
  );
}

/** Builds the condition that a check of the table has ended with critical or serious errors. */
export function hasSevere(table: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`(${column('status')} = 'checked' AND ${column('critical_errors')} + ${column('serious_errors')} > 0)`;
}
