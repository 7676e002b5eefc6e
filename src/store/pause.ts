import { sql } from 'kysely';
import { RetryLater } from '../platform/errors.ts';
import { type Database, type Executor, inTransaction } from './database.ts';
import { announceWork } from './work-topics.ts';

/** Announced when the installation is paused or resumed. */
export const PAUSE_TOPIC = 'pause';

/** Returns since when the installation is paused; null if it is not. */
export async function pausedSince(db: Executor): Promise<Date | null> {
  const row = await db.selectFrom('installation').select('paused_at').executeTakeFirst();
  return row?.paused_at ?? null;
}

/** Pauses or resumes the installation, in all its processes. Returns whether that changed anything. */
export function setPaused(db: Database, paused: boolean): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { numAffectedRows = 0n } = await sql`
      INSERT INTO installation (paused_at) SELECT now() WHERE ${paused}
      ON CONFLICT (is_only) DO UPDATE SET paused_at = now() WHERE installation.paused_at IS NULL`.execute(trx);
    const { numAffectedRows: resumed = 0n } = await sql`
      UPDATE installation SET paused_at = NULL WHERE NOT ${paused} AND paused_at IS NOT NULL`.execute(trx);
    await announceWork(trx, [PAUSE_TOPIC]);
    return numAffectedRows + resumed > 0n;
  });
}

/** Seconds after which a paused installation may have been resumed. */
const RETRY_AFTER_S = 60;

/** @throws AppError paused */
export async function requireResumed(db: Executor): Promise<void> {
  if ((await pausedSince(db)) === null) return;
  const detail = 'This installation is paused: sites can be checked again after its operator resumes it.';
  throw new RetryLater('paused', detail, RETRY_AFTER_S);
}
