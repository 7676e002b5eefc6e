import { type SqlBool, sql } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';
import type { Executor } from '../database.ts';
import { storableFailure } from '../storable.ts';

/** The stored session of a report. */
export interface StoredSession {
  /** How many logins of the report have worked. */
  readonly number: number;
  /** Null if there is none, or if it has expired. */
  readonly sealed: Buffer | null;
  /** Why the last login did not work; null if it did. */
  readonly failure: Failure | null;
  /** How long ago the session was last known not to have ended, in milliseconds; null if it has not been asked. */
  readonly confirmedMsAgo: number | null;
}

const NONE: StoredSession = { number: 0, sealed: null, failure: null, confirmedMsAgo: null };

export async function findSession(db: Executor, reportId: string): Promise<StoredSession> {
  const row = await db
    .selectFrom('login_sessions')
    .select(['number', 'failure'])
    .select(sql<Buffer | null>`CASE WHEN expires_at > now() THEN session_sealed END`.as('sealed'))
    .select(
      sql<number | null>`extract(epoch FROM clock_timestamp() - confirmed_at)::float8 * 1000`.as('confirmedMsAgo'),
    )
    .where('report_id', '=', reportId)
    .executeTakeFirst();
  return row ?? NONE;
}

/**
 * Reserves the next login of a report, so that only one process signs in.
 * @param number of the logins that have worked so far
 * @param leaseMs how long others wait for it
 * @returns `busy` if another process is signing in or has signed in, `gone` if the report has been deleted
 */
export async function reserveLogin(
  db: Executor,
  { reportId, number }: { readonly reportId: string; readonly number: number },
  leaseMs: number,
): Promise<'reserved' | 'busy' | 'gone'> {
  const { rows } = await sql`
    INSERT INTO login_sessions (report_id, busy_until)
    SELECT id, clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}) FROM reports WHERE id = ${reportId} AND deleted_at IS NULL
    ON CONFLICT (report_id) DO UPDATE SET busy_until = EXCLUDED.busy_until
    WHERE login_sessions.number = ${number} AND coalesce(login_sessions.busy_until < clock_timestamp(), true)
    RETURNING number`.execute(db);
  if (rows.length > 0) return 'reserved';
  const report = db.selectFrom('reports').select('id').where('id', '=', reportId).where('deleted_at', 'is', null);
  return (await report.executeTakeFirst()) === undefined ? 'gone' : 'busy';
}

/** Stores the session of a login that has worked, and ends its reservation. */
export async function saveSession(
  db: Executor,
  { reportId, number }: { readonly reportId: string; readonly number: number },
  sealed: Buffer,
  maxMs: number,
): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({
      number,
      session_sealed: sealed,
      failure: null,
      busy_until: null,
      confirmed_at: sql<Date>`clock_timestamp()`,
    })
    .set({ expires_at: sql<Date>`now() + make_interval(secs => ${maxMs / 1_000})` })
    .where('report_id', '=', reportId)
    .where('number', '=', number - 1)
    .execute();
}

/** How a reservation ended without a session. */
type NoLogin = { readonly failure: Failure } | 'not_needed' | 'broken_off';

/** Ends a reservation without a new session: because the present one has not ended, or with the reason why there is none. */
export async function endReservation(db: Executor, reportId: string, how: NoLogin): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({
      busy_until: null,
      ...(how === 'not_needed' && { confirmed_at: sql<Date>`clock_timestamp()` }),
      ...(typeof how === 'object' && { failure: JSON.stringify(storableFailure(how.failure)) }),
    })
    .where('report_id', '=', reportId)
    .execute();
}

/** Replaces a session that the site has changed, unless there has been another login. */
export async function replaceSession(
  db: Executor,
  { reportId, number }: { readonly reportId: string; readonly number: number },
  sealed: Buffer,
): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({ session_sealed: sealed })
    .where('report_id', '=', reportId)
    .where('number', '=', number)
    .execute();
}

/** Removes the session of a report that has ended. */
export async function removeSession(db: Executor, reportId: string): Promise<void> {
  await db.deleteFrom('login_sessions').where('report_id', '=', reportId).execute();
}

/**
 * Notes that the one-time password of a period is used.
 * @param keyCode identifies the key without revealing it
 * @returns false if it has been used, or one of a later period
 */
export async function useTotpPeriod(db: Executor, keyCode: Buffer, period: number): Promise<boolean> {
  const row = await db
    .insertInto('used_totp_periods')
    .values({ key_code: keyCode, period })
    .onConflict((conflict) =>
      conflict
        .column('key_code')
        .doUpdateSet({ period, used_at: sql<Date>`now()` })
        .where(sql<SqlBool>`used_totp_periods.period < ${period}`),
    )
    .returning('period')
    .executeTakeFirst();
  return row !== undefined;
}
