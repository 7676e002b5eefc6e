import assert from 'node:assert/strict';
import { type RawBuilder, sql } from 'kysely';
import { IMPACTS, type Impact } from '../../src/domain/check.ts';
import { CHECK_COUNTS, ISSUE_SUMS } from '../../src/domain/counts.ts';
import type { Database } from '../../src/store/database.ts';
import { COUNTS_AT_END } from '../../src/store/reports/results-at-end.ts';

const REPORT = sql.raw('$1');

/**
 * Compares every stored count with the rows that it counts, in one snapshot of the database: pages with their issues, the report
 * with its pages, common issues with the issues, each page's status with its checks', and the outcomes of discovered URLs. Muted
 * issues have separate counts, also per muting, in the report and in all reports. The counts at the report's end are compared
 * with its results at that time. Finds images that no page has, too.
 */
export async function assertCountsAddUp(db: Database, reportId: string): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const prepared = await sql`SELECT FROM pg_prepared_statements WHERE name = 'wrong_counts'`.execute(trx);
      if (prepared.rows.length === 0) await sql`PREPARE wrong_counts (uuid) AS ${wrongCounts()}`.execute(trx);
      await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(trx);
      const wrong = await sql`EXECUTE wrong_counts (${sql.lit(reportId)})`.execute(trx);
      assert.deepEqual(wrong.rows, []);
    });
}

