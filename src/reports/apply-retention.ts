import { type Fates, KEPT_REASONS, type KeptReason, type RetentionRule, retain } from '../domain/retention.ts';
import type { Clock } from '../platform/clock.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database, Executor } from '../store/database.ts';
import { deleteReportIf } from '../store/reports/deletion.ts';
import {
  accountsWithRules,
  isStillDeletable,
  type ReportsSize,
  retainedReports,
  sizeOfReports,
} from '../store/reports/retained-reports.ts';

/** What rules would do now. */
export interface RetentionPreview extends ReportsSize {
  /** The reports that would be deleted, the oldest first. */
  readonly deleted: readonly string[];
  /** How many reports are kept for each reason. */
  readonly kept: Readonly<Record<KeptReason, number>>;
}

/** Returns what rules would do to the reports of an account now. */
export async function previewRetention(
  db: Executor,
  accountId: string,
  rules: readonly RetentionRule[],
  now: Date,
): Promise<RetentionPreview> {
  const fates = retain(await retainedReports(db, accountId), rules, now);
  const deleted = deletedOf(fates);
  const reasons = [...fates.values()];
  const kept = Object.fromEntries(
    KEPT_REASONS.map((reason) => [reason, reasons.filter((candidate) => candidate === reason).length]),
  ) as Record<KeptReason, number>;
  return { deleted, kept, ...(await sizeOfReports(db, deleted)) };
}

/** Ids are in the order of creation. */
function deletedOf(fates: Fates): string[] {
  return [...fates].flatMap(([id, reason]) => (reason === null ? [id] : [])).sort();
}

/**
 * Deletes the reports that the rules of their accounts do not keep, one by one, and waits for the database as long as it takes.
 * @returns the number of deleted reports
 */
export async function deleteByRules(
  { db, clock, log }: { readonly db: Database; readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const failure = 'Could not apply the retention rules';
  const wait = { signal, log, failure };
  let total = 0;
  for (const { id: accountId, retention: rules } of await waitOut(() => accountsWithRules(db), wait)) {
    if (signal.aborted) break;
    const choose = async () => deletedOf(retain(await retainedReports(db, accountId), rules, clock()));
    for (const reportId of await waitOut(choose, wait)) {
      if (signal.aborted) break;
      try {
        if (await waitOut(() => deleteByRule(db, reportId, rules), wait)) total += 1;
      } catch (error) {
        log.warn({ reportId, reason: messageOf(error) }, `${failure} to a report; will retry`);
      }
    }
  }
  if (total > 0) log.info({ reports: total }, 'Deleted reports according to the retention rules of their accounts');
  return total;
}

/**
 * Deletes a report that rules of its account do not keep. Keeps it if the rules have been changed since they were applied, or if
 * they must keep it by now: someone may have shared it, tagged it, or deleted the newer reports.
 * @returns whether it was deleted
 */
export function deleteByRule(db: Executor, reportId: string, rules: readonly RetentionRule[]): Promise<boolean> {
  return deleteReportIf(db, reportId, (trx) => isStillDeletable(trx, reportId, rules));
}
