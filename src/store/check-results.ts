import { sql, type Transaction } from 'kysely';
import { type CheckKind, impactOrder } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import { slicesOf } from '../platform/slices.ts';
import { noteShortage, takeReportCredits } from './credits.ts';
import type { Database } from './database.ts';
import { addCheckCounts, addSums, countIssues, type IssueSums, NO_ISSUES, subtractSums } from './issue-counts.ts';
import { removeEmptyCommonIssues, removeIssues } from './issue-removal.ts';
import { countSilenced, judgeFound, type MutableIssue, type SilencedBy } from './muted-issues.ts';
import type { PackedIssue } from './occurrences.ts';
import { type PackedRawCheck, pagesWithRawCheck, removeRawChecks, saveRawChecks } from './raw-checks.ts';
import { lockReport } from './report-lock.ts';
import { settleReport } from './report-progress.ts';
import type { Schema } from './schema.ts';
import { storable, storableSentence } from './storable.ts';

/** What became of one claimed check. */
export interface CheckResult {
  readonly webPageId: number;
  /** Null for a check that never ran, because the page could not be fetched again. */
  readonly claimId: number | null;
  readonly outcome: CheckOutcome | { readonly error: string };
}

/** What a check found. */
export interface CheckOutcome {
  readonly issues: readonly PackedIssue[];
  /** Absent: none. */
  readonly notes?: readonly CheckNote[];
  /** Only where the report asked for raw checks to be stored. */
  readonly raw?: PackedRawCheck;
}

interface CurrentCheck extends IssueSums {
  readonly web_page_id: number;
  /** Whether the page has issues of an earlier check, muted ones included. */
  readonly has_issues: boolean;
}

interface IssueRow {
  readonly key: string;
  readonly webPageId: number;
  readonly position: number;
  readonly url: string | null;
  readonly howMany: number;
  readonly occurrences: Uint8Array;
  readonly mutings: readonly number[];
}

interface CommonIssueRow {
  readonly key: string;
  readonly issue: PackedIssue;
  readonly shown: Tally;
  readonly muted: Tally;
}

interface Tally {
  howMany: number;
  readonly pages: Set<number>;
}

/**
 * Saves the results of checks of one report and one kind, in one transaction with every count that depends on them.
 * Results whose claim is no longer the current one (done twice, re-checked or deleted meanwhile) are passed over, and of
 * several under one claim all but one.
 */
