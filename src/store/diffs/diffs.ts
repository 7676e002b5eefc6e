import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { ChangedIssues } from '../../issues/changed-issues.ts';
import type { IssueTypeChange } from '../../issues/type-changes.ts';
import type { Executor } from '../database.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import { type ResultsAt, resultsToRead, typedIssuesAt } from '../reports/results-at-end.ts';
import type { Diff, Schema } from '../schema.ts';
import { TOTALS } from './change-totals.ts';
import { saveChangedIssues } from './issues-by-change.ts';
import { keepPageChanges } from './page-changes.ts';
import { matchPages } from './page-match.ts';
import { keepPassingPages } from './passing-pages.ts';
import { isOfAttention, type ReportState } from './pending-insights.ts';

/** Which results of the two reports were read. */
interface ComparedResults {
  readonly at: ResultsAt;
  readonly atBefore: ResultsAt;
}

/** The result of a diff. */
export interface FoundChanges extends ComparedResults {
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
  /** The results of the report. */
  readonly at: ResultsAt;
  readonly reportState: ReportState;
  readonly withState: ReportState;
}

/** Who requested a diff: someone who may change the report, or a reader of it. */
export type ComparedFor = 'owner' | 'reader';

/** The number of diffs with reports other than the previous one to keep for each of `ComparedFor`. */
const KEPT_MAX = 10;

/**
 * Replaces the diff of a report with another report. For reports other than the previous one, the latest diffs are kept. The diff
 * of the results at the report's end is also the diff of the results now until something changes them.
 * @param of who requested it; a diff that the owner has requested stays the owner's
 * @returns false, with nothing saved, if the results to read at the end of one of the reports are no longer the ones that were
 *   read
 */
export async function saveDiff(
  { trx, reportId }: ReportTransaction,
  { withId, isPrevious, at, reportState, withState }: ComparedReports,
  { kinds, types, changed, at: report, atBefore: before }: FoundChanges,
  of: ComparedFor = 'owner',
): Promise<boolean> {
  if ((await resultsToRead(trx, reportId, at)) !== report) return false;
  if ((await resultsToRead(trx, withId, 'end')) !== before) return false;
  const isEnd = at === 'end';
  // If they are unchanged since the end, these are also the results now.
  const isNow = report === 'now';
  const same = sql<SqlBool>`report_id = ${reportId} AND (with_id = ${withId} OR is_previous AND ${isPrevious})`;
  const { rows: former } = await sql<{ for_reader: boolean }>`
    DELETE FROM diffs WHERE ${same} AND (${isEnd} OR NOT is_end) AND (${isNow} OR NOT is_now) RETURNING for_reader`.execute(
    trx,
  );
  const { rows: kept } = await sql<{ for_reader: boolean }>`
    UPDATE diffs SET is_end = is_end AND NOT ${isEnd}, is_now = is_now AND NOT ${isNow}
    WHERE ${same} AND is_end AND is_now RETURNING for_reader`.execute(trx);
  const forReader = of === 'reader' && [...former, ...kept].every((diff) => diff.for_reader);
  const { rows } = await sql<{ id: number }>`
    INSERT INTO diffs (report_id, with_id, is_previous, is_end, is_now, report_state, with_state, for_reader)
    VALUES (${reportId}, ${withId}, ${isPrevious}, ${isEnd}, ${isNow}, ${reportState}::timestamptz, ${withState}::timestamptz,
      ${forReader}) RETURNING id`.execute(trx);
  const id = rows[0]?.id ?? 0;
  const read = { id, reportId, withId, at: report, atBefore: before };
  const match = await matchPages(trx, reportId, withId);
  const { broken, recovered } = await keepPageChanges(trx, { ...read, match, kinds });
  await keepPassingPages(trx, { ...read, match, kinds });
  await saveTypeChanges(trx, read, types);
  await sql`
    UPDATE diffs c SET new = s.new, persisting = s.persisting, fixed = s.fixed, regressed = s.regressed,
      not_checked_before = s.not_checked_before, unverified = s.unverified, decided = s.decided, worse_critical = s.worse_critical, worse_errors = s.worse_errors,
      broken_pages = ${broken}, recovered_pages = ${recovered}
    FROM (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = ${id}) s WHERE c.id = ${id}`.execute(trx);
  // Lists of occurrences show changes of the results now since the previous report.
  if (isPrevious && isNow) await saveChangedIssues(trx, id, changed);
  await removeOldDiffs(trx, reportId);
  return true;
}

/**
 * Saves the changes of issue types, with the numbers of their occurrences and pages in both reports. Both reports are read in one
 * pass, because PostgreSQL expects only a few given types, and would search all types of a report again for each of them.
 */
