import { sql, type Transaction } from 'kysely';
import { PRESENT_TYPE_CHANGES } from '../../domain/change.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { Schema } from '../schema.ts';
import { FOUND_FINGERPRINT } from './write-issues.ts';

/** Rows to remove in one transaction. */
const PRUNE_BATCH_ROWS = 10_000;

/** Sets the first date and the change of the report's common issues, according to its diff with the previous report. */
export async function dateCommonIssues({ trx, reportId }: ReportTransaction): Promise<void> {
  await sql`
    INSERT INTO first_sightings AS f (site_id, fingerprint, seen_at, last_seen_at)
    SELECT r.site_id, ${FOUND_FINGERPRINT}, r.inserted_at, r.inserted_at FROM reports r JOIN common_issues k ON k.report_id = r.id
    WHERE r.id = ${reportId} GROUP BY 1, 2, 3 ORDER BY 1, 2
    ON CONFLICT (site_id, fingerprint) DO UPDATE
      SET seen_at = least(f.seen_at, excluded.seen_at), last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at)
      WHERE f.seen_at > excluded.seen_at OR f.last_seen_at < excluded.last_seen_at`.execute(trx);
  await sql`
    UPDATE common_issues c SET first_seen_at = f.seen_at, change = x.change, changed_occurrences = x.occurrences,
      how_many_before = x.how_many_before
    FROM common_issues k JOIN reports r ON r.id = k.report_id
      JOIN first_sightings f ON f.site_id = r.site_id AND f.fingerprint = ${FOUND_FINGERPRINT}
      LEFT JOIN diffs p ON p.report_id = r.id AND p.is_previous AND p.is_now
      LEFT JOIN issue_changes x ON x.diff_id = p.id AND x.kind = k.kind AND x.fingerprint = k.fingerprint
        AND x.change = ANY(${[...PRESENT_TYPE_CHANGES]})
    WHERE c.id = k.id AND k.report_id = ${reportId} AND (c.first_seen_at, c.change, c.changed_occurrences, c.how_many_before)
      IS DISTINCT FROM (f.seen_at, x.change, x.occurrences, x.how_many_before)`.execute(trx);
}

/**
 * Removes a batch of the dates from before a site's earliest report that still exists. Reports whose dates are being set at the
 * same time do not wait for this: their dates are not removed.
 * @returns the number of rows removed; 0 if none is left to remove
 */
export async function pruneFirstSightings(trx: Transaction<Schema>, siteId: string): Promise<number> {
  // Creating a report takes this lock, too, so the next statement sees each report whose dates may be set while it runs.
  await trx.selectFrom('sites').select('id').where('id', '=', siteId).forNoKeyUpdate().execute();
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM first_sightings WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM first_sightings
      WHERE site_id = ${siteId} AND last_seen_at < coalesce(
        (SELECT min(inserted_at) FROM reports WHERE site_id = ${siteId} AND deleted_at IS NULL), 'infinity')
      ORDER BY last_seen_at LIMIT ${PRUNE_BATCH_ROWS} FOR UPDATE SKIP LOCKED))`.execute(trx);
  return Number(numAffectedRows);
}