export async function saveCheckResults(
  db: Database,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<void> {
  if (results.length === 0) return;
  await db.transaction().execute((trx) => writeCheckResults(trx, reportId, kind, results));
}

/**
 * Fails checks of one kind that never ran, as part of a larger transaction. Those that are claimed or not pending stay as
 * they are.
 * @param error without its full stop
 */
export async function saveFailedChecks(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  webPageIds: readonly number[],
  error: string,
): Promise<void> {
  const results = webPageIds.map((webPageId) => ({ webPageId, claimId: null, outcome: { error } }));
  for (const slice of slicesOf(results, ROWS_PER_STATEMENT)) await writeCheckResults(trx, reportId, kind, slice);
}

async function writeCheckResults(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<void> {
  // Results of one report are saved one transaction at a time: its counts are rows that all of them change.
  if (!(await lockReport(trx, reportId))) return;
  const current = await currentResults(trx, kind, results);
  if (current.length === 0) return;
  const valid = current.map(({ result }) => result);
  const before = current.map(({ check }) => check);

  const silencedBy = await judgeFound(trx, reportId, valid.flatMap(issuesIn));

  const replaced = before.filter((check) => check.has_issues).map((check) => check.web_page_id);
  if (replaced.length > 0) await removeIssues(trx, replaced, kind);
  await insertIssues(trx, reportId, kind, valid, silencedBy);
  if (replaced.length > 0) await removeEmptyCommonIssues(trx, reportId, kind);

  let change = NO_ISSUES;
  for (const check of before) change = subtractSums(change, check);
  const updates = valid.map(({ webPageId, outcome }) => {
    const issues = 'issues' in outcome ? outcome.issues : [];
    const sums = countIssues(issues.filter((issue) => silencedBy(webPageId, issue).length === 0));
    change = addSums(change, sums);
    return {
      web_page_id: webPageId,
      status: 'issues' in outcome ? 'checked' : 'failed',
      error: 'error' in outcome ? storableSentence(outcome.error) : null,
      notes: ('issues' in outcome ? outcome.notes : undefined) ?? [],
      ...sums,
    };
  });
  await sql`
    UPDATE checks c SET status = u.status, error = u.error, notes = u.notes, claimed_by = NULL, claim_id = NULL, attempts = 0, begun_claims = '{}',
      errors = u.errors, warnings = u.warnings, minor = u.minor, moderate = u.moderate, serious = u.serious,
      critical = u.critical
    FROM jsonb_to_recordset(${JSON.stringify(updates)}::jsonb) AS u(web_page_id bigint, status text, error text,
      notes jsonb, errors integer, warnings integer, minor integer, moderate integer, serious integer, critical integer)
    WHERE c.web_page_id = u.web_page_id AND c.kind = ${kind}`.execute(trx);
  await sql`UPDATE web_pages SET last_checked_at = now(), updated_at = now()
    WHERE id = ANY(${updates.map((update) => update.web_page_id)})`.execute(trx);
  const checked = updates.filter((update) => update.status === 'checked').length;
  const failed = updates.length - checked;
  await addCheckCounts(trx, reportId, kind, { pending: -updates.length, checked, failed, ...change });
  await replaceRawChecks(trx, reportId, kind, valid);
  await settleReport(trx, reportId, { checkedNow: true });
}

/**
 * Stores as many raw checks as can be paid for. None stays beside a result that is not its own. One in place of an earlier
 * one is stored in any case: there were credits for it when the page was to be checked again, and should others have
 * spent them since, what was paid for once must not be lost.
 */
async function replaceRawChecks(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<void> {
  const wanted = results.flatMap(({ webPageId, outcome }) =>
    'issues' in outcome && outcome.raw !== undefined ? [{ webPageId, ...outcome.raw }] : [],
  );
  const { granted, shortage } = await takeReportCredits(trx, reportId, wanted.length, 'raw_checks');
  let stored = wanted;
  if (shortage !== null) {
    const ids = wanted.map(({ webPageId }) => webPageId);
    const earlier = await pagesWithRawCheck(trx, kind, ids);
    const added = wanted.filter(({ webPageId }) => !earlier.has(webPageId));
    stored = [...wanted.filter(({ webPageId }) => earlier.has(webPageId)), ...added.slice(0, granted)];
    if (granted < added.length) await noteShortage(trx, reportId, shortage);
  }
  const failed = results.filter(({ outcome }) => 'error' in outcome);
  await removeRawChecks(
    trx,
    kind,
    failed.map(({ webPageId }) => webPageId),
  );
  await saveRawChecks(trx, kind, stored);
}

function issuesIn({ webPageId, outcome }: CheckResult): { webPageId: number; issue: MutableIssue }[] {
  const issues = 'issues' in outcome ? outcome.issues : [];
  return issues.map((issue) => ({ webPageId, issue }));
}

/** The results whose claims are current, each with its check as it is: at most one for each check. */
async function currentResults(
  trx: Transaction<Schema>,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<{ readonly result: CheckResult; readonly check: CurrentCheck }[]> {
  const rows = await trx
    .selectFrom('checks')
    .select(['web_page_id', 'claim_id', 'errors', 'warnings', 'minor', 'moderate', 'serious', 'critical'])
    .select(
      sql<boolean>`EXISTS (SELECT FROM issues i WHERE i.web_page_id = checks.web_page_id AND i.kind = checks.kind)`.as(
        'has_issues',
      ),
    )
    .where('kind', '=', kind)
    .where('status', '=', 'pending')
    .where(sql<boolean>`web_page_id = ANY(${results.map((result) => result.webPageId)})`)
    .execute();
  const byClaim = new Map(results.map((result) => [`${result.webPageId} ${result.claimId}`, result]));
  return rows.flatMap((check) => {
    const result = byClaim.get(`${check.web_page_id} ${check.claim_id}`);
    return result === undefined ? [] : [{ result, check }];
  });
}

async function insertIssues(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
  silencedBy: SilencedBy,
): Promise<void> {
  const rows: IssueRow[] = [];
  const common = new Map<string, CommonIssueRow>();
  const silenced = new Map<number, number>();
  for (const { webPageId, outcome } of results) {
    if (!('issues' in outcome)) continue;
    outcome.issues.forEach((issue, position) => {
      const { key, occurrences } = issue;
      const kindOfIssue = common.get(key) ?? { key, issue, shown: emptyTally(), muted: emptyTally() };
      common.set(key, kindOfIssue);
      const mutings = silencedBy(webPageId, issue);
      for (const id of mutings) silenced.set(id, (silenced.get(id) ?? 0) + issue.howMany);
      const tally = mutings.length > 0 ? kindOfIssue.muted : kindOfIssue.shown;
      tally.howMany += issue.howMany;
      tally.pages.add(webPageId);
      rows.push({ key, webPageId, position, url: storable(issue.url), howMany: issue.howMany, occurrences, mutings });
    });
  }
  if (rows.length === 0) return;
  const ids = new Map<string, number>();
  for (const slice of slicesOf([...common.values()], ROWS_PER_STATEMENT)) {
    for (const [key, id] of await upsertCommonIssues(trx, reportId, kind, slice)) ids.set(key, id);
  }
  for (const slice of slicesOf(rows, ROWS_PER_STATEMENT)) await insertRows(trx, reportId, kind, slice, ids);
  await countSilenced(trx, reportId, silenced);
}

/** Rows of one statement: to write them down for the database must not hold up everything else in this process. */
const ROWS_PER_STATEMENT = 1_000;

async function insertRows(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  rows: readonly IssueRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, url, how_many, occurrences,
      mutings, muted)
    SELECT common_issue_id, ${reportId}, web_page_id, ${kind}, position,
      nullif(u.url, (SELECT p.url FROM web_pages p WHERE p.id = web_page_id)), how_many, occurrences,
      mutings::bigint[], mutings IS NOT NULL
    FROM unnest(${rows.map((row) => ids.get(row.key))}::bigint[], ${rows.map((row) => row.webPageId)}::bigint[],
      ${rows.map((row) => row.position)}::integer[], ${rows.map((row) => row.url)}::text[],
      ${rows.map((row) => row.howMany)}::integer[], ${rows.map((row) => row.occurrences)}::bytea[],
      ${rows.map(({ mutings }) => (mutings.length === 0 ? null : `{${mutings.join()}}`))}::text[])
      AS u(common_issue_id, web_page_id, position, url, how_many, occurrences, mutings)`.execute(trx);
}

function emptyTally(): Tally {
  return { howMany: 0, pages: new Set() };
}

async function upsertCommonIssues(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  rows: readonly CommonIssueRow[],
): Promise<Map<string, number>> {
  const values = rows.map(({ key, issue, shown, muted }) => ({
    key,
    issue_type: issue.type,
    issue_sub_type: issue.subType,
    message: storable(issue.message),
    rule_id: issue.ruleId,
    help_url: issue.helpUrl,
    impact: issue.impact,
    impact_order: issue.impact === null ? 0 : impactOrder(issue.impact),
    tags: issue.tags,
    how_many: shown.howMany,
    num_web_pages: shown.pages.size,
    muted_how_many: muted.howMany,
    muted_num_web_pages: muted.pages.size,
  }));
  const result = await sql<{ id: number; key: string }>`
    INSERT INTO common_issues AS c (report_id, kind, key, issue_type, issue_sub_type, message, rule_id, help_url, impact,
      impact_order, tags, how_many, num_web_pages, muted_how_many, muted_num_web_pages)
    SELECT ${reportId}, ${kind}, decode(key, 'hex'), issue_type, issue_sub_type, message, rule_id, help_url, impact,
      impact_order, ARRAY(SELECT jsonb_array_elements_text(tags)), how_many, num_web_pages, muted_how_many,
      muted_num_web_pages
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS u(key text, issue_type text, issue_sub_type text,
      message text, rule_id text, help_url text, impact text, impact_order integer, tags jsonb, how_many bigint,
      num_web_pages integer, muted_how_many bigint, muted_num_web_pages integer)
    ON CONFLICT (report_id, kind, key) DO UPDATE SET how_many = c.how_many + excluded.how_many,
      num_web_pages = c.num_web_pages + excluded.num_web_pages,
      muted_how_many = c.muted_how_many + excluded.muted_how_many,
      muted_num_web_pages = c.muted_num_web_pages + excluded.muted_num_web_pages, updated_at = now()
    RETURNING c.id, encode(c.key, 'hex') AS key`.execute(trx);
  return new Map(result.rows.map((row) => [row.key, row.id]));
}
