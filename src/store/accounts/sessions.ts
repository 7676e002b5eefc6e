import { type Insertable, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Measure } from '../../../packages/client/standards.ts';
import type { Executor } from '../database.ts';
import type { Plan, Schema } from '../schema.ts';
import { chosenMeasure } from './accounts.ts';
import { planOf } from './guest-accounts.ts';

/** A session ends when it has not been used for this long. */
const IDLE_DAYS = 30;
/** A session ends this long after the sign-in, regardless of its use. */
export const SESSION_DAYS = 90;
/** A session is recent for this long after the sign-in. */
export const RECENT_MINUTES = 15;
/** Precision of `last_seen_at`. */
const LAST_SEEN_SECONDS = 60;

const isAlive = sql<boolean>`s.last_seen_at > now() - make_interval(days => ${sql.lit(IDLE_DAYS)})
  AND s.inserted_at > now() - make_interval(days => ${sql.lit(SESSION_DAYS)})`;
const isStale = sql<boolean>`s.last_seen_at < now() - make_interval(secs => ${sql.lit(LAST_SEEN_SECONDS)})`;
const endsAt = sql<Date>`s.inserted_at + make_interval(days => ${sql.lit(SESSION_DAYS)})`;

/** A session and its account, as authentication needs them. */
export interface SessionHolder {
  readonly sessionId: number;
  readonly accountId: string;
  /** The plan that applies: the host's if the account is a guest, else its own. */
  readonly plan: Plan;
  readonly ownPlan: Plan;
  /** Whether the account is an operator. */
  readonly operator: boolean;
  /** The standard that the account has chosen; null if it has chosen none. */
  readonly chosenMeasure: Measure | null;
  /** True if `last_seen_at` is older than its precision, so that it has to be updated. */
  readonly lastSeenStale: boolean;
}

/** A session as its account may see it. */
export interface SessionInfo {
  readonly id: number;
  readonly user_agent: string | null;
  readonly inserted_at: Date;
  /** To the minute. */
  readonly last_seen_at: Date;
  /** When it ends, even if it is in use. */
  readonly expires_at: Date;
  /** The email address before it was changed in another session; null if it was not, or if the session has shown it. */
  readonly former_email: string | null;
}

/** Returns the session whose secret has this hash, unless it has ended. */
export async function findSessionHolder(db: Executor, hash: Buffer): Promise<SessionHolder | undefined> {
  return db
    .selectFrom('sessions as s')
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id as sessionId', 'a.id as accountId', 'a.plan as ownPlan', 'a.operator'])
    .select(chosenMeasure.as('chosenMeasure'))
    .select(isStale.as('lastSeenStale'))
    .select(planOf(sql.ref('a.id')).as('plan'))
    .where('s.hash', '=', hash)
    .where('a.disabled_at', 'is', null)
    .where(isAlive)
    .executeTakeFirst();
}

/** Records that the session was used now, unless another request has just done so. */
export async function touchSession(db: Executor, id: number): Promise<void> {
  await db
    .updateTable('sessions as s')
    .set({ last_seen_at: sql`now()` })
    .where('s.id', '=', id)
    .where(isStale)
    .execute();
}

export async function insertSession(db: Executor, session: Insertable<Schema['sessions']>): Promise<number> {
  const { id } = await db.insertInto('sessions').values(session).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Returns the sessions of an account that have not ended, last seen first. */
export async function selectSessions(db: Executor, accountId: string): Promise<SessionInfo[]> {
  return sessionsOf(db, accountId).orderBy('s.last_seen_at', 'desc').orderBy('s.id', 'desc').execute();
}

/** Returns a session of an account unless it has ended. */
export async function findSession(db: Executor, accountId: string, id: number): Promise<SessionInfo | undefined> {
  return sessionsOf(db, accountId).where('s.id', '=', id).executeTakeFirst();
}

/** Whether a session was opened a short time ago. */
export async function wasOpenedRecently(db: Executor, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('inserted_at', '>', sql<Date>`now() - make_interval(mins => ${sql.lit(RECENT_MINUTES)})`)
    .executeTakeFirst();
  return row !== undefined;
}

function sessionsOf(db: Executor, accountId: string) {
  return db
    .selectFrom('sessions as s')
    .select(['s.id', 's.user_agent', 's.inserted_at', 's.last_seen_at', 's.former_email'])
    .select(endsAt.as('expires_at'))
    .where('s.account_id', '=', accountId)
    .where(isAlive);
}

/**
 * Makes the sessions of an account, except the session `exceptId` if it is not null, show the former email address. The first
 * former address stays until it has been shown.
 */
export async function rememberFormerAddress(
  db: Executor,
  accountId: string,
  email: string,
  exceptId: number | null,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ former_email: email })
    .where('account_id', '=', accountId)
    .where('former_email', 'is', null)
    .$if(exceptId !== null, (query) => query.where('id', '<>', exceptId))
    .execute();
}

/** Records that a session has shown the former email address. */
export async function forgetFormerAddress(db: Executor, id: number): Promise<void> {
  await db.updateTable('sessions').set({ former_email: null }).where('id', '=', id).execute();
}

/** Ends a session of an account. Returns false if it has none with this id. */
export async function deleteSession(db: Executor, accountId: string, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends all sessions of an account, except one unless `keptId` is null. */
export async function deleteOtherSessions(db: Executor, accountId: string, keptId: number | null): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .$if(keptId !== null, (query) => query.where('id', '<>', keptId))
    .execute();
}

/** Ends the least recently seen sessions of an account, so that this many are left. */
export async function limitSessions(trx: Transaction<Schema>, accountId: string, max: number): Promise<void> {
  const kept: RawBuilder<number> = sql`(SELECT id FROM sessions WHERE account_id = ${accountId}
    ORDER BY last_seen_at DESC, id DESC LIMIT ${max})`;
  await trx.deleteFrom('sessions').where('account_id', '=', accountId).where('id', 'not in', kept).execute();
}

/** Deletes sessions that have ended. */
export async function deleteEndedSessions(db: Executor): Promise<void> {
  await db.deleteFrom('sessions as s').where(sql<boolean>`NOT (${isAlive})`).execute();
}
