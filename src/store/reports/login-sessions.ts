import { type SqlBool, sql } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';
import { type Executor, inTransaction } from '../database.ts';
import { storableFailure } from '../storable.ts';

/** The stored session of a report. */
export interface StoredSession {
  /** How many logins of the report have succeeded. */
  readonly number: number;
  /** Null if there is none, or if it has expired. */
  readonly sealed: Buffer | null;
  /** Encrypted: the secret values of all sessions of the report, which are masked. */
  readonly secretsSealed: Buffer | null;
  /** Why the last login failed; null if it succeeded. */
  readonly failure: Failure | null;
  /** How long ago the session was last known to be active, in milliseconds; null if that is not known. */
  readonly confirmedMsAgo: number | null;
  /** How long the logins of the report have taken in total, in milliseconds. */
  readonly spentMs: number;
}

const NONE: StoredSession = {
  ...{ number: 0, sealed: null, secretsSealed: null, failure: null },
  ...{ confirmedMsAgo: null, spentMs: 0 },
};

export async function findSession(db: Executor, reportId: string): Promise<StoredSession> {
  const row = await db
    .selectFrom('login_sessions')
    .select(['number', 'failure', 'secrets_sealed as secretsSealed', 'spent_ms as spentMs'])
    .select(sql<Buffer | null>`CASE WHEN expires_at > now() THEN session_sealed END`.as('sealed'))
    .select(
      sql<number | null>`extract(epoch FROM clock_timestamp() - confirmed_at)::float8 * 1000`.as('confirmedMsAgo'),
    )
    .where('report_id', '=', reportId)
    .executeTakeFirst();
  return row ?? NONE;
}

/** The right to sign in to the site of a report, which one process has at a time. */
export interface LoginReservation {
  readonly reportId: string;
  /** The number of logins that have succeeded so far. */
  readonly number: number;
  /** Identifies the holder. */
  readonly by: string;
}

/**
 * Reserves the next login of a report.
 * @param leaseMs how long others wait for it, unless it is extended
 * @returns `busy` if another process is signing in or has signed in, `gone` if the report has ended or has been deleted
 */
export async function reserveLogin(
  db: Executor,
  { reportId, number, by }: LoginReservation,
  leaseMs: number,
): Promise<'reserved' | 'busy' | 'gone'> {
  const { rows } = await sql`
    INSERT INTO login_sessions (report_id, busy_until, busy_by, busy_since)
    SELECT id, ${after(leaseMs)}, ${by}::uuid, clock_timestamp() FROM reports WHERE id = ${reportId} AND ${USES_SESSION}
    ON CONFLICT (report_id) DO UPDATE SET busy_until = EXCLUDED.busy_until, busy_by = EXCLUDED.busy_by, busy_since = EXCLUDED.busy_since
    WHERE login_sessions.number = ${number} AND coalesce(login_sessions.busy_until < clock_timestamp(), true)
    RETURNING number`.execute(db);
  if (rows.length > 0) return 'reserved';
  const report = db.selectFrom('reports').select('id').where('id', '=', reportId).where(USES_SESSION);
  return (await report.executeTakeFirst()) === undefined ? 'gone' : 'busy';
}

/** A report that has ended, for example because it was stopped, must not sign in anymore. */
const USES_SESSION = sql<SqlBool>`deleted_at IS NULL AND status NOT IN ('finished', 'failed')`;

