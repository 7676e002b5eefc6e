import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database.ts';

/** What a report takes up in the database, in bytes, without indexes. */
export interface ReportSize {
  /** Pages, checks, issues and everything else that reports do not share. */
  readonly results_bytes: number;
  /** Documents that no older report of the same site has. */
  readonly documents_bytes: number;
  readonly screenshots_bytes: number;
}

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

/** The size of the header that PostgreSQL stores with each row. */
const ROW_HEADER_BYTES = 24;

/**
 * Returns a function that builds the expression for the stored size of the row `t` of a table, in bytes. Adds up the columns: the
 * size of a whole row would read every value that PostgreSQL stores outside of the row.
 */
async function rowSizes(db: Executor, tables: readonly string[]): Promise<(table: string) => RawBuilder<number>> {
  const { rows } = await sql<{ table: string; fixed: number; columns: string[] }>`
    SELECT c.relname AS table, coalesce(sum(a.attlen) FILTER (WHERE a.attlen > 0), 0)::integer AS fixed,
      coalesce(array_agg(a.attname::text) FILTER (WHERE a.attlen < 0), '{}') AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.oid = ANY(${[...tables]}::text[]::regclass[]) GROUP BY c.relname`.execute(db);
  const sizes = new Map(
    rows.map(({ table, fixed, columns }) => {
      const values = columns.map((name) => sql`coalesce(pg_column_size(${sql.ref(`t.${name}`)}), 0)`);
      return [table, sql<number>`(${sql.join([sql.lit(ROW_HEADER_BYTES + fixed), ...values], sql` + `)})`];
    }),
  );
  return (table) => sizes.get(table) ?? sql<number>`${sql.lit(ROW_HEADER_BYTES)}`;
}

/**
 * Measures a report. Reads all its results once, but only the sizes of its documents and screenshots. Documents and screenshots
 * count toward the oldest report of the site that has them, so that the sizes of reports add up.
 */
export async function measureSize(db: Executor, reportId: string): Promise<void> {
  const sizes = await rowSizes(db, [...OF_REPORT, ...OF_PAGE, ...OF_DIFF]);
  const rowsOf = (table: string, condition = sql`t.report_id = r.id`) =>
    sql`(SELECT coalesce(sum(${sizes(table)}), 0) FROM ${sql.table(table)} t WHERE ${condition})`;
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

/**
 * Returns ids of reports that have ended but were never measured, such as reports of earlier versions, in the order of their ids.
 * @param after the last report of the page before; null for the first page
 */
export async function unmeasuredReports(db: Executor, after: string | null, max: number): Promise<string[]> {
  const rows = await db
    .selectFrom('reports')
    .select('id')
    .where('status', 'in', ['finished', 'failed'])
    .where('deleted_at', 'is', null)
    .where('insights_pending', '=', false)
    .where(sql<boolean>`NOT EXISTS (SELECT FROM report_sizes z WHERE z.report_id = reports.id)`)
    .$if(after !== null, (reports) => reports.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(max)
    .execute();
  return rows.map(({ id }) => id);
}

/** What a page takes up, in bytes, without indexes; its document and screenshots count even if other pages have the same ones. */
export interface PageSize {
  readonly results: number;
  readonly document: number;
  readonly screenshots: number;
}

export async function sizeOfPage(db: Executor, webPageId: number): Promise<PageSize> {
  const ofRows = ['checks', 'issues', ...OF_PAGE];
  const sizes = await rowSizes(db, ['web_pages', ...ofRows]);
  const rowsOf = (table: string) =>
    sql`(SELECT coalesce(sum(${sizes(table)}), 0) FROM ${sql.table(table)} t WHERE t.web_page_id = p.id)`;
  const page = sql`(SELECT ${sizes('web_pages')} FROM web_pages t WHERE t.id = p.id)`;
  const { rows } = await sql<PageSize>`
    SELECT (${sql.join([page, ...ofRows.map(rowsOf)], sql` + `)})::integer AS results,
      coalesce((SELECT pg_column_size(d.body) FROM documents d WHERE d.hash = p.document_hash), 0) AS document,
      (SELECT coalesce(sum(pg_column_size(i.image)), 0) FROM screenshots s JOIN screenshot_images i ON i.hash = s.image_hash
        WHERE s.web_page_id = p.id)::integer AS screenshots
    FROM web_pages p WHERE p.id = ${webPageId}`.execute(db);
  return rows[0] ?? { results: 0, document: 0, screenshots: 0 };
}
