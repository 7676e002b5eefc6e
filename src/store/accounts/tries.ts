import { sql } from 'kysely';
import type { Executor } from '../database.ts';

/**
 * Reserves the right of an account to try a login or a journey, which one request has at a time.
 * @param leaseMs how long others wait for it if the process is killed
 * @returns the end of the reservation, by which `endTry` recognizes it; null if another request holds it
 */
export async function reserveTry(db: Executor, accountId: string, leaseMs: number): Promise<Date | null> {
  const row = await db
    .updateTable('accounts')
    .set({
      trying_until: sql<Date>`date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${leaseMs / 1_000})`,
    })
    .where('id', '=', accountId)
    .where(sql<boolean>`coalesce(trying_until < clock_timestamp(), true)`)
    .returning('trying_until')
    .executeTakeFirst();
  return row?.trying_until ?? null;
}

/** Ends a reservation, unless another request holds it by now. */
export async function endTry(db: Executor, accountId: string, until: Date): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ trying_until: null })
    .where('id', '=', accountId)
    .where('trying_until', '=', until)
    .execute();
}