const after = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})`;

/** @returns false if the reservation has ended, and another process may hold one */
export async function extendReservation(
  db: Executor,
  { reportId, by }: LoginReservation,
  leaseMs: number,
): Promise<boolean> {
  const row = await db
    .updateTable('login_sessions')
    .set({ busy_until: after(leaseMs) })
    .where('report_id', '=', reportId)
    .where('busy_by', '=', by)
    .returning('number')
    .executeTakeFirst();
  return row !== undefined;
}

const FREE = { busy_until: null, busy_by: null, busy_since: null };
/** Checking whether a session is active does not count: pages may cause that again and again. */
const SPENT = {
  spent_ms: sql<number>`spent_ms + coalesce(extract(epoch FROM clock_timestamp() - busy_since) * 1000, 0)::bigint`,
};

/** A session to store. */
export interface SealedSession {
  readonly sealed: Buffer;
  /** Adds the secret values of the session to the earlier ones. All are encrypted. */
  readonly addSecrets: (earlier: Buffer | null) => Buffer;
}

/** How a reservation ends. */
export type ReservationEnd =
  /** The login has succeeded. */
  | (SealedSession & { readonly maxMs: number })
  /** The login has failed: there is no session anymore. */
  | { readonly failure: Failure }
  /** The current session is still active. */
  | 'not_needed'
  | 'broken_off';

/**
 * Ends a reservation.
 * @returns false if it had already ended, so that nothing was stored
 */
export async function endReservation(
  db: Executor,
  { reportId, number, by }: LoginReservation,
  how: ReservationEnd,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const own = trx.selectFrom('login_sessions').where('report_id', '=', reportId).where('busy_by', '=', by);
    const row = await own.select('secrets_sealed').forUpdate().executeTakeFirst();
    if (row === undefined) return false;
    await trx
      .updateTable('login_sessions')
      .set({ ...FREE, ...(how !== 'not_needed' && SPENT), ...changesOf(how, number, row.secrets_sealed) })
      .where('report_id', '=', reportId)
      .execute();
    return true;
  });
}

function changesOf(how: ReservationEnd, number: number, earlier: Buffer | null) {
  if (how === 'broken_off') return {};
  // The session may have ended since the check of it began.
  if (how === 'not_needed') return { confirmed_at: sql<Date>`busy_since` };
  if ('failure' in how) return { session_sealed: null, failure: JSON.stringify(storableFailure(how.failure)) };
  const { sealed, addSecrets, maxMs } = how;
  const stored = { number: number + 1, session_sealed: sealed, secrets_sealed: addSecrets(earlier), failure: null };
  return { confirmed_at: sql<Date>`clock_timestamp()`, ...stored, expires_at: after(maxMs) };
}

/** Replaces a session that the site has changed, unless it has ended. */
export async function replaceSession(
  db: Executor,
  { reportId, number }: Pick<LoginReservation, 'reportId' | 'number'>,
  { sealed, addSecrets }: SealedSession,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const same = trx.selectFrom('login_sessions').where('report_id', '=', reportId).where('number', '=', number);
    const lasting = same.where('session_sealed', 'is not', null);
    const row = await lasting.select('secrets_sealed').forUpdate().executeTakeFirst();
    if (row === undefined) return;
    await trx
      .updateTable('login_sessions')
      .set({ session_sealed: sealed, secrets_sealed: addSecrets(row.secrets_sealed) })
      .where('report_id', '=', reportId)
      .execute();
  });
}

/** Ends the session of a report that has ended. The values to be masked stay. */
export async function removeSession(db: Executor, reportId: string): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({ number: 0, spent_ms: 0, session_sealed: null, failure: null, confirmed_at: null, expires_at: null })
    // A login that is in progress will not be stored anymore.
    .set(FREE)
    .where('report_id', '=', reportId)
    .execute();
}

/** Removes everything stored about the sessions of a report that is being deleted. */
export async function forgetSessions(db: Executor, reportId: string): Promise<void> {
  await db.deleteFrom('login_sessions').where('report_id', '=', reportId).execute();
}

/**
 * Records that the one-time password of a period is used.
 * @param keyCode identifies the key without revealing it
 * @returns false if it or one of a later period has already been used
 */
export async function useTotpPeriod(db: Executor, keyCode: Buffer, period: number): Promise<boolean> {
  // Sites refuse codes that are older than a few minutes.
  await db.deleteFrom('used_totp_periods').where('used_at', '<', sql<Date>`now() - interval '1 day'`).execute();
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
