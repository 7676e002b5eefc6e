import { isTransient } from '../platform/database-errors.ts';
import { RetryLater } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { bookkeep, type Database, type Executor, keep } from '../store/database.ts';
import {
  type ComparedFor,
  type ComparedReports,
  type FoundChanges,
  findDiff,
  type KeptDiff,
  keepForOwner,
  removePreviousDiff,
  saveDiff,
} from '../store/diffs/diffs.ts';
import {
  claimPendingInsights,
  compareLaterReports,
  extendInsightsClaim,
  insightsWait,
  markInsightsComputed,
  type PendingReport,
  type ReportState,
  stateOf,
} from '../store/diffs/pending-insights.ts';
import { dateCommonIssues } from '../store/issues/first-sightings.ts';
import { saveFixes } from '../store/issues/fixes.ts';
import { recordInsights } from '../store/notifications/notification-events.ts';
import { previousReport } from '../store/reports/previous-report.ts';
import { measureSize } from '../store/reports/report-sizes.ts';
import { reportTransaction } from '../store/reports/report-transaction.ts';
import { findReport } from '../store/reports/reports.ts';
import { type ResultsAt, resultsToRead } from '../store/reports/results-at-end.ts';
import { keepAttention } from '../store/reports/site-attention.ts';
import type { Report } from '../store/schema.ts';
import { chooseFixes } from './choose-fixes.ts';
import { diffReports } from './diff-reports.ts';
import { saveVerdict } from './verdict.ts';

/**
 * How long until another process computes the insights of a report if its process was killed or lost the database. 10,000 pages
 * take about 10 s, and the claim is extended until all are compared.
 */
const CLAIM_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
/** How long a report rests if its insights cannot be computed, so that other reports get their turn. */
const REST_SECONDS = 300;

/** Computes the insights of finished reports, until stopped: their diff with the previous report, and their fixes. */
export function startInsights(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'insights',
    doNext: (onLocked) => computeNextInsights(parts.db, onLocked),
    failure: 'Could not compute the insights of a report; will retry',
  });
}

/**
 * Computes the insights of the latest report that waits for them. If a report changes in the meantime, its insights are computed
 * again.
 * @param onLocked called if a report waits, and another transaction has locked it
 * @returns false if none waits, or other processes compute them
 */
export async function computeNextInsights(db: Database, onLocked?: () => void): Promise<boolean> {
  const report = await claimPendingInsights(db, CLAIM_SECONDS);
  if (report === undefined) {
    if (await insightsWait(db)) onLocked?.();
    return false;
  }
  const extend = (seconds: number): Promise<void> => extendInsightsClaim(db, report.id, seconds).catch(() => undefined);
  const extending = setInterval(() => void extend(CLAIM_SECONDS), EXTEND_EVERY_MS).unref();
  try {
    await computeInsights(db, report);
    return true;
  } catch (error) {
    if (!isTransient(error)) await extend(REST_SECONDS);
    throw error;
  } finally {
    clearInterval(extending);
  }
}

async function computeInsights(db: Database, report: PendingReport): Promise<void> {
  const previous = await previousReport(db, report.id);
  const previousState = previous && (await stateOf(db, previous.id, 'end'));
  const compared =
    previous === undefined || previousState === undefined
      ? undefined
      : { withId: previous.id, withState: previousState };
  const diffs = compared === undefined ? [] : await diffsToSave(db, report, { ...compared, isPrevious: true });
  const attention = await comparedForAttention(db, report.id, compared?.withId);
  if (attention !== undefined) diffs.push(...(await diffsToSave(db, report, { ...attention, isPrevious: false })));
  const fixes = await chooseFixes(db, report.id);
  await reportTransaction(db, report.id, async (change) => {
    change.markInsightsChanged();
    await saveFixes(change, fixes);
    if (compared === undefined) await removePreviousDiff(change);
    let isSaved = true;
    for (const [reports, changes] of diffs) isSaved = (await saveDiff(change, reports, changes)) && isSaved;
    await dateCommonIssues(change);
    const isFirst = await saveVerdict(change);
    await markInsightsComputed(change, report.state, compared, isSaved);
    await recordInsights(change.trx, report.id, isFirst);
  });
  await compareLaterReports(db, report.id);
  await measureSize(db, report.id);
}

/**
 * Returns the report to compare with to find what needs attention; undefined if none is needed, or if it is the previous report.
 */
