import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { noneOf } from '../../domain/amounts.ts';
import { CHANGE_NAMES, CHANGES, type Change, type ChangeName } from '../../domain/change.ts';
import { type CheckKind, IMPACTS } from '../../domain/check.ts';
import type { ChangedIssues } from '../../issues/changed-issues.ts';
import type { IssueTypeChange } from '../../issues/type-changes.ts';
import { type Database, type Executor, inSnapshot } from '../database.ts';
import { type Occurrence, readSingleOccurrences } from '../issues/occurrences.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import { previousReport } from '../reports/sites.ts';
import type { Diff, IssueChange, Schema } from '../schema.ts';
import { type ShownChange, shownChange } from './change-counts.ts';
import { saveChangedIssues } from './changed-issues.ts';
import { keepPageChanges, pageCounts } from './page-changes.ts';
import { matchPages } from './page-match.ts';

/** What a diff found. */
export interface FoundChanges {
  /** The kinds of check that were compared. */
  readonly kinds: readonly CheckKind[];
  readonly types: readonly IssueTypeChange[];
  /** Where occurrences with each change are; null if there are too many issues. */
  readonly changed: readonly ChangedIssues[] | null;
}

/** When the results of a report changed last, as PostgreSQL writes it: dates of JavaScript have no microseconds. */
export type ReportState = string;

/** Two reports, and the states in which they were compared. */
export interface ComparedReports {
  readonly withId: string;
  readonly isPrevious: boolean;
  readonly reportState: ReportState;
  readonly withState: ReportState;
}

/** A finished report whose answers have to be computed. */
export interface UnansweredReport {
  readonly id: string;
  /** The state that the answers are for. */
  readonly state: ReportState;
}

/**
 * Claims the latest finished report that waits for its answers, for `seconds`; undefined if none is free. An upgrade can have all
 * reports answered again, and those that end meanwhile do not wait for them.
 */
export async function claimPendingInsights(db: Executor, seconds: number): Promise<UnansweredReport | undefined> {
  const { rows } = await sql<UnansweredReport>`
    UPDATE reports SET insights_claimed_until = now() + make_interval(secs => ${seconds})
    WHERE id = (
      SELECT id FROM reports
      WHERE insights_pending AND deleted_at IS NULL AND (insights_claimed_until IS NULL OR insights_claimed_until < now())
      ORDER BY finished_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id, results_at::text AS state`.execute(db);
  return rows[0];
}

export async function stateOf(db: Executor, reportId: string): Promise<ReportState | undefined> {
  const { rows } = await sql<{ state: ReportState }>`
    SELECT results_at::text AS state FROM reports WHERE id = ${reportId} AND deleted_at IS NULL`.execute(db);
  return rows[0]?.state;
}

/**
 * Marks the answers of a report as computed, unless it has changed in the meantime, or the report before it. Ends the claim.
 * @param previous the report that it was compared with, and its state then; undefined for none
 */
export async function markInsightsComputed(
  { trx, reportId }: ReportTransaction,
  state: ReportState,
  previous: Pick<ComparedReports, 'withId' | 'withState'> | undefined,
): Promise<void> {
  const before = await previousReport(trx, reportId);
  const beforeState = before && (await stateOf(trx, before.id));
  const isStale = before?.id !== previous?.withId || beforeState !== previous?.withState;
  await sql`UPDATE reports SET insights_pending = ${isStale} OR results_at <> ${state}::timestamptz,
    insights_claimed_until = NULL WHERE id = ${reportId}`.execute(trx);
}

/** Returns how many occurrences of a row of `issue_changes` have a change. */
function occurrencesOf(change: Change): RawBuilder<number> {
  return sql<number>`coalesce((occurrences->>${sql.lit(change)})::bigint, 0)`;
}

/** The occurrences that were not there before. */
const WORSE = sql`${occurrencesOf('new')} + ${occurrencesOf('regressed')}`;

/** Adds up rows of `issue_changes` to the totals of a diff. */
const TOTALS = sql`
  ${sql.join(CHANGES.map((change) => sql`coalesce(sum(${occurrencesOf(change)}), 0) AS ${sql.ref(change)}`))},
  coalesce(sum(${WORSE}) FILTER (WHERE issue_type = 'error' AND impact = 'critical'), 0) AS worse_critical,
  coalesce(sum(${WORSE}) FILTER (WHERE issue_type = 'error'), 0) AS worse_errors`;

/** Who asked for a diff: those who may change the report, or a reader of it. */
export type ComparedFor = 'owner' | 'reader';

/** Diffs that are kept of a report with others than the previous one, for each of `ComparedFor`. */
const KEPT_MAX = 10;

