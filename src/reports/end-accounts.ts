import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import * as states from '../store/accounts/account-states.ts';
import type { Database } from '../store/database.ts';
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
 * @returns false if nothing is left to do, or until data of deleted reports has been removed
 */
export async function endNextAccount(db: Database): Promise<boolean> {
  const running = await states.unfinishedReportOfDisabled(db);
  if (running !== undefined) {
    await stopReport(db, running);
    return true;
  }
  const account = await states.findDeletedAccount(db);
  if (account === undefined) return false;
  const reports = await states.reportsToDelete(db, account.id, REPORTS_AT_A_TIME);
  for (const id of reports) await deleteReport(db, id);
  const ofGuests = await reportsOfGuests(db, account.id, REPORTS_AT_A_TIME);
  for (const id of ofGuests) await leaveHost(db, id);
  return reports.length + ofGuests.length > 0 || states.removeAccountBatch(db, account.id);
}
