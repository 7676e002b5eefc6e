import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { ChangedIssues } from '../../issues/changed-issues.ts';
import type { IssueTypeChange } from '../../issues/type-changes.ts';
import type { Executor } from '../database.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import type { Diff, Schema } from '../schema.ts';
import { TOTALS } from './change-totals.ts';
import { saveChangedIssues } from './issues-by-change.ts';
import { keepPageChanges } from './page-changes.ts';
import { matchPages } from './page-match.ts';
import type { ReportState } from './pending-insights.ts';

/** The result of a diff. */
export interface FoundChanges {
  /** The kinds of check that were compared. */
  readonly kinds: readonly CheckKind[];
  readonly types: readonly IssueTypeChange[];
  /** The positions of the occurrences with each change; null if there are too many issues. */
  readonly changed: readonly ChangedIssues[] | null;
}

/** Two reports, and the states in which they were compared. */
export interface ComparedReports {
  readonly withId: string;
  readonly isPrevious: boolean;
  readonly reportState: ReportState;
  readonly withState: ReportState;
}

/** Who asked for a diff: those who may change the report, or a reader of it. */
export type ComparedFor = 'owner' | 'reader';

/** The number of diffs with reports other than the previous one to keep for each of `ComparedFor`. */
const KEPT_MAX = 10;

/**
 * Replaces the diff of a report with another report. For reports other than the previous one, the latest diffs are kept.
 * @param of who requested it; diffs that the owner has requested stay the owner's
 */
export async function saveDiff(
  { trx, reportId }: ReportTransaction,
  { withId, isPrevious, reportState, withState }: ComparedReports,
  { kinds, types, changed }: FoundChanges,
  of: ComparedFor = 'owner',
): Promise<void> {
  const { rows: former } = await sql<{ for_reader: boolean }>`
    DELETE FROM diffs WHERE report_id = ${reportId} AND (with_id = ${withId} OR is_previous AND ${isPrevious})
    RETURNING for_reader`.execute(trx);
  const forReader = of === 'reader' && former.every((diff) => diff.for_reader);
  const { rows } = await sql<{ id: number }>`
    INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state, for_reader)
    VALUES (${reportId}, ${withId}, ${isPrevious}, ${reportState}::timestamptz, ${withState}::timestamptz, ${forReader}) RETURNING id`.execute(
    trx,
  );
  const id = rows[0]?.id ?? 0;
  const pages = { id, reportId, withId, match: await matchPages(trx, reportId, withId) };
  const { broken, recovered } = await keepPageChanges(trx, { ...pages, kinds });
  await saveTypeChanges(trx, { id, reportId, withId }, types);
  await sql`
    UPDATE diffs c SET new = s.new, persisting = s.persisting, fixed = s.fixed, regressed = s.regressed,
      not_checked_before = s.not_checked_before, unverified = s.unverified, worse_critical = s.worse_critical, worse_errors = s.worse_errors,
      broken_pages = ${broken}, recovered_pages = ${recovered}
    FROM (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = ${id}) s WHERE c.id = ${id}`.execute(trx);
  // Lists of occurrences show changes since the previous report.
  if (isPrevious) await saveChangedIssues(trx, id, changed);
  await removeOldDiffs(trx, reportId);
}

