import { sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Brings the report's status and times in line with its work. To be called last in every transaction that changed what
 * is left to do: `finished` when neither the spider nor a checker has anything left, `failed` when the crawl found no
 * page that could be checked.
 */
export async function settleReport(
  trx: Transaction<Schema>,
  reportId: string,
  options: { readonly checkedNow: boolean },
): Promise<void> {
  await sql`
    WITH progress AS (
      SELECT coalesce(sum(pending), 0) AS pending FROM report_checks WHERE report_id = ${reportId}
    ), next AS (
      SELECT CASE
        WHEN r.crawl_pending AND r.finished_at IS NULL THEN 'crawling'
        WHEN r.crawl_pending OR progress.pending > 0 THEN 'checking'
        WHEN r.crawl_failed THEN 'failed'
        ELSE 'finished'
      END AS status
      FROM reports r, progress WHERE r.id = ${reportId}
    )
    UPDATE reports r SET status = next.status, updated_at = now(),
      last_checked_at = CASE WHEN ${options.checkedNow} THEN now() ELSE r.last_checked_at END,
      finished_at = CASE WHEN next.status IN ('finished', 'failed') AND r.status NOT IN ('finished', 'failed')
        THEN now() ELSE r.finished_at END
    FROM next WHERE r.id = ${reportId}`.execute(trx);
}
