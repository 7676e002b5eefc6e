import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { countCheck, countIssues, ISSUE_SUMS, type IssueSums } from '../../domain/counts.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import type { Screenshot, Thumbnail } from '../../domain/screenshot.ts';
import type { RecheckResult } from '../../issues/diff-recheck.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Database } from '../database.ts';
import { applyDecisions } from '../decisions/decided-issues.ts';
import { forgetIds } from '../decisions/redecide-issues.ts';
import type { PackedIssue } from '../issues/packed-issues.ts';
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
import type { BeforeColumn } from '../rechecks/recheck-tables.ts';
import { endRechecks, type WaitingRecheck, waitingRechecks } from '../rechecks/rechecks.ts';
import { markReplaced } from '../reports/keep-results.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import type { Schema } from '../schema.ts';
import { storableFailure } from '../storable.ts';
import { UNSTARTED } from './checks.ts';
import { countPages } from './page-counts.ts';
import { type PackedRawCheck, replaceRawChecks } from './raw-checks.ts';
import { hashOf, saveResources } from './resource-lists.ts';
import { replaceScreenshots } from './screenshots.ts';
import { moveThumbnail, saveThumbnail } from './thumbnails.ts';

/** The result of one claimed check. */
export interface CheckResult {
  readonly webPageId: number;
  /** Null for a check that never ran. */
  readonly claimId: number | null;
  readonly outcome: CheckOutcome | { readonly error: Failure };
}

/** The result of a check that ran. */
export interface CheckOutcome {
  readonly issues: readonly PackedIssue[];
  readonly notes?: readonly CheckNote[];
  /** The versions of the engine that produced the result. */
  readonly engineVersion?: string | null;
  /** As `Interpretation.resources`; null or absent if they are not known, or if the result varies with the same resources. */
  readonly resources?: string | null;
  /** Present if the report stores raw checks. */
  readonly raw?: PackedRawCheck;
  /** Null or absent if none was taken. */
  readonly screenshot?: Screenshot | null;
  /** Of the start page. Null or absent for other pages, and if none could be taken. */
  readonly thumbnail?: Thumbnail | null;
  /** Identifies everything that the result depends on, in hexadecimal; null or absent if that is not known. */
  readonly reuseKey?: string | null;
  /** What the page loaded; null or absent if it cannot be known to be the same in another check. */
  readonly loaded?: LoadedResources | null;
  /** Whether scripts could change the page and no other check with the same key and resources had the same result. */
  readonly isUnconfirmed?: boolean;
  /** Whether results of the page have differed although nothing had changed. */
  readonly varies?: boolean;
  /** The report that it was reused from; absent if the engine checked the page. */
  readonly reusedFrom?: ReusedFrom;
}

/** The report in which an engine found a reused result. */
export interface ReusedFrom {
  readonly reportId: string;
  /** The page whose stored result was read. */
  readonly webPageId: number;
  readonly foundAt: Date;
}

