import { type CheckFailOn, countedBy } from '../domain/fail-on.ts';
import type { Executor } from '../store/database.ts';
import { countIssuesOf } from '../store/issues/common-issues.ts';
import { listWebPages } from '../store/pages/web-pages.ts';
import { failOnOf, saveNumFailing } from '../store/reports/report-end.ts';
import type { ReportTransaction } from '../store/reports/report-transaction.ts';

/** The numbers of issues and pages that make a report fail, without the issues that only a baseline shows. */
export interface Failing {
  readonly issues: number;
  /** Pages that could not be checked. */
  readonly uncheckedPages: number;
}

/**
 * Counts the issues and pages that `fail_on` of a schedule or `--fail-on` of `check` names. Muted issues do not count; no issue
 * counts twice.
 */
export async function countFailing(db: Executor, reportId: string, failOn: readonly CheckFailOn[]): Promise<Failing> {
  const issues = await countIssuesOf(db, reportId, countedBy(failOn));
  if (!failOn.includes('unchecked')) return { issues, uncheckedPages: 0 };
  const { total } = await listWebPages(db, reportId, { status: 'failed' }, { number: 1, size: 1 });
  return { issues, uncheckedPages: total };
}

/**
 * Stores the number of issues and pages that make a run of a schedule fail: decision 0012.
 * @returns whether it is the first verdict on the report
 */
export async function saveVerdict(change: ReportTransaction): Promise<boolean> {
  const failOn = await failOnOf(change);
  if (failOn === null) return false;
  const { issues, uncheckedPages } = await countFailing(change.trx, change.reportId, failOn);
  return saveNumFailing(change, issues + uncheckedPages);
}