/** Planning this takes many times longer than running it, so each connection plans it once. */
function wrongCounts(): RawBuilder<unknown> {
  return sql`
  WITH issue_sums AS (
    SELECT i.web_page_id, i.kind,
      coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'error'), 0) AS errors,
      coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'warning'), 0) AS warnings,
      ${sql.join(IMPACTS.flatMap(impactSums))}
    FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
    WHERE i.report_id = ${REPORT} AND NOT i.muted GROUP BY 1, 2
  ), page_counts AS (
    SELECT 'check of page ' || c.web_page_id || ' ' || c.kind AS what,
      ARRAY[${sql.join(ISSUE_SUMS.map((name) => sql.ref(`c.${name}`)))}]::bigint[] AS kept,
      ARRAY[${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(${sql.ref(`s.${name}`)}, 0)`))}]::bigint[] AS found
    FROM checks c LEFT JOIN issue_sums s ON s.web_page_id = c.web_page_id AND s.kind = c.kind
    WHERE c.report_id = ${REPORT}
  ), report_counts AS (
    SELECT 'report ' || r.kind AS what,
      ARRAY[${sql.join(CHECK_COUNTS.map((name) => sql.ref(name)))}]::bigint[] AS kept,
      (SELECT ARRAY[count(*) FILTER (WHERE c.status = 'pending'), count(*) FILTER (WHERE c.status = 'checked'),
        count(*) FILTER (WHERE c.status = 'failed'),
        count(*) FILTER (WHERE c.status = 'checked' AND c.errors > 0),
        count(*) FILTER (WHERE c.status = 'checked' AND c.critical_errors + c.serious_errors > 0),
        ${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(sum(${sql.ref(`c.${name}`)}), 0)`))}]::bigint[]
        FROM checks c WHERE c.report_id = r.report_id AND c.kind = r.kind) AS found
    FROM report_checks r WHERE r.report_id = ${REPORT}
  ), common_counts AS (
    SELECT 'common issue ' || c.id AS what,
      ARRAY[c.how_many, c.num_web_pages, c.muted_how_many, c.muted_num_web_pages]::bigint[] AS kept,
      (SELECT ARRAY[coalesce(sum(i.how_many) FILTER (WHERE NOT i.muted), 0),
        count(DISTINCT i.web_page_id) FILTER (WHERE NOT i.muted),
        coalesce(sum(i.how_many) FILTER (WHERE i.muted), 0),
        count(DISTINCT i.web_page_id) FILTER (WHERE i.muted)]::bigint[]
        FROM issues i WHERE i.common_issue_id = c.id) AS found
    FROM common_issues c WHERE c.report_id = ${REPORT}
  ), pages AS (
    SELECT 'num_pages' AS what, ARRAY[r.num_pages]::bigint[] AS kept,
      (SELECT ARRAY[count(*)]::bigint[] FROM web_pages p WHERE p.report_id = r.id) AS found
    FROM reports r WHERE r.id = ${REPORT} AND r.deleted_at IS NULL
  ), passed_pages AS (
    SELECT 'checked and passed pages' AS what, ARRAY[r.checked_pages, r.passed_pages]::bigint[] AS kept,
      (SELECT ARRAY[count(*), count(*) FILTER (WHERE errors = 0)]::bigint[] FROM (
        SELECT sum(errors) AS errors FROM checks WHERE report_id = r.id
        GROUP BY web_page_id HAVING bool_and(status = 'checked')) checked) AS found
    FROM reports r WHERE r.id = ${REPORT} AND r.deleted_at IS NULL
  ), sums_at_end AS (
    SELECT i.web_page_id, i.kind,
      coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'error'), 0) AS errors,
      coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'warning'), 0) AS warnings,
      ${sql.join(IMPACTS.flatMap(impactSums))}
    FROM issues_at_end i, LATERAL (SELECT i.issue_type, i.impact) c
    WHERE i.report_id = ${REPORT} AND NOT i.muted GROUP BY 1, 2
  ), checks_then AS (
    SELECT c.web_page_id, c.kind, c.status,
      ${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(${sql.ref(`s.${name}`)}, 0) AS ${sql.ref(name)}`))}
    FROM checks_at_end c JOIN web_pages p ON p.id = c.web_page_id
      LEFT JOIN sums_at_end s ON s.web_page_id = c.web_page_id AND s.kind = c.kind
    WHERE p.report_id = ${REPORT}
  ), counts_at_end AS (
    SELECT 'report at its end ' || r.kind AS what,
      ARRAY[${sql.join(COUNTS_AT_END.map((name) => sql.ref(name)))}]::bigint[] AS kept,
      (SELECT ARRAY[count(*) FILTER (WHERE c.status = 'checked'), count(*) FILTER (WHERE c.status = 'failed'),
        count(*) FILTER (WHERE c.status = 'checked' AND c.errors > 0),
        count(*) FILTER (WHERE c.status = 'checked' AND c.critical_errors + c.serious_errors > 0),
        ${sql.join(ISSUE_SUMS.map((name) => sql`coalesce(sum(${sql.ref(`c.${name}`)}), 0)`))}]::bigint[]
        FROM checks_then c WHERE c.kind = r.kind) AS found
    FROM report_checks_at_end r JOIN reports ON reports.id = r.report_id
    WHERE r.report_id = ${REPORT} AND reports.first_finished_at IS NOT NULL
  ), pages_at_end AS (
    SELECT 'pages at the end' AS what,
      ARRAY[r.checked_pages_at_end, r.passed_pages_at_end]::bigint[] AS kept,
      (SELECT ARRAY[count(*), count(*) FILTER (WHERE errors = 0)]::bigint[]
        FROM (SELECT sum(errors) AS errors FROM checks_then GROUP BY web_page_id HAVING bool_and(status = 'checked')) checked) AS found
    FROM reports r WHERE r.id = ${REPORT} AND r.deleted_at IS NULL AND r.first_finished_at IS NOT NULL
  ), outcomes AS (
    SELECT 'outcome ' || coalesce(c.outcome, d.outcome) AS what, ARRAY[coalesce(c.how_many, 0)]::bigint[] AS kept,
      ARRAY[coalesce(d.how_many, 0)]::bigint[] AS found
    FROM (SELECT * FROM discovered_url_counts WHERE report_id = ${REPORT}) c FULL JOIN (
      SELECT outcome, count(*) AS how_many FROM discovered_urls WHERE report_id = ${REPORT} GROUP BY 1
    ) d ON d.outcome = c.outcome
  )
  , muting_counts AS (
    SELECT 'muting ' || coalesce(r.muting_id, i.muting_id) AS what, ARRAY[coalesce(r.how_many, 0)]::bigint[] AS kept,
      ARRAY[coalesce(i.how_many, 0)]::bigint[] AS found
    FROM (SELECT * FROM report_mutings WHERE report_id = ${REPORT}) r FULL JOIN (
      SELECT muting_id, sum(how_many) AS how_many FROM issues, unnest(mutings) AS muting_id
      WHERE report_id = ${REPORT} GROUP BY 1
    ) i ON i.muting_id = r.muting_id
    WHERE EXISTS (SELECT FROM reports WHERE id = ${REPORT} AND deleted_at IS NULL)
  ), muting_totals_of_all AS (
    SELECT 'total of muting ' || coalesce(t.muting_id, r.muting_id) AS what,
      ARRAY[coalesce(t.how_many, 0), coalesce(t.num_reports, 0)]::bigint[] AS kept,
      ARRAY[coalesce(r.how_many, 0), coalesce(r.num_reports, 0)]::bigint[] AS found
    FROM muting_totals t FULL JOIN (
      SELECT muting_id, sum(how_many) AS how_many, count(*) FILTER (WHERE how_many > 0) AS num_reports
      FROM report_mutings GROUP BY 1
    ) r ON r.muting_id = t.muting_id
  )
  SELECT * FROM (
    SELECT * FROM page_counts UNION ALL SELECT * FROM report_counts UNION ALL SELECT * FROM common_counts
    UNION ALL SELECT * FROM pages UNION ALL SELECT * FROM passed_pages UNION ALL SELECT * FROM outcomes
    UNION ALL SELECT * FROM counts_at_end UNION ALL SELECT * FROM pages_at_end
    UNION ALL SELECT * FROM muting_counts UNION ALL SELECT * FROM muting_totals_of_all
  ) every_count
  WHERE kept IS DISTINCT FROM found
  UNION ALL
  SELECT 'empty common issue ' || id, '{}', '{}' FROM common_issues
  WHERE report_id = ${REPORT} AND how_many + muted_how_many = 0
  UNION ALL
  SELECT 'empty total of muting ' || muting_id, '{}', '{}' FROM muting_totals WHERE how_many = 0
  UNION ALL
  SELECT 'picture of no page ' || encode(hash, 'hex'), '{}', '{}' FROM screenshot_images i
  WHERE NOT EXISTS (SELECT FROM screenshots s WHERE s.image_hash = i.hash)
  UNION ALL
  SELECT 'muted issue ' || i.id, '{}', '{}' FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
  WHERE i.report_id = ${REPORT} AND i.muted <> (i.mutings IS NOT NULL OR c.uncounted)
  UNION ALL
  SELECT 'status ' || p.status || ' of page ' || p.id, '{}', '{}' FROM web_pages p
  WHERE p.report_id = ${REPORT} AND p.status <> (
    SELECT CASE WHEN 'failed' = ANY(s) THEN 'failed' WHEN 'checked' <> ALL(s) THEN 'pending'
      WHEN 'pending' = ANY(s) THEN 'checking' ELSE 'checked' END
    FROM (SELECT array_agg(c.status) AS s FROM checks c WHERE c.web_page_id = p.id) statuses)
  `;
}

/** Adds up the occurrences with an impact: of all issues, and of errors alone. */
function impactSums(impact: Impact): RawBuilder<unknown>[] {
  const sumOf = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`coalesce(sum(i.how_many) FILTER (WHERE c.impact = ${sql.lit(impact)} AND ${condition}), 0)`;
  return [
    sql`${sumOf(sql`true`)} AS ${sql.ref(impact)}`,
    sql`${sumOf(sql`c.issue_type = 'error'`)} AS ${sql.ref(`${impact}_errors`)}`,
  ];
}
