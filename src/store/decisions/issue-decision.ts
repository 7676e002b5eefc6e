import { type RawBuilder, sql } from 'kysely';
import type { Decision } from './decision-tables.ts';

/** What readers of an issue see of the decision about it. */
export interface ShownDecision extends Pick<Decision, 'id' | 'scope' | 'verdict' | 'note' | 'assessor'> {
  /** In UTC, such as `2026-01-31T02:00:41Z`. */
  readonly decided_at: string;
}

/** Builds the expression for the decision about the issues that a statement calls `table`; null for none. */
export function decisionOf(table: string): RawBuilder<ShownDecision | null> {
  return sql<ShownDecision | null>`(
    SELECT json_build_object('id', d.id, 'scope', d.scope, 'verdict', d.verdict, 'note', d.note, 'assessor', d.assessor,
      'decided_at', to_char(d.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    FROM decisions d WHERE d.id = ${sql.ref(`${table}.decision_id`)} AND d.deleted_at IS NULL)`;
}
