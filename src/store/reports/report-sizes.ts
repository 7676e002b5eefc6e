import { sql } from 'kysely';
import type { Executor } from '../database.ts';

/** Tables with rows of one report. */
const OF_REPORT = [
  'web_pages',
  'checks',
  'issues',
  'common_issues',
  'discovered_urls',
  'resource_lists',
  'fixes',
] as const;
/** Tables with rows of a page. */
const OF_PAGE = ['raw_checks', 'former_issues'] as const;
/** Tables with rows of a comparison. */
const OF_DIFF = ['issue_changes', 'changed_issues', 'changed_pages'] as const;

/**
 * Measures a report. Reads all its results once, but not its documents and screenshots, of which it reads the stored sizes.
 * Documents and screenshots count for the oldest report of the site that has them, so that the sizes of reports add up.
 */
export async function measureSize(db: Executor, reportId: string): Promise<void> {
  const rowsOf = (table: string, condition = sql`t.report_id = r.id`) =>
    sql`(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM ${sql.table(table)} t WHERE ${condition})`;
  const ofPage = sql`t.web_page_id IN (SELECT id FROM web_pages p WHERE p.report_id = r.id)`;
  const ofDiff = sql`t.diff_id IN (SELECT id FROM diffs d WHERE d.report_id = r.id)`;
  const results = sql.join(
    [
      ...OF_REPORT.map((table) => rowsOf(table)),
      ...OF_PAGE.map((table) => rowsOf(table, ofPage)),
      ...OF_DIFF.map((table) => rowsOf(table, ofDiff)),
    ],
    sql` + `,
  );
  const isOlder = sql`o.site_id = r.site_id AND o.id < r.id AND o.deleted_at IS NULL`;
  await sql`
    INSERT INTO report_sizes AS z (report_id, results_bytes, documents_bytes, screenshots_bytes)
    SELECT r.id, ${results},
      (SELECT coalesce(sum(pg_column_size(d.body)), 0) FROM documents d
        WHERE d.hash IN (SELECT document_hash FROM web_pages p WHERE p.report_id = r.id)
          AND NOT EXISTS (SELECT FROM web_pages p JOIN reports o ON o.id = p.report_id
            WHERE p.document_hash = d.hash AND ${isOlder})),
      (SELECT coalesce(sum(pg_column_size(i.image)), 0) FROM screenshot_images i
        WHERE i.hash IN (SELECT s.image_hash FROM screenshots s JOIN web_pages p ON p.id = s.web_page_id WHERE p.report_id = r.id)
          AND NOT EXISTS (SELECT FROM screenshots s JOIN web_pages p ON p.id = s.web_page_id
            JOIN reports o ON o.id = p.report_id WHERE s.image_hash = i.hash AND ${isOlder}))
    FROM reports r WHERE r.id = ${reportId} AND r.deleted_at IS NULL
    ON CONFLICT (report_id) DO UPDATE SET results_bytes = excluded.results_bytes,
      documents_bytes = excluded.documents_bytes, screenshots_bytes = excluded.screenshots_bytes, measured_at = now()`.execute(
    db,
  );
}

/** Returns reports that have ended and were never measured, such as reports of earlier versions. */
export async function unmeasuredReports(db: Executor, max: number): Promise<string[]> {
  const rows = await db
    .selectFrom('reports')
    .select('id')
    .where('status', 'in', ['finished', 'failed'])
    .where('deleted_at', 'is', null)
    .where('insights_pending', '=', false)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM report_sizes z WHERE z.report_id = reports.id)`)
    .orderBy('id')
    .limit(max)
    .execute();
  return rows.map(({ id }) => id);
}
