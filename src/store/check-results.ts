import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { slicesOf } from '../platform/slices.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { UNBEGUN } from './checks.ts';
import { creditsOver } from './credits.ts';
import type { Database } from './database.ts';
import {
  type FoundOnPage,
  insertIssues,
  ROWS_PER_STATEMENT,
  removeEmptyCommonIssues,
  removeIssues,
} from './issue-changes.ts';
import { countIssues, ISSUE_SUMS, type IssueSums } from './issue-counts.ts';
import { judgeFound } from './muted-issues.ts';
import type { PackedIssue } from './occurrences.ts';
import { type PackedRawCheck, pagesWithRawCheck, removeRawChecks, saveRawChecks } from './raw-checks.ts';
import type { Schema } from './schema.ts';
import { storableFailure } from './storable.ts';

/** What became of one claimed check. */
export interface CheckResult {
  readonly webPageId: number;
  /** Null for a check that never ran, because the page could not be fetched again. */
  readonly claimId: number | null;
  readonly outcome: CheckOutcome | { readonly error: Failure };
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

/**
 * Saves the results of checks of one report and one kind, in one transaction with every count that depends on them.
 * Ignores results whose claim is no longer the current one (done twice, re-checked or deleted meanwhile), and all but one of
 * several results under one claim.
 */
export async function saveCheckResults(
  db: Database,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<void> {
  if (results.length === 0) return;
  await changeReport(db, reportId, async (change) => {
    if (!(await writeCheckResults(change, kind, results))) change.leave();
  });
}

/**
 * Fails checks of one kind that never ran. Those that are claimed or not pending stay as they are.
 */
export async function failChecks(
  change: ReportChange,
  kind: CheckKind,
  webPageIds: readonly number[],
  error: Failure,
): Promise<void> {
  const results = webPageIds.map((webPageId) => ({ webPageId, claimId: null, outcome: { error } }));
  for (const slice of slicesOf(results, ROWS_PER_STATEMENT)) await writeCheckResults(change, kind, slice);
}

/** @returns false when none of the claims is current */
async function writeCheckResults(
  change: ReportChange,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<boolean> {
  const current = await currentResults(change.trx, kind, results);
  if (current.length === 0) return false;
  const valid = current.map(({ result }) => result);
  const silencedBy = await judgeFound(change, valid.flatMap(issuesIn));

  const replaced = current.flatMap(({ check }) => (check.has_issues ? check.web_page_id : []));
  if (replaced.length > 0) await removeIssues(change, replaced, kind);
  await insertIssues(change, kind, valid.flatMap(issuesIn), silencedBy);
  if (replaced.length > 0) await removeEmptyCommonIssues(change, kind);

  const updates = current.map(({ result: { webPageId, outcome }, check }) => {
    const issues = 'issues' in outcome ? outcome.issues : [];
    const sums = countIssues(issues.filter((issue) => silencedBy(webPageId, issue).length === 0));
    const status: CheckUpdate['status'] = 'issues' in outcome ? 'checked' : 'failed';
    change.uncount(kind, { ...check, pending: 1 });
    change.count(kind, { ...sums, [status]: 1 });
    const error = 'error' in outcome ? storableFailure(outcome.error) : null;
    const notes = ('issues' in outcome ? outcome.notes : undefined) ?? [];
    return { web_page_id: webPageId, status, error, notes, ...sums };
  });
  await updateChecks(change, kind, updates);
  await replaceRawChecks(change, kind, valid);
  change.checked();
  return true;
}

type CheckUpdate = IssueSums & {
  readonly web_page_id: number;
  readonly status: 'checked' | 'failed';
  readonly error: Failure | null;
  readonly notes: readonly CheckNote[];
};

async function updateChecks({ trx }: ReportChange, kind: CheckKind, updates: readonly CheckUpdate[]): Promise<void> {
  const given = sql<CheckUpdate>`jsonb_to_recordset(${JSON.stringify(updates)}::jsonb)`.as<'u'>(
    sql`u(web_page_id bigint, status text, error jsonb, notes jsonb, errors integer, warnings integer, minor integer,
      moderate integer, serious integer, critical integer)`,
  );
  const columns = ['status', 'error', 'notes', ...ISSUE_SUMS] as const;
  await trx
    .updateTable('checks as c')
    .from(given)
    .set({ ...UNBEGUN, ...Object.fromEntries(columns.map((column) => [column, sql.ref(`u.${column}`)])) })
    .whereRef('c.web_page_id', '=', 'u.web_page_id')
    .where('c.kind', '=', kind)
    .execute();
  await sql`UPDATE web_pages SET last_checked_at = now(), updated_at = now()
    WHERE id = ANY(${updates.map((update) => update.web_page_id)})`.execute(trx);
}

/**
 * Stores as many raw checks as can be paid for, and removes those of failed checks. A raw check that replaces an earlier one is
 * stored in any case: the account had credits for it when the re-check was requested, and must not lose what it has paid for.
 */
async function replaceRawChecks(change: ReportChange, kind: CheckKind, results: readonly CheckResult[]): Promise<void> {
  const { trx, reportId } = change;
  const wanted = results.flatMap(({ webPageId, outcome }) =>
    'issues' in outcome && outcome.raw !== undefined ? [{ webPageId, ...outcome.raw }] : [],
  );
  const { granted, shortage } = await change.takeCredits(wanted.length, 'raw_checks');
  let stored = wanted;
  if (shortage !== null) {
    const ids = wanted.map(({ webPageId }) => webPageId);
    const earlier = await pagesWithRawCheck(trx, kind, ids);
    const added = wanted.filter(({ webPageId }) => !earlier.has(webPageId));
    stored = [...wanted.filter(({ webPageId }) => earlier.has(webPageId)), ...added.slice(0, granted)];
    if (granted < added.length) {
      await trx
        .updateTable('reports')
        .set({ crawl_error: creditsOver(shortage) })
        .where('id', '=', reportId)
        .execute();
    }
  }
  const failed = results.filter(({ outcome }) => 'error' in outcome);
  await removeRawChecks(
    change,
    kind,
    failed.map(({ webPageId }) => webPageId),
  );
  await saveRawChecks(change, kind, stored);
}

function issuesIn({ webPageId, outcome }: CheckResult): FoundOnPage[] {
  const issues = 'issues' in outcome ? outcome.issues : [];
  return issues.map((issue, position) => ({ webPageId, issue, position }));
}

/** The results whose claims are current, each with its check as it is: at most one for each check. */
async function currentResults(
  trx: Transaction<Schema>,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<{ readonly result: CheckResult; readonly check: CurrentCheck }[]> {
  const rows = await trx
    .selectFrom('checks')
    .select(['web_page_id', 'claim_id', ...ISSUE_SUMS])
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