async function saveTypeChanges(
  trx: Transaction<Schema>,
  { id, reportId, withId, at, atBefore }: ReadDiff & ComparedResults,
  types: readonly IssueTypeChange[],
): Promise<void> {
  await sql`
    WITH given AS (
      SELECT kind, decode(fingerprint, 'hex') AS fingerprint, change, occurrences, worse, cause, causes, decided, sample
      FROM jsonb_to_recordset(${JSON.stringify(types)}::jsonb)
        AS u(kind text, fingerprint text, change text, occurrences jsonb, worse bigint, cause text, causes jsonb, decided jsonb,
          sample jsonb)
    ), counted AS (
      ${countedTypes(reportId, at)} UNION ALL ${countedTypes(withId, atBefore)}
    ), described AS (
      SELECT DISTINCT ON (kind, fingerprint) kind, fingerprint, issue_type, message, rule_id, impact, rank,
        ${inReport('how_many', reportId)} AS how_many, ${inReport('how_many', withId)} AS how_many_before,
        ${inReport('num_web_pages', reportId)} AS num_web_pages, ${inReport('num_web_pages', withId)} AS num_web_pages_before
      FROM counted WINDOW type AS (PARTITION BY kind, fingerprint)
      ORDER BY kind, fingerprint, report_id = ${reportId} DESC
    )
    INSERT INTO issue_changes (diff_id, position, kind, fingerprint, change, occurrences, worse, cause, causes, decided, issue_type,
      message, rule_id, impact, how_many, how_many_before, num_web_pages, num_web_pages_before, sample_issue_id, sample_occurrence)
    SELECT ${id}::bigint, row_number() OVER (
        ORDER BY CASE WHEN g.worse > 0 THEN 0 WHEN g.change IN ('persisting', 'not_checked_before') THEN 2 ELSE 1 END, d.rank, g.worse DESC,
          coalesce(d.how_many, d.how_many_before) DESC, d.message),
      g.kind, g.fingerprint, g.change, g.occurrences, g.worse, g.cause, g.causes, g.decided, d.issue_type, d.message, d.rule_id, d.impact,
      coalesce(d.how_many, 0), coalesce(d.how_many_before, 0), coalesce(d.num_web_pages, 0), coalesce(d.num_web_pages_before, 0),
      (g.sample->>'issueId')::bigint, (g.sample->>'position')::integer
    FROM given g JOIN described d USING (kind, fingerprint)`.execute(trx);
}

/** Selects a count of an issue type in one of the reports; null if the report does not have the type. */
function inReport(name: 'how_many' | 'num_web_pages', reportId: string): RawBuilder<number | null> {
  return sql<number | null>`max(${sql.ref(name)}) FILTER (WHERE report_id = ${reportId}) OVER type`;
}

/** Selects the issue types of a report, with the numbers of their occurrences and pages. */
function countedTypes(reportId: string, at: ResultsAt): RawBuilder<unknown> {
  const about = (name: string) => sql`(array_agg(${sql.ref(name)} ORDER BY how_many DESC))[1]`;
  const description = sql`${about('issue_type')} AS issue_type, ${about('message')} AS message, ${about('rule_id')} AS rule_id,
    ${about('impact')} AS impact, ${about('rank')} AS rank`;
  if (at === 'end') {
    return sql`
      SELECT report_id, kind, type_fingerprint AS fingerprint, ${description}, coalesce(sum(how_many) FILTER (WHERE NOT muted), 0) AS how_many,
        count(DISTINCT web_page_id) FILTER (WHERE NOT muted) AS num_web_pages
      FROM ${typedIssuesAt(at)} i WHERE report_id = ${reportId} GROUP BY report_id, kind, type_fingerprint`;
  }
  return sql`
    SELECT report_id, kind, fingerprint, ${description}, sum(how_many) AS how_many,
      CASE count(*) WHEN 1 THEN max(num_web_pages) ELSE (
        SELECT count(DISTINCT i.web_page_id) FROM issues i WHERE i.common_issue_id = ANY(array_agg(c.id)) AND NOT i.muted
      ) END AS num_web_pages
    FROM common_issues c WHERE report_id = ${reportId} GROUP BY report_id, kind, fingerprint`;
}

async function removeOldDiffs(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    DELETE FROM diffs WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY for_reader ORDER BY id DESC) AS rank
        FROM diffs WHERE report_id = ${reportId} AND NOT is_previous AND NOT ${isOfAttention(sql`diffs`)}) listed
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
export interface KeptDiff
  extends Pick<Diff, 'id' | 'with_id' | 'is_previous' | 'is_end' | 'is_now' | 'for_reader' | 'lists_issues'> {
  /** Whether both reports are still in the states that were compared. */
  readonly is_current: boolean;
}

/** Returns the diff between a report, with its results at the end or now, and another report or the previous one. */
export async function findDiff(
  db: Executor,
  reportId: string,
  withId: string | 'previous',
  at: ResultsAt,
): Promise<KeptDiff | undefined> {
  const which = withId === 'previous' ? sql`c.is_previous` : sql`c.with_id = ${withId}`;
  const { rows } = await sql<KeptDiff>`
    SELECT c.id, c.with_id, c.is_previous, c.is_end, c.is_now, c.for_reader, c.lists_issues,
      ${isCurrent(at)} AS is_current
    FROM diffs c JOIN reports r ON r.id = c.report_id JOIN reports w ON w.id = c.with_id
    WHERE c.report_id = ${reportId} AND w.deleted_at IS NULL AND ${which} AND ${at === 'end' ? sql`c.is_end` : sql`c.is_now`}`.execute(
    db,
  );
  return rows[0];
}

/** Whether the diff `c` compares the current states of the reports `r` and `w`. */
function isCurrent(at: ResultsAt): RawBuilder<boolean> {
  const isOfEnd = at === 'end' ? sql`true` : sql`c.is_end AND NOT r.changed_since_end`;
  return sql<boolean>`c.with_state = w.end_results_at
    AND c.report_state = CASE WHEN ${isOfEnd} THEN r.end_results_at ELSE r.results_at END`;
}

export interface ReadDiff {
  readonly id: number;
  readonly reportId: string;
  readonly withId: string;
}