/**
 * Replaces the diff of a report with another one. Of others than the previous report, the latest ones are kept.
 * @param of who asked for it; what the owner has asked for stays the owner's
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
      found_again = s.found_again, unverified = s.unverified, worse_critical = s.worse_critical, worse_errors = s.worse_errors,
      broken_pages = ${broken}, recovered_pages = ${recovered}
    FROM (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = ${id}) s WHERE c.id = ${id}`.execute(trx);
  // Lists of occurrences are of changes since the previous report.
  if (isPrevious) await saveChangedIssues(trx, id, changed);
  await removeOldDiffs(trx, reportId);
}

/** Saves what became of issue types, with how often and on how many pages both reports have them. */
async function saveTypeChanges(
  trx: Transaction<Schema>,
  { id, reportId, withId }: ReadDiff,
  types: readonly IssueTypeChange[],
): Promise<void> {
  await sql`
    WITH given AS (
      SELECT kind, decode(fingerprint, 'hex') AS fingerprint, change, occurrences, cause, causes, sample
      FROM jsonb_to_recordset(${JSON.stringify(types)}::jsonb)
        AS u(kind text, fingerprint text, change text, occurrences jsonb, cause text, causes jsonb, sample jsonb)
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
    INSERT INTO issue_changes (diff_id, position, kind, fingerprint, change, occurrences, cause, causes, issue_type, message,
      rule_id, impact, how_many, how_many_before, num_web_pages, num_web_pages_before, sample_issue_id, sample_occurrence)
    SELECT ${id}::bigint, row_number() OVER (
        ORDER BY CASE WHEN ${WORSE} > 0 THEN 0 WHEN g.change IN ('persisting', 'found_again') THEN 2 ELSE 1 END, d.rank, ${WORSE} DESC,
          coalesce(n.how_many, b.how_many) DESC, d.message),
      g.kind, g.fingerprint, g.change, g.occurrences, g.cause, g.causes, d.issue_type, d.message, d.rule_id, d.impact,
      coalesce(n.how_many, 0), coalesce(b.how_many, 0), coalesce(n.num_web_pages, 0), coalesce(b.num_web_pages, 0),
      (g.sample->>'issueId')::bigint, (g.sample->>'occurrence')::integer
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

/** Keeps a diff that a reader has asked for as one of the owner, who has asked for it now. */
export async function keepForOwner(db: Executor, reportId: string, { id, for_reader }: KeptDiff): Promise<void> {
  if (!for_reader) return;
  await reportTransaction(db, reportId, async ({ trx, markUnchanged }) => {
    markUnchanged();
    await trx.updateTable('diffs').set({ for_reader: false }).where('id', '=', id).execute();
    await removeOldDiffs(trx, reportId);
  });
}

/** Removes the diff with the previous report, because there is none any more. */
export async function removePreviousDiff({ trx, reportId }: ReportTransaction): Promise<void> {
  await sql`DELETE FROM diffs WHERE report_id = ${reportId} AND is_previous`.execute(trx);
}

/**
 * Marks the reports to be compared again that were compared with another state of a report, or that follow it and were compared
 * with an earlier one, because it ended after them.
 */
export async function compareLaterReports(db: Database, withId: string): Promise<void> {
  await askForAnswers(
    db,
    sql`NOT insights_pending AND id IN (
    SELECT c.report_id FROM diffs c JOIN reports w ON w.id = c.with_id
    WHERE c.with_id = ${withId} AND c.is_previous AND (c.with_state <> w.results_at OR w.deleted_at IS NOT NULL)
    UNION ALL
    SELECT next.id FROM reports w CROSS JOIN LATERAL (
      SELECT id FROM reports
      WHERE site_id = w.site_id AND (inserted_at, id) > (w.inserted_at, w.id)
        AND finished_at IS NOT NULL AND status <> 'failed' AND deleted_at IS NULL
      ORDER BY inserted_at, id LIMIT 1
    ) next
    WHERE w.id = ${withId} AND w.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM diffs c WHERE c.report_id = next.id AND c.with_id = w.id AND c.is_previous))`,
  );
}

/** Marks the finished ones of some reports to be answered again. They are locked in the order of their ids to avoid deadlocks. */
export async function askForAnswers(db: Executor, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    UPDATE reports SET insights_pending = true
    FROM (SELECT id FROM reports WHERE status = 'finished' AND ${which} ORDER BY id FOR NO KEY UPDATE) locked
    WHERE reports.id = locked.id`.execute(db);
}

/** What has changed since the previous report of the site, with what is worse. */
export interface ChangeCounts extends ShownChange {
  /** New and regressed errors. */
  readonly new_errors: number;
  /** Those of them with the impact critical. */
  readonly new_critical: number;
}

