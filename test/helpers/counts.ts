import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/**
 * Compares every stored count with the rows that it counts, in one snapshot of the database: pages with their
 * issues, the report with its pages, common issues with the issues, each page's status with its checks', and the outcomes
 * of discovered URLs. Muted issues have counts of their own, also per muting, in the report and in all reports. Finds pictures
 * that no page has, too.
 */
export async function assertCountsAddUp(db: Database, reportId: string): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const wrong = await sql<{ what: string; kept: string; found: string }>`
        WITH issue_sums AS (
          SELECT i.web_page_id, i.kind,
            coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'error'), 0) AS errors,
            coalesce(sum(i.how_many) FILTER (WHERE c.issue_type = 'warning'), 0) AS warnings,
            coalesce(sum(i.how_many) FILTER (WHERE c.impact = 'minor'), 0) AS minor,
            coalesce(sum(i.how_many) FILTER (WHERE c.impact = 'moderate'), 0) AS moderate,
            coalesce(sum(i.how_many) FILTER (WHERE c.impact = 'serious'), 0) AS serious,
            coalesce(sum(i.how_many) FILTER (WHERE c.impact = 'critical'), 0) AS critical
          FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
          WHERE i.report_id = ${reportId} AND NOT i.muted GROUP BY 1, 2
        ), page_counts AS (
          SELECT 'check of page ' || c.web_page_id || ' ' || c.kind AS what,
            ARRAY[c.errors, c.warnings, c.minor, c.moderate, c.serious, c.critical]::bigint[] AS kept,
            ARRAY[coalesce(s.errors, 0), coalesce(s.warnings, 0), coalesce(s.minor, 0), coalesce(s.moderate, 0),
              coalesce(s.serious, 0), coalesce(s.critical, 0)]::bigint[] AS found
          FROM checks c LEFT JOIN issue_sums s ON s.web_page_id = c.web_page_id AND s.kind = c.kind
          WHERE c.report_id = ${reportId}
        ), report_counts AS (
          SELECT 'report ' || r.kind AS what,
            ARRAY[pending, checked, failed, with_errors, errors, warnings, minor, moderate, serious, critical]::bigint[] AS kept,
            (SELECT ARRAY[count(*) FILTER (WHERE c.status = 'pending'), count(*) FILTER (WHERE c.status = 'checked'),
              count(*) FILTER (WHERE c.status = 'failed'),
              count(*) FILTER (WHERE c.status = 'checked' AND c.errors > 0), coalesce(sum(c.errors), 0), coalesce(sum(c.warnings), 0),
              coalesce(sum(c.minor), 0), coalesce(sum(c.moderate), 0), coalesce(sum(c.serious), 0),
              coalesce(sum(c.critical), 0)]::bigint[]
              FROM checks c WHERE c.report_id = r.report_id AND c.kind = r.kind) AS found
          FROM report_checks r WHERE r.report_id = ${reportId}
        ), common_counts AS (
          SELECT 'common issue ' || c.id AS what,
            ARRAY[c.how_many, c.num_web_pages, c.muted_how_many, c.muted_num_web_pages]::bigint[] AS kept,
            (SELECT ARRAY[coalesce(sum(i.how_many) FILTER (WHERE NOT i.muted), 0),
              count(DISTINCT i.web_page_id) FILTER (WHERE NOT i.muted),
              coalesce(sum(i.how_many) FILTER (WHERE i.muted), 0),
              count(DISTINCT i.web_page_id) FILTER (WHERE i.muted)]::bigint[]
              FROM issues i WHERE i.common_issue_id = c.id) AS found
          FROM common_issues c WHERE c.report_id = ${reportId}
        ), pages AS (
          SELECT 'num_pages' AS what, ARRAY[r.num_pages]::bigint[] AS kept,
            (SELECT ARRAY[count(*)]::bigint[] FROM web_pages p WHERE p.report_id = r.id) AS found
          FROM reports r WHERE r.id = ${reportId} AND r.deleted_at IS NULL
        ), passed_pages AS (
          SELECT 'checked and passed pages' AS what, ARRAY[r.checked_pages, r.passed_pages]::bigint[] AS kept,
            (SELECT ARRAY[count(*), count(*) FILTER (WHERE errors = 0)]::bigint[] FROM (
              SELECT sum(errors) AS errors FROM checks WHERE report_id = r.id
              GROUP BY web_page_id HAVING bool_and(status = 'checked')) checked) AS found
          FROM reports r WHERE r.id = ${reportId} AND r.deleted_at IS NULL
        ), outcomes AS (
          SELECT 'outcome ' || coalesce(c.outcome, d.outcome) AS what, ARRAY[coalesce(c.how_many, 0)]::bigint[] AS kept,
            ARRAY[coalesce(d.how_many, 0)]::bigint[] AS found
          FROM (SELECT * FROM discovered_url_counts WHERE report_id = ${reportId}) c FULL JOIN (
            SELECT outcome, count(*) AS how_many FROM discovered_urls WHERE report_id = ${reportId} GROUP BY 1
          ) d ON d.outcome = c.outcome
        )
        , muting_counts AS (
          SELECT 'muting ' || coalesce(r.muting_id, i.muting_id) AS what, ARRAY[coalesce(r.how_many, 0)]::bigint[] AS kept,
            ARRAY[coalesce(i.how_many, 0)]::bigint[] AS found
          FROM (SELECT * FROM report_mutings WHERE report_id = ${reportId}) r FULL JOIN (
            SELECT muting_id, sum(how_many) AS how_many FROM issues, unnest(mutings) AS muting_id
            WHERE report_id = ${reportId} GROUP BY 1
          ) i ON i.muting_id = r.muting_id
          WHERE EXISTS (SELECT FROM reports WHERE id = ${reportId} AND deleted_at IS NULL)
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
          UNION ALL SELECT * FROM muting_counts UNION ALL SELECT * FROM muting_totals_of_all
        ) every_count
        WHERE kept IS DISTINCT FROM found
        UNION ALL
        SELECT 'empty common issue ' || id, '{}', '{}' FROM common_issues
        WHERE report_id = ${reportId} AND how_many + muted_how_many = 0
        UNION ALL
        SELECT 'picture of no page ' || encode(hash, 'hex'), '{}', '{}' FROM screenshot_images i
        WHERE NOT EXISTS (SELECT FROM screenshots s WHERE s.image_hash = i.hash)
        UNION ALL
        SELECT 'muted issue ' || id, '{}', '{}' FROM issues
        WHERE report_id = ${reportId} AND muted <> (mutings IS NOT NULL)
        UNION ALL
        SELECT 'status ' || p.status || ' of page ' || p.id, '{}', '{}' FROM web_pages p
        WHERE p.report_id = ${reportId} AND p.status <> (
          SELECT CASE WHEN 'failed' = ANY(s) THEN 'failed' WHEN 'checked' <> ALL(s) THEN 'pending'
            WHEN 'pending' = ANY(s) THEN 'checking' ELSE 'checked' END
          FROM (SELECT array_agg(c.status) AS s FROM checks c WHERE c.web_page_id = p.id) statuses)
      `.execute(trx);
      assert.deepEqual(wrong.rows, []);
    });
}
