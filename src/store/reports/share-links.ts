import { type SqlBool, sql } from 'kysely';
import type { KeptSecret } from '../../platform/kept-secret.ts';
import { isInUse } from '../accounts/account-states.ts';
import { planOf } from '../accounts/guest-accounts.ts';
import type { Executor } from '../database.ts';
import type { Plan } from '../schema.ts';
import { reportTransaction } from './report-transaction.ts';

/** What a share link opens. */
export interface LinkedReport {
  readonly reportId: string;
  /** The plan of the report's owner, or of the host if the owner is a guest. */
  readonly plan: Plan;
}

/** Returns the shared report whose link has the secret with this hash. */
export async function findLinkedReport(db: Executor, secretHash: Buffer): Promise<LinkedReport | undefined> {
  return db
    .selectFrom('reports')
    .select('id as reportId')
    .select(planOf(sql.ref('reports.account_id')).as('plan'))
    .where('share_hash', '=', secretHash)
    .where('shared', '=', true)
    .where('deleted_at', 'is', null)
    .where(isInUse(sql.ref('reports.account_id')))
    .executeTakeFirst();
}

/**
 * Shares a report, or stops sharing it.
 * @param link its new link; a report that is already shared keeps its link
 */
export async function setShared(db: Executor, reportId: string, shared: boolean, link: KeptSecret): Promise<void> {
  await reportTransaction(db, reportId, async ({ trx, markResultsKept }) => {
    markResultsKept();
    const { hash, sealed } = shared ? link : { hash: null, sealed: null };
    await trx
      .updateTable('reports')
      .set({ shared, share_hash: hash, share_sealed: sealed })
      .where('id', '=', reportId)
      .where(sql<SqlBool>`NOT (${shared} AND shared)`)
      .execute();
  });
}