/** Saves the changes of issue types, with the numbers of their occurrences and pages in both reports. */
async function saveTypeChanges(
  trx: Transaction<Schema>,
  { id, reportId, withId }: ReadDiff,
  types: readonly IssueTypeChange[],
): Promise<void> {
  await sql`
    WITH given AS (
      SELECT kind, decode(fingerprint, 'hex') AS fingerprint, change, occurrences, worse, cause, causes, sample
      FROM jsonb_to_recordset(${JSON.stringify(types)}::jsonb)
        AS u(kind text, fingerprint text, change text, occurrences jsonb, worse bigint, cause text, causes jsonb, sample jsonb)
    ), described AS (
      SELECT DISTINCT ON (c.kind, c.fingerprint) c.kind, c.fingerprint, c.issue_type, c.message, c.rule_id, c.impact, c.rank
      FROM common_issues c WHERE c.report_id IN (${reportId}, ${withId})
      ORDER BY c.kind, c.fingerprint, c.report_id = ${reportId} DESC
    ), counted AS (
      SELECT report_id, kind, fingerprint, sum(how_many) AS how_many, CASE count(*) WHEN 1 THEN max(num_web_pages) ELSE (
          SELECT count(DISTINCT i.web_page_id) FROM issues i WHERE i.common_issue_id = ANY(array_agg(c.id)) AND NOT i.muted
        ) END AS num_web_pages
      FROM common_issues c WHERE report_id IN (${reportId}, ${withId})
      GROUP BY report_id, kind, fingerprint
    )
    INSERT INTO issue_changes (diff_id, position, kind, fingerprint, change, occurrences, worse, cause, causes, issue_type, message,
      rule_id, impact, how_many, how_many_before, num_web_pages, num_web_pages_before, sample_issue_id, sample_occurrence)
    SELECT ${id}::bigint, row_number() OVER (
        ORDER BY CASE WHEN g.worse > 0 THEN 0 WHEN g.change IN ('persisting', 'not_checked_before') THEN 2 ELSE 1 END, d.rank, g.worse DESC,
          coalesce(n.how_many, b.how_many) DESC, d.message),
      g.kind, g.fingerprint, g.change, g.occurrences, g.worse, g.cause, g.causes, d.issue_type, d.message, d.rule_id, d.impact,
      coalesce(n.how_many, 0), coalesce(b.how_many, 0), coalesce(n.num_web_pages, 0), coalesce(b.num_web_pages, 0),
      (g.sample->>'issueId')::bigint, (g.sample->>'position')::integer
    FROM given g JOIN described d USING (kind, fingerprint)
      LEFT JOIN counted n ON n.report_id = ${reportId} AND n.kind = g.kind AND n.fingerprint = g.fingerprint
      LEFT JOIN counted b ON b.report_id = ${withId} AND b.kind = g.kind AND b.fingerprint = g.fingerprint`.execute(
    trx,
  );
}

async function removeOldDiffs(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    DELETE FROM diffs WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY for_reader ORDER BY id DESC) AS rank
        FROM diffs WHERE report_id = ${reportId} AND NOT is_previous) listed
      WHERE rank > ${KEPT_MAX})`.execute(trx);
}

/** Keeps a diff that a reader has requested as a diff of the owner, who has now requested it. */
export async function keepForOwner(db: Executor, reportId: string, { id, for_reader }: KeptDiff): Promise<void> {
  if (!for_reader) return;
  await reportTransaction(db, reportId, async ({ trx, markUnchanged }) => {
    markUnchanged();
    await trx.updateTable('diffs').set({ for_reader: false }).where('id', '=', id).execute();
    await removeOldDiffs(trx, reportId);
  });
}

/** Removes the diff with the previous report, which no longer exists. */
export async function removePreviousDiff({ trx, reportId }: ReportTransaction): Promise<void> {
  await sql`DELETE FROM diffs WHERE report_id = ${reportId} AND is_previous`.execute(trx);
}

/** A stored diff. */
export interface KeptDiff extends Pick<Diff, 'id' | 'with_id' | 'is_previous' | 'for_reader' | 'lists_issues'> {
  /** Whether both reports are still in the states that were compared. */
  readonly is_current: boolean;
}

/** Returns the diff with a report, or with the previous report. */
export async function findDiff(
  db: Executor,
  reportId: string,
  withId: string | 'previous',
): Promise<KeptDiff | undefined> {
  const which = withId === 'previous' ? sql`c.is_previous` : sql`c.with_id = ${withId}`;
  const { rows } = await sql<KeptDiff>`
    SELECT c.id, c.with_id, c.is_previous, c.for_reader, c.lists_issues, c.report_state = r.results_at AND c.with_state = w.results_at AS is_current
    FROM diffs c JOIN reports r ON r.id = c.report_id JOIN reports w ON w.id = c.with_id
    WHERE c.report_id = ${reportId} AND w.deleted_at IS NULL AND ${which}`.execute(db);
  return rows[0];
}

export interface ReadDiff {
  readonly id: number;
  readonly reportId: string;
  readonly withId: string;
}
