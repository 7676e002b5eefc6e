import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The number of earlier reports of a site that are searched for results and documents. */
const EARLIER_REPORTS_MAX = 5;

/**
 * Selects `id` and `inserted_at` of the latest reports before the report `now` of the same site and account (decision 0139).
 * @param condition on a report `before`
 */
export function earlierReports(condition: RawBuilder<SqlBool> = sql<SqlBool>`true`): RawBuilder<unknown> {
  return sql`
    SELECT before.id, before.inserted_at FROM reports before
    WHERE before.site_id = now.site_id AND before.account_id = now.account_id AND before.deleted_at IS NULL
      AND NOT before.temporary AND (before.inserted_at, before.id) < (now.inserted_at, now.id) AND ${condition}
    ORDER BY before.inserted_at DESC, before.id DESC LIMIT ${EARLIER_REPORTS_MAX}`;
}