function changeJson(totals: RawBuilder<unknown>, pages: RawBuilder<unknown>): RawBuilder<ChangeCounts> {
  return sql`${shownChange(totals, pages)}
    || jsonb_build_object('new_errors', ${totals}.worse_errors, 'new_critical', ${totals}.worse_critical)`;
}

/**
 * Selects the change of a report of the row of `sites` as JSON; null before it is compared, or without a previous report that the
 * account can read: a host reads the reports that its guest created as such.
 * @param run the row of `reports`
 * @param kinds the kinds of check whose occurrences count; null for all of them, whose totals are kept
 */
export function changeOfRun(
  run: 'last' | 'run',
  accountId: string,
  kinds: readonly CheckKind[] | null,
): RawBuilder<ChangeCounts | null> {
  const totals = kinds === null ? sql`c` : sql`t`;
  const pages = kinds === null ? sql`c` : sql`p`;
  const report = sql.ref(run);
  return sql`(
    SELECT ${changeJson(totals, pages)}
    FROM diffs c ${kinds === null ? sql`` : totalsOf(kinds)} WHERE c.report_id = ${report}.id AND c.is_previous
      AND (sites.account_id = ${accountId} OR EXISTS (
        SELECT FROM reports w WHERE w.id = c.with_id AND w.guest_account_id = ${report}.guest_account_id)))`;
}

/**
 * Returns how many occurrences and pages have changed since the previous report, and the diff that says so; undefined before they are
 * compared, and without a previous report.
 * @param kinds the kinds of check that count
 */
export async function changesSincePrevious(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
): Promise<{ readonly id: number; readonly withId: string; readonly change: ChangeCounts } | undefined> {
  const { rows } = await sql<{ id: number; withId: string; change: ChangeCounts }>`
    SELECT c.id, c.with_id AS "withId", ${changeJson(sql`t`, sql`p`)} AS change
    FROM diffs c ${totalsOf(kinds)} WHERE c.report_id = ${reportId} AND c.is_previous`.execute(db);
  return rows[0];
}

/** Joins the diff `c` with its totals for some kinds of check as `t`, and with its counts of pages as `p`. */
function totalsOf(kinds: readonly CheckKind[]): RawBuilder<unknown> {
  return sql`CROSS JOIN LATERAL (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = c.id AND kind = ANY(${kinds})) t
    CROSS JOIN LATERAL (${pageCounts(sql.ref('c.report_id'), sql.ref('c.with_id'), kinds)}) p`;
}

/** A stored diff. */
export interface KeptDiff extends Pick<Diff, 'id' | 'with_id' | 'is_previous' | 'for_reader' | 'lists_issues'> {
  /** Whether both reports are still in the states that were compared. */
  readonly is_current: boolean;
}

/** Returns the diff with a report, or with the previous one. */
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

/**
 * Builds the condition that an issue type has one of the changes: occurrences with it, or `more` or `fewer` of them than before, so that
 * a filter finds what the counts of occurrences count.
 */
