import { RetryLater } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { bookkeep, type Database, type Executor, keep } from '../store/database.ts';
import {
  type ComparedFor,
  claimUnanswered,
  compareLaterReports,
  findComparison,
  type KeptComparison,
  keepForOwner,
  markAnswered,
  removePreviousComparison,
  saveComparison,
  stateOf,
} from '../store/diffs/comparisons.ts';
import { dateCommonIssues } from '../store/issues/first-sightings.ts';
import { saveFixes } from '../store/issues/fixes.ts';
import { recordAnswers } from '../store/notifications/notification-events.ts';
import { reportTransaction } from '../store/reports/report-transaction.ts';
import { findReport } from '../store/reports/reports.ts';
import { previousReport } from '../store/reports/sites.ts';
import type { Report } from '../store/schema.ts';
import { chooseFixes } from './choose-fixes.ts';
import { compareReports } from './compare-reports.ts';
import { saveVerdict } from './verdict.ts';

/** After this time without an end, another process computes the insights of a report. 10,000 pages take about 10 s. */
const CLAIM_SECONDS = 300;

/** Computes the insights of finished reports, until stopped: their comparison with the previous report, and their fixes. */
export function startAnswering(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'answers',
    doNext: () => answerNextReport(parts.db),
    failure: 'Could not compute the insights of a report; will retry',
  });
}

/**
 * Computes the insights of the latest report that waits for them. If a report changes in the meantime, its insights are computed again.
 * @returns false if none waits, or other processes compute them
 */
export async function answerNextReport(db: Database): Promise<boolean> {
  const report = await claimUnanswered(db, CLAIM_SECONDS);
  if (report === undefined) return false;
  const previous = await previousReport(db, report.id);
  const previousState = previous && (await stateOf(db, previous.id));
  const compared =
    previous === undefined || previousState === undefined
      ? undefined
      : { withId: previous.id, withState: previousState };
  const changes = compared && (await compareReports(db, report.id, compared.withId, true));
  const fixes = await chooseFixes(db, report.id);
  await reportTransaction(db, report.id, async (change) => {
    change.markAnswersChanged();
    await saveFixes(change, fixes);
    if (compared === undefined || changes === undefined) await removePreviousComparison(change);
    else await saveComparison(change, { ...compared, isPrevious: true, reportState: report.state }, changes);
    await dateCommonIssues(change);
    const isFirst = await saveVerdict(change);
    await markAnswered(change, report.state, compared);
    await recordAnswers(change.trx, report.id, isFirst);
  });
  await compareLaterReports(db, report.id);
  return true;
}

/**
 * Returns the comparison of a report with another report, or with the previous report. Compares with another report at once unless that has
 * been done for the current states of both. While the database accepts no changes, returns an earlier comparison.
 * @param of who asks: comparisons for readers do not displace the owner's
 * @returns undefined without a previous report, or before the first comparison with it
 * @throws RetryLater too_many_comparisons
 */
export async function compareWith(
  db: Executor,
  report: Pick<Report, 'id' | 'site_id'>,
  withId: string,
  of: ComparedFor,
): Promise<KeptComparison | undefined> {
  const kept = await findComparison(db, report.id, withId);
  if (withId === 'previous' || withId === report.id) return kept;
  if (!kept?.is_current) {
    const compared = compareOnce(`${report.id} ${withId}`, () => compareNow(db, report, withId, of));
    // An earlier comparison is better than none while the database accepts no changes.
    await (kept === undefined ? compared : keep(compared));
  }
  const comparison = kept?.is_current ? kept : await findComparison(db, report.id, withId);
  if (comparison !== undefined && of === 'owner') await bookkeep(keepForOwner(db, report.id, comparison));
  return comparison;
}

async function compareNow(
  db: Executor,
  report: Pick<Report, 'id' | 'site_id'>,
  withId: string,
  of: ComparedFor,
): Promise<void> {
  // Another request may have done it in the meantime.
  const kept = await findComparison(db, report.id, withId);
  if (kept?.is_current) return;
  const [reportState, withState] = [await stateOf(db, report.id), await stateOf(db, withId)];
  const other = await findReport(db, withId);
  if (other === undefined || reportState === undefined || withState === undefined) return;
  const changes = await compareReports(db, report.id, withId, report.site_id === other.site_id);
  const reports = { withId, isPrevious: kept?.is_previous ?? false, reportState, withState };
  await reportTransaction(db, report.id, async (change) => {
    change.markUnchanged();
    await saveComparison(change, reports, changes, of);
  });
}

/** Pairs of reports that requests compare at the same time in this process. */
const RUNNING_MAX = 2;
const RETRY_AFTER_S = 5;

/** The comparisons that are running. */
const running = new Map<string, Promise<void>>();

/**
 * Compares a pair of reports for a request. Requests for a pair that is being compared wait for that comparison.
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
  const comparison = compare().finally(() => running.delete(pair));
  running.set(pair, comparison);
  return comparison;
}