async function comparedForAttention(
  db: Database,
  reportId: string,
  previousId: string | undefined,
): Promise<Pick<ComparedReports, 'withId' | 'withState'> | undefined> {
  const withId = await keepAttention(db, reportId);
  const withState = withId === undefined || withId === previousId ? undefined : await stateOf(db, withId, 'end');
  return withId === undefined || withState === undefined ? undefined : { withId, withState };
}

/**
 * Compares a report with an earlier one: the results at its end unless that has been done, and the results now if they differ.
 */
async function diffsToSave(
  db: Executor,
  report: PendingReport,
  { withId, withState, isPrevious }: Pick<ComparedReports, 'withId' | 'withState' | 'isPrevious'>,
): Promise<[ComparedReports, FoundChanges][]> {
  const diffs: [ComparedReports, FoundChanges][] = [];
  const compare = async (at: ResultsAt, reportState: ReportState) =>
    diffs.push([{ withId, withState, isPrevious, at, reportState }, await diffReports(db, report.id, withId, at)]);
  const kept = await findDiff(db, report.id, isPrevious ? 'previous' : withId, 'end');
  const endState = await stateOf(db, report.id, 'end');
  if (endState !== undefined && !(kept?.with_id === withId && kept.is_current)) await compare('end', endState);
  if ((await resultsToRead(db, report.id, 'end')) === 'end') await compare('now', report.state);
  return diffs;
}

/**
 * Returns the diff of a report with another report, or with the previous report. Compares with another report at once, unless the
 * current states of both have already been compared. While the database accepts no changes, returns an earlier diff.
 * @param at which results of the report to compare; of the earlier report, these are the results at its end
 * @param of who requests the diff: diffs for readers do not displace the owner's
 * @returns undefined without a previous report, or before the first diff with it
 * @throws RetryLater too_many_comparisons
 */
export async function compareWith(
  db: Executor,
  report: Pick<Report, 'id'>,
  withId: string,
  at: ResultsAt,
  of: ComparedFor,
): Promise<KeptDiff | undefined> {
  const kept = await findDiff(db, report.id, withId, at);
  if (withId === 'previous' || withId === report.id) return kept;
  if (!kept?.is_current) {
    const compared = compareOnce(`${report.id} ${withId} ${at}`, () => compareNow(db, report, withId, at, of));
    // An earlier diff is better than none while the database accepts no changes.
    await (kept === undefined ? compared : keep(compared));
  }
  const diff = kept?.is_current ? kept : await findDiff(db, report.id, withId, at);
  if (diff !== undefined && of === 'owner') await bookkeep(keepForOwner(db, report.id, diff));
  return diff;
}

async function compareNow(
  db: Executor,
  report: Pick<Report, 'id'>,
  withId: string,
  wanted: ResultsAt,
  of: ComparedFor,
): Promise<void> {
  // Another request may have done it in the meantime.
  const kept = await findDiff(db, report.id, withId, wanted);
  if (kept?.is_current) return;
  // While the results now and at the end are the same, one diff serves for both.
  const isSame = (await resultsToRead(db, report.id, 'end')) === 'now';
  const at = isSame ? 'end' : wanted;
  const [reportState, withState] = [await stateOf(db, report.id, at), await stateOf(db, withId, 'end')];
  const other = await findReport(db, withId);
  if (other === undefined || reportState === undefined || withState === undefined) return;
  const changes = await diffReports(db, report.id, withId, at);
  const reports = { withId, isPrevious: kept?.is_previous ?? false, at, reportState, withState };
  const isSaved = await reportTransaction(db, report.id, async (change) => {
    change.markUnchanged();
    return saveDiff(change, reports, changes, of);
  });
  // The results at an end were read from tables that a re-check has begun to change. From now on, kept results are read.
  if (isSaved === false) await compareNow(db, report, withId, wanted, of);
}

/** Maximum number of pairs of reports that requests compare at the same time in this process. */
const RUNNING_MAX = 2;
const RETRY_AFTER_S = 5;

/** The diffs that are running. */
const running = new Map<string, Promise<void>>();

/**
 * Compares a pair of reports for a request. Requests for a pair that is being compared wait for that diff.
 * @param pair identifies the reports
 * @throws RetryLater too_many_comparisons, so that none pile up
 */
function compareOnce(pair: string, compare: () => Promise<void>): Promise<void> {
  const known = running.get(pair);
  if (known !== undefined) return known;
  if (running.size >= RUNNING_MAX) {
    const detail = 'This server is already comparing two other pairs of reports.';
    throw new RetryLater('too_many_comparisons', detail, RETRY_AFTER_S);
  }
  const diff = compare().finally(() => running.delete(pair));
  running.set(pair, diff);
  return diff;
}
