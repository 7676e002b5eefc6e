import { type SqlBool, sql } from 'kysely';
import { type KeptSecret, keepSecret, newSecret } from '../platform/kept-secret.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { changeReport } from './change-report.ts';
import type { Database, Executor } from './database.ts';
import { planOf } from './guest-accounts.ts';
import type { Plan } from './schema.ts';

/** What a share link opens. */
export interface LinkedReport {
  readonly reportId: string;
  /** The plan of the report's owner: the host's if the owner is a guest. */
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
    .executeTakeFirst();
}

/**
 * Shares a report, or stops sharing it.
 * @param link its new link; a report that is shared already keeps the link that it has
 */
export async function setShared(db: Executor, reportId: string, shared: boolean, link: KeptSecret): Promise<void> {
  await changeReport(db, reportId, async ({ trx, markResultsKept }) => {
    markResultsKept();
    const { hash, sealed } = shared ? link : { hash: null, sealed: null };
    await trx
      .updateTable('reports')
      .set({ shared, share_hash: hash, share_sealed: sealed })
      .where('id', '=', reportId)
      .where(sql<SqlBool>`NOT (${shared} AND shared AND share_hash IS NOT NULL)`)
      .execute();
  });
}

/** Reports that get links in one transaction. */
const BATCH_ROWS = 500;

/** Gives links to reports that an earlier version shared. */
export async function addMissingLinks(db: Database, box: SecretBox): Promise<void> {
  while ((await addLinks(db, box)) === BATCH_ROWS);
}

/** @returns the number of reports that have a link now */
function addLinks(db: Database, box: SecretBox): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const reports = await trx
      .selectFrom('reports')
      .select('id')
      .where('shared', '=', true)
      .where('share_hash', 'is', null)
      .where('deleted_at', 'is', null)
      .limit(BATCH_ROWS)
      .forNoKeyUpdate()
      .execute();
    const links = reports.map(() => keepSecret(box, newSecret()));
    await sql`
      UPDATE reports SET share_hash = link.hash, share_sealed = link.sealed
      FROM unnest(${reports.map(({ id }) => id)}::uuid[], ${links.map(({ hash }) => hash)}::bytea[],
        ${links.map(({ sealed }) => sealed)}::bytea[]) AS link (report_id, hash, sealed)
      WHERE id = link.report_id`.execute(trx);
    return reports.length;
  });
}
