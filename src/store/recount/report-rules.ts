import { type RawBuilder, sql } from 'kysely';
import { MARK } from '../pages/screenshots.ts';

/** A rule that the rows of a report follow. Selects the rows that break it, as `what`. */
export interface Rule {
  readonly area: 'orphans' | 'states';
  readonly select: RawBuilder<unknown>;
}

/**
 * Builds the rules of a report that the database itself does not enforce: what refers to what, and which states fit together. All
 * transactions follow them, so they hold in every snapshot of a running report.
 * @param report selects its id
 */
export function reportRules(report: RawBuilder<unknown>): readonly Rule[] {
  return [...statesOf(report), ...ownersOf(report)];
}

function statesOf(report: RawBuilder<unknown>): readonly Rule[] {
  const ofReport = sql`FROM reports r CROSS JOIN LATERAL (
      SELECT coalesce(sum(pending), 0) AS pending FROM report_checks WHERE report_id = r.id) p
    WHERE r.id = ${report} AND r.deleted_at IS NULL`;
  const ofPage = sql`FROM checks c JOIN web_pages p ON p.id = c.web_page_id JOIN reports r ON r.id = c.report_id
    WHERE c.report_id = ${report} AND r.deleted_at IS NULL`;
  const selects = [
    sql`SELECT 'the status ' || r.status || ' although ' || CASE WHEN r.crawl_pending THEN 'its crawl is pending'
        WHEN p.pending > 0 THEN p.pending || ' checks are pending' ELSE 'all its work has ended' END AS what ${ofReport}
      AND (r.status IN ('finished', 'failed')) = (r.crawl_pending OR p.pending > 0)`,
    sql`SELECT 'the status ' || r.status || ' without the time of its end' ${ofReport}
      AND (r.status IN ('finished', 'failed') AND r.finished_at IS NULL OR r.status = 'finished' AND r.first_finished_at IS NULL)`,
    sql`SELECT 'kept pages of its end, although nothing changed since' FROM reports r
      WHERE r.id = ${report} AND NOT r.changed_since_end AND EXISTS (
        SELECT FROM web_pages p JOIN pages_before_recheck b ON b.web_page_id = p.id WHERE p.report_id = r.id)`,
    sql`SELECT 'page ' || p.id || ' waits to be fetched again, but no crawl is pending' FROM web_pages p JOIN reports r ON r.id = p.report_id
      WHERE p.report_id = ${report} AND r.deleted_at IS NULL AND p.refetch_pending AND NOT r.crawl_pending`,
    sql`SELECT 'status ' || p.status || ' of page ' || p.id || ' does not follow from its checks' FROM web_pages p
      WHERE p.report_id = ${report} AND p.status <> (
        SELECT CASE WHEN 'failed' = ANY(s) THEN 'failed' WHEN 'checked' <> ALL(s) THEN 'pending'
          WHEN 'pending' = ANY(s) THEN 'checking' ELSE 'checked' END
        FROM (SELECT array_agg(c.status) AS s FROM checks c WHERE c.web_page_id = p.id) statuses)`,
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' never runs: nothing makes it runnable' ${ofPage}
      AND c.status = 'pending' AND NOT c.runnable AND NOT p.refetch_pending`,
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' never runs: its page has no document' ${ofPage}
      AND c.status = 'pending' AND c.runnable AND p.document_hash IS NULL`,
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' has ended, and is claimed' ${ofPage}
      AND c.status <> 'pending' AND c.claimed_by IS NOT NULL`,
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' has failed, and has a raw check' ${ofPage}
      AND c.status = 'failed' AND EXISTS (SELECT FROM raw_checks w WHERE w.web_page_id = c.web_page_id AND w.kind = c.kind)`,
    sql`SELECT 're-check ' || w.recheck_id || ' waits for a check of page ' || w.web_page_id || ' that has ended' FROM rechecks k
      JOIN recheck_checks w ON w.recheck_id = k.id JOIN checks c ON c.web_page_id = w.web_page_id AND c.kind = w.kind
      WHERE k.report_id = ${report} AND c.status <> 'pending'`,
    sql`SELECT 'empty common issue ' || id FROM common_issues WHERE report_id = ${report} AND how_many + muted_how_many = 0`,
    sql`SELECT CASE WHEN i.muted THEN 'muted' ELSE 'unmuted' END || ' issue ' || i.id FROM issues i
      JOIN common_issues c ON c.id = i.common_issue_id
      WHERE i.report_id = ${report} AND i.muted <> (i.mutings IS NOT NULL OR c.uncounted)`,
    sql`SELECT 'a session of its login, although it has ended' FROM login_sessions s JOIN reports r ON r.id = s.report_id
      WHERE r.id = ${report} AND r.status IN ('finished', 'failed') AND s.session_sealed IS NOT NULL`,
  ];
  return selects.map((select) => ({ area: 'states', select }));
}

function ownersOf(report: RawBuilder<unknown>): readonly Rule[] {
  const ofIssue = (tables: RawBuilder<unknown>) => sql`SELECT 'issue ' || i.id ${tables}`;
  const selects = [
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' has another report than its page' AS what
      FROM checks c JOIN web_pages p ON p.id = c.web_page_id WHERE c.report_id = ${report} AND p.report_id <> c.report_id`,
    ofIssue(sql`|| ' has another report than its page or type' FROM issues i JOIN web_pages p ON p.id = i.web_page_id
      JOIN common_issues k ON k.id = i.common_issue_id
      WHERE i.report_id = ${report} AND (p.report_id <> i.report_id OR k.report_id <> i.report_id OR k.kind <> i.kind)`),
    ofIssue(sql`|| ' has no check' FROM issues i WHERE i.report_id = ${report} AND NOT EXISTS (
      SELECT FROM checks c WHERE c.web_page_id = i.web_page_id AND c.kind = i.kind)`),
    ofIssue(sql`|| ' has the decision ' || i.decision_id || ', which does not exist' FROM issues i
      WHERE i.report_id = ${report} AND i.decision_id IS NOT NULL AND NOT EXISTS (SELECT FROM decisions d WHERE d.id = i.decision_id)`),
    ofIssue(sql`|| ' has the muting ' || m.id || ', which does not exist' FROM issues i, unnest(i.mutings) AS m (id)
      JOIN reports r ON r.id = ${report} AND r.deleted_at IS NULL
      WHERE i.report_id = ${report} AND NOT EXISTS (SELECT FROM mutings WHERE mutings.id = m.id)`),
    sql`SELECT 'check of page ' || c.web_page_id || ' ' || c.kind || ' has a list of resources that does not exist' FROM checks c
      JOIN reports r ON r.id = c.report_id AND r.deleted_at IS NULL
      WHERE c.report_id = ${report} AND c.resource_list IS NOT NULL AND NOT EXISTS (
        SELECT FROM resource_lists l WHERE l.report_id = c.report_id AND l.hash = c.resource_list)`,
    ...['raw_checks', 'screenshots', 'former_issues'].map(
      (
        table,
      ) => sql`SELECT DISTINCT ${sql.lit(`row of ${table} of page `)} || x.web_page_id || ' ' || x.kind || ' has no check'
        FROM web_pages p JOIN ${sql.table(table)} x ON x.web_page_id = p.id
        WHERE p.report_id = ${report} AND x.kind <> ${sql.lit(MARK)}
          AND NOT EXISTS (SELECT FROM checks c WHERE c.web_page_id = p.id AND c.kind = x.kind)`,
    ),
  ];
  return selects.map((select) => ({ area: 'orphans', select }));
}
