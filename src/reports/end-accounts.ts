import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import * as states from '../store/accounts/account-states.ts';
import type { Database } from '../store/database.ts';
import { hasPendingMutings } from '../store/mutings/mutings.ts';
import { deleteReport } from '../store/reports/deletion.ts';
import { leaveHost, reportsOfGuests } from '../store/reports/leave-host.ts';
import { stopReport } from '../store/reports/report-end.ts';

/** Reports that are deleted before the database is asked for more. */
const REPORTS_AT_A_TIME = 50;

/** Stops the reports of disabled accounts, and removes deleted accounts, until stopped. Several processes may do so. */
export function startEndingAccounts(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: states.ACCOUNTS_TOPIC,
    doNext: () => endNextAccount(parts.db),
    failure: 'Could not end a disabled or deleted account; will retry',
  });
}

/**
 * Does the next piece of the work on disabled and deleted accounts.
 * An account that cannot be removed does not hold up the others.
 * @returns false if nothing is left to do, or until other work is done: the removal of deleted reports, or mutings
 */
export async function endNextAccount(db: Database): Promise<boolean> {
  const running = await states.unfinishedReportOfDisabled(db);
  if (running !== undefined) {
    await stopReport(db, running);
    return true;
  }
  let failure: { readonly error: unknown } | null = null;
  for (const accountId of await states.deletedAccountIds(db)) {
    try {
      if (await removeNextOf(db, accountId)) return true;
    } catch (error) {
      // The accounts after it still get their turn.
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
  return false;
}

/** Does the next piece of the removal of a deleted account. Returns false while the removal has to wait for other work. */
async function removeNextOf(db: Database, accountId: string): Promise<boolean> {
  const reports = await states.reportsToDelete(db, accountId, REPORTS_AT_A_TIME);
  for (const id of reports) await deleteReport(db, id);
  if (reports.length > 0) return true;
  // First, its mutings are withdrawn from the reports of its guests, which can be found only until they leave.
  if (await hasPendingMutings(db, accountId)) return false;
  const ofGuests = await reportsOfGuests(db, accountId, REPORTS_AT_A_TIME);
  for (const id of ofGuests) await leaveHost(db, id);
  return ofGuests.length > 0 || states.removeAccountBatch(db, accountId);
}
