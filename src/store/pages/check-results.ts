import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { countCheck, countIssues, ISSUE_SUMS, type IssueSums } from '../../domain/counts.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Database } from '../database.ts';
import { applyDecisions } from '../decisions/decided-issues.ts';
import { forgetIds } from '../decisions/redecide-issues.ts';
import {
  type FoundOnPage,
  insertIssues,
  ROWS_PER_STATEMENT,
  removeEmptyCommonIssues,
  removeIssues,
} from '../issues/write-issues.ts';
import { matchSilences, type SilencedBy } from '../mutings/muting-counts.ts';
import { type IssueBefore, issuesBefore, keepIssues, replaceFixedIssues } from '../rechecks/former-issues.ts';
import { compareWithBefore, type NewResult, type RecheckFound } from '../rechecks/recheck-results.ts';
import { endRechecks, type WaitingRecheck, waitingRechecks } from '../rechecks/rechecks.ts';
import { markReplaced } from '../reports/keep-results.ts';
import {
  type ReportTransaction,
  type ReportTransactionOptions,
  reportTransaction,
} from '../reports/report-transaction.ts';
import type { Schema } from '../schema.ts';
import type { CheckResult } from './check-outcome.ts';
import { countPages } from './page-counts.ts';
import { replaceRawChecks } from './raw-checks.ts';
import { saveResources } from './resource-lists.ts';
import { replaceScreenshots } from './screenshots.ts';
import { moveThumbnails, saveThumbnail } from './thumbnails.ts';
import { type CheckUpdate, checkUpdate, recordEngine, updateChecks } from './update-checks.ts';

interface CurrentCheck extends IssueSums {
  readonly web_page_id: number;
  /** Whether the page has issues from an earlier check, including muted ones. */
  readonly has_issues: boolean;
  /** Whether it still has the issues of the report's end, which a re-check replaces. */
  readonly has_first_issues: boolean;
  /** The document of the result to compare with, in hexadecimal; null if there is none. */
  readonly before_document: string | null;
  readonly before_engine: string | null;
  readonly before_resources: string | null;
  /** The document of the page now, in hexadecimal. */
  readonly document: string | null;
  readonly rechecks: readonly WaitingRecheck[];
}

interface CurrentResult {
  readonly result: CheckResult;
  readonly check: CurrentCheck;
}

/**
 * Saves the results of checks of one report and one kind, in one transaction with all counts that depend on them. Ignores
 * results whose claim is no longer current (the check ran twice, or its page was re-checked or deleted in the meantime), and
 * all but one of several results with the same claim.
 * @throws ReportBusy if `options` say not to wait
 */
export async function saveCheckResults(
  db: Database,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
  options: ReportTransactionOptions = {},
): Promise<void> {
  if (results.length === 0) return;
  const write = async (change: ReportTransaction): Promise<void> => {
    if (!(await writeCheckResults(change, kind, results))) change.markUnchanged();
  };
  await reportTransaction(db, reportId, write, { ...options, queued: true });
}

/** Fails checks of one kind that never ran. Does not change checks that are claimed or not pending. */
export async function failChecks(
  change: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
  error: Failure,
): Promise<void> {
  const results = webPageIds.map((webPageId) => ({ webPageId, claimId: null, outcome: { error } }));
  for (const slice of slicesOf(results, ROWS_PER_STATEMENT)) await writeCheckResults(change, kind, slice);
}

