import type { Executor } from '../database.ts';
import { reportTransaction } from './report-transaction.ts';

/** Returns ids of reports that were created by guest accounts of a host. */
export async function reportsOfGuests(db: Executor, hostId: string, max: number): Promise<string[]> {
  const rows = await db
    .selectFrom('reports')
    .innerJoin('guest_accounts', 'guest_accounts.id', 'reports.guest_account_id')
    .select('reports.id')
    .where('guest_accounts.host_id', '=', hostId)
    .where('reports.deleted_at', 'is', null)
    .limit(max)
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes the guest account from a report, which then belongs to its owner alone. */
export async function leaveHost(db: Executor, reportId: string): Promise<void> {
  await reportTransaction(db, reportId, async ({ trx, markResultsKept }) => {
    markResultsKept();
    await trx.updateTable('reports').set({ guest_account_id: null }).where('id', '=', reportId).execute();
  });
}