export function hasChange(
  change: RawBuilder<unknown>,
  occurrences: RawBuilder<unknown>,
  wanted: readonly ChangeName[],
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(coalesce(jsonb_exists_any(${occurrences}, ${[...wanted]}::text[]), false) OR ${change} = ANY(${wanted.filter((name) => name === 'more' || name === 'fewer')}::text[]))`;
}

/** Which changes to list. */
export interface ChangeFilter {
  readonly kinds: readonly CheckKind[];
  readonly changes?: readonly ChangeName[] | undefined;
  /** Orders by severity, errors first; by default, what got worse is first. */
  readonly worstFirst?: boolean;
}

/** What became of an issue type, with the common issue that lists its occurrences. */
export interface ListedChange extends IssueChange {
  /** In the report if it is still there, else in the earlier one; null if it is in neither any more. */
  readonly common_issue: { readonly id: number; readonly report_id: string } | null;
  /** One of the occurrences in the report; null if they are not in it, or its page has been checked again. */
  readonly sample: Occurrence | null;
}

interface ReadDiff {
  readonly id: number;
  readonly reportId: string;
  readonly withId: string;
}

/**
 * Returns a page of what changed, and the occurrences of each change, from one snapshot.
 * @returns null if the diff has been replaced since
 */
export function readIssueChanges(
  db: Executor,
  diff: ReadDiff,
  filter: ChangeFilter,
  page: PageRequest,
): Promise<{ readonly page: ListPage<ListedChange>; readonly counts: ChangedCounts } | null> {
  return inSnapshot(db, async (trx) => {
    const kept = trx.selectFrom('diffs').select('id').where('id', '=', diff.id);
    if ((await kept.executeTakeFirst()) === undefined) return null;
    return {
      page: await listIssueChanges(trx, diff, filter, page),
      counts: await countChanges(trx, diff.id, filter.kinds),
    };
  });
}

/** Returns a page of what changed: what is new first, then by severity. */
export async function listIssueChanges(
  db: Executor,
  diff: ReadDiff,
  { kinds, changes, worstFirst = false }: ChangeFilter,
  page: PageRequest,
): Promise<ListPage<ListedChange>> {
  const { id, reportId, withId } = diff;
  let list = db.selectFrom('issue_changes').where('diff_id', '=', id);
  list = list.where('kind', 'in', kinds);
  if (changes !== undefined) list = list.where(hasChange(sql.ref('change'), sql.ref('occurrences'), changes));
  const severity = sql<number>`CASE WHEN issue_type <> 'error' THEN 0 WHEN impact IS NULL THEN 3 ELSE array_position(${[...IMPACTS]}::text[], impact) END`;
  const { total, rows } = await listPage(list, page, (shown) =>
    (worstFirst ? shown.selectAll().orderBy(severity, 'desc') : shown.selectAll()).orderBy('position'),
  );
  if (rows.length === 0) return { total, rows: [] };
  const samples = await samplesOf(db, rows);
  const { rows: common } = await sql<{ id: number; report_id: string; kind: CheckKind; fingerprint: Buffer }>`
    SELECT id, report_id, kind, fingerprint FROM common_issues
    WHERE report_id IN (${reportId}, ${withId}) AND kind = ANY(${kinds})
      AND fingerprint = ANY(${rows.map(({ fingerprint }) => fingerprint)})`.execute(db);
  const keyOf = (of: string, kind: CheckKind, fingerprint: Buffer): string =>
    `${of} ${kind} ${fingerprint.toString('hex')}`;
  const known = new Map(common.map((issue) => [keyOf(issue.report_id, issue.kind, issue.fingerprint), issue.id]));
  const find = (of: string, { kind, fingerprint }: IssueChange) => {
    const found = known.get(keyOf(of, kind, fingerprint));
    return found === undefined ? null : { id: found, report_id: of };
  };
  return {
    total,
    rows: rows.map((row) => ({
      ...row,
      common_issue: find(reportId, row) ?? find(withId, row),
      sample: samples.get(`${row.sample_issue_id}-${row.sample_occurrence}`) ?? null,
    })),
  };
}

/** Returns the sample occurrences of changes, by issue and position. */
async function samplesOf(db: Executor, changes: readonly IssueChange[]): Promise<ReadonlyMap<string, Occurrence>> {
  const wanted = changes.flatMap(({ sample_issue_id: issue, sample_occurrence: occurrence }) =>
    issue === null || occurrence === null ? [] : [{ issue, occurrence }],
  );
  return new Map(
    (await readSingleOccurrences(db, wanted)).map((occurrence) => [
      `${occurrence.issue_id}-${occurrence.occurrence}`,
      occurrence,
    ]),
  );
}

/** What a diff counts. */
export interface ChangedCounts {
  /** Occurrences with each change. */
  readonly occurrences: Readonly<Record<Change, number>>;
  /** Issue types that a filter by each name finds. */
  readonly issueTypes: Readonly<Record<ChangeName, number>>;
}

/** The occurrences of each change without a diff. */
export const NO_CHANGES: Readonly<Record<Change, number>> = noneOf(CHANGES);
export const NOTHING_CHANGED: ChangedCounts = { occurrences: NO_CHANGES, issueTypes: noneOf(CHANGE_NAMES) };

/** Counts what lists of changes find. */
async function countChanges(db: Executor, diffId: number, kinds: readonly CheckKind[]): Promise<ChangedCounts> {
  const [change, occurrences] = [sql.ref('change'), sql.ref('occurrences')];
  const found = CHANGE_NAMES.map(
    (name) => sql`${sql.lit(name)}, count(*) FILTER (WHERE ${hasChange(change, occurrences, [name])})`,
  );
  const sums = CHANGES.map((name) => sql`${sql.lit(name)}, coalesce(sum(${occurrencesOf(name)}), 0)`);
  const { rows } = await sql<ChangedCounts>`
    SELECT json_build_object(${sql.join(sums)}) AS occurrences, json_build_object(${sql.join(found)}) AS "issueTypes"
    FROM issue_changes WHERE diff_id = ${diffId} AND kind = ANY(${kinds})`.execute(db);
  return rows[0] ?? NOTHING_CHANGED;
}