/** @returns false if none of the claims is current */
async function writeCheckResults(
  change: ReportTransaction,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<boolean> {
  const current = await withDecisions(change, kind, await currentResults(change.trx, kind, results));
  if (current.length === 0) return false;
  const valid = current.map(({ result }) => result);
  const before = await issuesBefore(change, kind, pagesToCompare(current));
  const silencedBy = await matchSilences(change, [...valid.flatMap(issuesIn), ...before.map(asFound)]);
  const rechecked = await compareRechecked(change, kind, current, before, silencedBy);

  const replaced = current.flatMap(({ check }) => (check.has_issues ? check.web_page_id : []));
  if (replaced.length > 0) {
    await removeIssues(change, replaced, kind);
    await forgetIds(change, replaced, kind);
  }
  const first = current.flatMap(({ check }) => (check.has_first_issues ? check.web_page_id : []));
  if (first.length > 0) await markReplaced(change, first, kind);
  const found = valid.flatMap(issuesIn).map((issue) => ({
    ...issue,
    newOccurrences: rechecked.get(issue.webPageId)?.newOccurrences.get(issue.issue),
  }));
  await insertIssues(change, kind, found, silencedBy);
  if (replaced.length > 0) await removeEmptyCommonIssues(change, kind);

  const updates = current.map(({ result: { webPageId, outcome }, check }) => {
    const issues = 'issues' in outcome ? outcome.issues : [];
    const sums = countIssues(issues.filter((issue) => silencedBy(webPageId, issue) === null));
    const status = 'issues' in outcome ? 'checked' : 'failed';
    change.uncount(kind, { ...check, pending: 1 });
    change.count(kind, { ...sums, ...countCheck({ status, ...sums }) });
    return checkUpdate({ webPageId, outcome, sums, recheck: rechecked.get(webPageId)?.result ?? null });
  });
  await updateChecks(change, kind, updates);
  await recordEngine(change, kind, updates);
  await endRechecks(
    change,
    kind,
    current.flatMap(({ result: { webPageId, outcome }, check: { rechecks } }) => {
      const ended = { webPageId, isFailed: 'error' in outcome, found: rechecked.get(webPageId) };
      return rechecks.map((recheck) => ({ ...recheck, ...ended }));
    }),
  );
  // None of these pages counted before, because each had a pending check.
  change.countPages(
    await countPages(
      change.trx,
      updates.map(({ web_page_id: id }) => id),
    ),
  );
  const taken = valid.map(({ webPageId, outcome }) => ({
    webPageId,
    screenshot: ('issues' in outcome ? outcome.screenshot : null) ?? null,
  }));
  await replaceScreenshots(change, kind, taken);
  await saveLoaded(change, valid, updates);
  const raw = valid.map(({ webPageId, outcome }) => ({
    webPageId,
    raw: ('issues' in outcome && outcome.raw) || null,
    isFailed: 'error' in outcome,
  }));
  await replaceRawChecks(change, kind, raw);
  change.markChecked();
  return true;
}

/** Saves what pages loaded, and the thumbnails of start pages. Only checks that open pages in a browser provide them. */
async function saveLoaded(
  change: ReportTransaction,
  results: readonly CheckResult[],
  updates: readonly CheckUpdate[],
): Promise<void> {
  const lists = new Map<string, LoadedResources['resources']>();
  const reused: { webPageId: number; earlierPageId: number }[] = [];
  for (const [index, { webPageId, outcome }] of results.entries()) {
    if (!('issues' in outcome)) continue;
    if (outcome.thumbnail != null) await saveThumbnail(change, webPageId, outcome.thumbnail);
    const hash = updates[index]?.resource_list;
    if (outcome.loaded == null || hash == null) continue;
    lists.set(hash, outcome.loaded.resources);
    if (outcome.reusedFrom !== undefined) reused.push({ webPageId, earlierPageId: outcome.reusedFrom.webPageId });
  }
  await moveThumbnails(change, reused);
  await saveResources(change, lists);
}

/** Returns the pages whose results are compared with earlier results. */
function pagesToCompare(current: readonly CurrentResult[]): number[] {
  return current.flatMap(({ result: { webPageId, outcome }, check }) =>
    'issues' in outcome && check.before_document !== null ? webPageId : [],
  );
}

function asFound({ web_page_id: webPageId, message, rule_id: ruleId, tags }: IssueBefore) {
  return { webPageId, issue: { message, ruleId, tags } };
}

/**
 * Compares the results of checks with their earlier results, and keeps issues that no longer exist: the issues that were fixed,
 * or all of them for a check that failed. Reads nothing for checks that run for the first time.
 */
async function compareRechecked(
  change: ReportTransaction,
  kind: CheckKind,
  current: readonly CurrentResult[],
  before: readonly IssueBefore[],
  silencedBy: SilencedBy,
): Promise<ReadonlyMap<number, RecheckFound>> {
  const results: NewResult[] = [];
  const failed: number[] = [];
  for (const { result, check } of current) {
    const { webPageId, outcome } = result;
    const { before_document: beforeDocument, before_engine: beforeEngine, document } = check;
    const { before_resources: beforeResources } = check;
    if (beforeDocument === null) continue;
    if ('issues' in outcome) {
      const { issues, engineVersion = null, resources = null } = outcome;
      const now = { webPageId, issues, engineVersion, resources, document: document ?? '' };
      results.push({ ...now, beforeDocument, beforeEngine, beforeResources });
    } else {
      failed.push(webPageId);
    }
  }
  const found = await compareWithBefore(change, kind, results, before, silencedBy);
  const ids = results.map(({ webPageId }) => webPageId);
  const fixed = [...found.values()].flatMap((recheck) => recheck.fixed);
  if (ids.length > 0) await replaceFixedIssues(change, kind, ids, fixed);
  if (failed.length > 0) await keepIssues(change, kind, failed);
  return found;
}

function issuesIn({ webPageId, outcome }: CheckResult): FoundOnPage[] {
  const issues = 'issues' in outcome ? outcome.issues : [];
  return issues.map((issue, index) => ({ webPageId, issue, position: issue.foundAt?.position ?? index }));
}

/** Applies the decisions about the issues. */
async function withDecisions(
  change: ReportTransaction,
  kind: CheckKind,
  current: readonly CurrentResult[],
): Promise<readonly CurrentResult[]> {
  const found = current.flatMap(({ result: { webPageId, outcome } }) =>
    'issues' in outcome ? [{ webPageId, issues: outcome.issues }] : [],
  );
  const decided = new Map(
    (await applyDecisions(change, kind, found)).map(({ webPageId, issues }) => [webPageId, issues]),
  );
  return current.map(({ result, check }) => {
    const issues = decided.get(result.webPageId);
    return { result: issues === undefined ? result : { ...result, outcome: { ...result.outcome, issues } }, check };
  });
}

/** Returns the results whose claims are current, each with its stored check: at most one result per check. */
async function currentResults(
  trx: Transaction<Schema>,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<CurrentResult[]> {
  const rows = await trx
    .selectFrom('checks')
    .select([
      ...(['web_page_id', 'claim_id', ...ISSUE_SUMS] as const),
      sql<boolean>`EXISTS (SELECT FROM issues i WHERE i.web_page_id = checks.web_page_id AND i.kind = checks.kind)`.as(
        'has_issues',
      ),
      sql<boolean>`EXISTS (
        SELECT FROM checks_before_recheck b
        WHERE b.web_page_id = checks.web_page_id AND b.kind = checks.kind AND NOT b.is_replaced)`.as(
        'has_first_issues',
      ),
      sql<string | null>`encode(before_document, 'hex')`.as('before_document'),
      'before_engine',
      sql<string | null>`encode(before_resources, 'hex')`.as('before_resources'),
      sql<string | null>`CASE WHEN before_document IS NOT NULL THEN (
        SELECT encode(p.document_hash, 'hex') FROM web_pages p WHERE p.id = checks.web_page_id) END`.as('document'),
      waitingRechecks.as('rechecks'),
    ])
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