interface CurrentCheck extends IssueSums {
  readonly web_page_id: number;
  /** Whether the page has issues from an earlier check, including muted ones. */
  readonly has_issues: boolean;
  /** Whether it still has the issues of the report's end, which a re-check replaces. */
  readonly has_first_issues: boolean;
  /** Of the result to compare with, in hexadecimal; null if there is none. */
  readonly before_document: string | null;
  readonly before_engine: string | null;
  readonly before_resources: string | null;
  /** The same for the page now. */
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
 */
export async function saveCheckResults(
  db: Database,
  reportId: string,
  kind: CheckKind,
  results: readonly CheckResult[],
): Promise<void> {
  if (results.length === 0) return;
  await reportTransaction(db, reportId, async (change) => {
    if (!(await writeCheckResults(change, kind, results))) change.markUnchanged();
  });
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
    const status: CheckUpdate['status'] = 'issues' in outcome ? 'checked' : 'failed';
    change.uncount(kind, { ...check, pending: 1 });
    change.count(kind, { ...sums, ...countCheck({ status, ...sums }) });
    const error = 'error' in outcome ? storableFailure(outcome.error) : null;
    const found: Partial<CheckOutcome> = 'issues' in outcome ? outcome : {};
    const { notes = [], engineVersion = null, resources = null, reuseKey = null, varies = false } = found;
    const { reusedFrom, loaded = null, isUnconfirmed = false } = found;
    const recheck = rechecked.get(webPageId)?.result ?? null;
    const about = { notes, engine_version: engineVersion, resources, recheck };
    const reuse = {
      ...{
        reuse_key: reuseKey,
        varies,
        is_confirmed: !isUnconfirmed,
        is_scripted: loaded?.isScripted ?? false,
        resource_list: loaded && hashOf(loaded),
      },
      ...{ reused_from: reusedFrom?.reportId ?? null, found_at: reusedFrom?.foundAt ?? null },
    };
    return { web_page_id: webPageId, status, error, ...about, ...reuse, ...sums };
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
  // None of these pages counted before, because a check of each was pending.
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
  for (const { webPageId, outcome } of valid) {
    if (!('issues' in outcome)) continue;
    if (outcome.thumbnail != null) await saveThumbnail(change, webPageId, outcome.thumbnail);
    if (outcome.reusedFrom !== undefined) await moveThumbnail(change, webPageId, outcome.reusedFrom.webPageId);
    if (outcome.loaded != null) await saveResources(change, outcome.loaded);
  }
  const raw = valid.map(({ webPageId, outcome }) => ({
    webPageId,
    raw: ('issues' in outcome && outcome.raw) || null,
    isFailed: 'error' in outcome,
  }));
  await replaceRawChecks(change, kind, raw);
  change.markChecked();
  return true;
}

type CheckUpdate = IssueSums & {
  readonly web_page_id: number;
  readonly status: 'checked' | 'failed';
  readonly error: Failure | null;
  readonly notes: readonly CheckNote[];
  readonly engine_version: string | null;
  readonly resources: string | null;
  readonly recheck: RecheckResult | null;
  readonly reuse_key: string | null;
  readonly varies: boolean;
  readonly is_confirmed: boolean;
  readonly is_scripted: boolean;
  readonly resource_list: string | null;
  readonly reused_from: string | null;
  /** Null for now. */
  readonly found_at: Date | null;
};

async function updateChecks(
  { trx }: ReportTransaction,
  kind: CheckKind,
  updates: readonly CheckUpdate[],
): Promise<void> {
  const given = sql<CheckUpdate>`jsonb_to_recordset(${JSON.stringify(updates)}::jsonb)`.as<'u'>(
    sql`u(web_page_id bigint, status text, error jsonb, notes jsonb, engine_version text, resources text,
      recheck jsonb, reuse_key text, varies boolean, is_confirmed boolean, is_scripted boolean, resource_list text, reused_from uuid, found_at timestamptz,
      ${sql.join(ISSUE_SUMS.map((name) => sql`${sql.ref(name)} integer`))})`,
  );
  // A failed check keeps the earlier result, with which the next result is compared.
  const before = (column: BeforeColumn) => sql<null>`CASE u.status WHEN 'failed' THEN ${sql.ref(`c.${column}`)} END`;
  const columns = ['status', 'error', 'notes', 'engine_version', ...ISSUE_SUMS] as const;
  await trx
    .updateTable('checks as c')
    .from(given)
    .set({
      ...UNSTARTED,
      ...Object.fromEntries(columns.map((column) => [column, sql.ref(`u.${column}`)])),
      resources: sql<null>`decode(u.resources, 'hex')`,
      reuse_key: sql<null>`decode(u.reuse_key, 'hex')`,
      varies: sql<boolean>`c.varies OR u.varies`,
      is_confirmed: sql<boolean>`u.is_confirmed`,
      is_scripted: sql<boolean>`u.is_scripted`,
      resource_list: sql<null>`decode(u.resource_list, 'hex')`,
      reused_from: sql<null>`u.reused_from`,
      found_at: sql<null>`CASE u.status WHEN 'checked' THEN coalesce(u.found_at, now()) END`,
      recheck: sql<null>`u.recheck || jsonb_build_object('checked_at', now())`,
      before_document: before('before_document'),
      before_engine: before('before_engine'),
      before_resources: before('before_resources'),
    })
    .whereRef('c.web_page_id', '=', 'u.web_page_id')
    .where('c.kind', '=', kind)
    .execute();
  await sql`UPDATE web_pages SET last_checked_at = now(), updated_at = now()
    WHERE id = ANY(${updates.map((update) => update.web_page_id)})`.execute(trx);
}

/** Records the version of the engine that checked the first pages of the report. Later re-checks don't change it. */
async function recordEngine(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  updates: readonly CheckUpdate[],
): Promise<void> {
  const version = updates.find((update) => update.engine_version !== null)?.engine_version;
  if (version === undefined) return;
  await trx
    .updateTable('report_checks')
    .set({ engine_version: version })
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('engine_version', 'is', null)
    .execute();
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

/** Applies what has been decided about the issues. */
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

/** Returns the results whose claims are current, each with the stored check: at most one for each check. */
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
