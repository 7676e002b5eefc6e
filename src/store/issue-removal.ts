import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Schema } from './schema.ts';

/** Removes the pages' issues of a kind, and takes them off the counts of the common issues and of the mutings. */
export async function removeIssues(
  trx: Transaction<Schema>,
  webPageIds: readonly number[],
  kind: CheckKind,
): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind}
      RETURNING report_id, common_issue_id, web_page_id, how_many, muted, mutings
    ), silenced AS (
      UPDATE report_mutings r SET how_many = r.how_many - s.how_many
      FROM (
        SELECT report_id, muting, sum(how_many) AS how_many FROM gone, unnest(mutings) AS muting GROUP BY 1, 2
      ) s WHERE r.report_id = s.report_id AND r.muting_id = s.muting
    ), sums AS (
      SELECT common_issue_id, coalesce(sum(how_many) FILTER (WHERE NOT muted), 0) AS how_many,
        count(DISTINCT web_page_id) FILTER (WHERE NOT muted) AS num_web_pages,
        coalesce(sum(how_many) FILTER (WHERE muted), 0) AS muted_how_many,
        count(DISTINCT web_page_id) FILTER (WHERE muted) AS muted_num_web_pages
      FROM gone GROUP BY common_issue_id
    )
    UPDATE common_issues c
    SET how_many = c.how_many - sums.how_many, num_web_pages = c.num_web_pages - sums.num_web_pages,
      muted_how_many = c.muted_how_many - sums.muted_how_many,
      muted_num_web_pages = c.muted_num_web_pages - sums.muted_num_web_pages, updated_at = now()
    FROM sums WHERE c.id = sums.common_issue_id`.execute(trx);
}

/** Removes kinds of issues that are not found on any page any more. After new issues were added, so that ids stay. */
export async function removeEmptyCommonIssues(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
): Promise<void> {
  await trx
    .deleteFrom('common_issues')
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('how_many', '=', 0)
    .where('muted_how_many', '=', 0)
    .execute();
}
