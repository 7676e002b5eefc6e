import { type Fates, KEPT_REASONS, type KeptReason, type RetentionRule, retain } from '../domain/retention.ts';
import type { Clock } from '../platform/clock.ts';
import { waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database, Executor } from '../store/database.ts';
import { deleteReport } from '../store/reports/deletion.ts';
import {
  accountsWithRules,
  type ReportsSize,
  readRules,
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

/** Reports that are deleted before the rules are applied again: someone may have shared one, or changed the rules. */
const AT_A_TIME = 20;

/**
 * Deletes the reports that the rules of their accounts do not keep, one by one, and waits for the database as long as it takes.
 * @returns the number of deleted reports
 */
export async function deleteByRules(
  { db, clock, log }: { readonly db: Database; readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const failure = 'Could not apply the rules that keep reports';
  const wait = { signal, log, failure };
  let total = 0;
  for (const { id: accountId } of await waitOut(() => accountsWithRules(db), wait)) {
    const failed = new Set<string>();
    for (let count = 1; count > 0 && !signal.aborted; ) {
      const choose = async () => {
        const reports = await retainedReports(db, accountId);
        return deletedOf(retain(reports, await readRules(db, accountId), clock()));
      };
      const next = (await waitOut(choose, wait)).filter((id) => !failed.has(id)).slice(0, AT_A_TIME);
      count = next.length;
      for (const reportId of next) {
        if (signal.aborted) break;
        await waitOut(() => deleteReport(db, reportId), wait).then(
          () => {
            total += 1;
          },
          (error: unknown) => {
            failed.add(reportId);
            log.warn({ reportId, reason: messageOf(error) }, `${failure} to a report; will retry`);
          },
        );
      }
    }
  }
  if (total > 0) log.info({ reports: total }, 'Deleted reports by the rules of their accounts');
  return total;
}
