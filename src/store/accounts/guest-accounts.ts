import { type Expression, type RawBuilder, sql } from 'kysely';
import { hashSecret, type KeptSecret } from '../../platform/kept-secret.ts';
import { type Executor, inTransaction } from '../database.ts';
import { countRows, type ListPage, listPage, type PageRequest } from '../listing.ts';
import { announceChanges } from '../reports/change-announcements.ts';
import { recordLostReports } from '../reports/report-event-log.ts';
import type { GuestAccount, Plan } from '../schema.ts';
import { isInUse } from './account-states.ts';

/** A guest account as the API shows it. */
export interface SharedAccount extends Omit<GuestAccount, 'usage' | 'usage_month' | 'deleted_at'> {
  /** Credits used this month. */
  readonly current_usage: number;
  /** The account that accepted the invitation; null if it is open. */
  readonly guest: { readonly name: string; readonly email: string } | null;
}

export interface NewGuestAccount {
  readonly id: string;
  readonly hostId: string;
  readonly invitation: KeptSecret;
  /** Credits per month. */
  readonly maxUsage: number;
}

export interface GuestAccountChanges {
  readonly maxUsage?: number | undefined;
  /** Credits used this month. */
  readonly currentUsage?: number | undefined;
}

/** The first day of the current month in UTC: usage is counted by month. */
export const thisMonth = sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** The usage of a guest account in the current month, in credits. */
export const usageThisMonth = sql<number>`CASE WHEN usage_month = ${thisMonth} THEN usage ELSE 0 END`;

const COLUMNS = [
  'id',
  'host_id',
  'guest_id',
  'invitation_hash',
  'invitation_sealed',
  'max_usage',
  'accepted_at',
  'inserted_at',
  'updated_at',
] as const;

const shown = [
  usageThisMonth.as('current_usage'),
  sql<SharedAccount['guest']>`(
    SELECT jsonb_build_object('name', a.name, 'email', a.email) FROM accounts a WHERE a.id = guest_id)`.as('guest'),
] as const;

/**
 * Selects the guest account that an account uses: the one accepted last whose host is in use and has a plan with guests. Null if
 * the account is not a guest.
 */
export function guestAccountOf(accountId: Expression<unknown>): RawBuilder<string | null> {
  return usedGuestAccount(sql.ref('g.id'), accountId);
}

/** Selects the account whose plan and credits an account uses: its host if it is a guest, else the account itself. */
export function payerIdOf(accountId: Expression<unknown>): RawBuilder<string> {
  return sql<string>`coalesce(${usedGuestAccount(sql.ref('g.host_id'), accountId)}, ${accountId})`;
}

/** Selects the plan that applies to an account: its host's if it is a guest, else its own. */
export function planOf(accountId: Expression<unknown>): RawBuilder<Plan> {
  return sql<Plan>`(SELECT plan FROM accounts WHERE id = ${payerIdOf(accountId)})`;
}

export async function findPlan(db: Executor, accountId: string): Promise<Plan> {
  const { plan } = await db.selectNoFrom(planOf(sql`${accountId}::uuid`).as('plan')).executeTakeFirstOrThrow();
  return plan;
}

function usedGuestAccount(column: Expression<unknown>, accountId: Expression<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT ${column} FROM guest_accounts g JOIN accounts h ON h.id = g.host_id
    WHERE g.guest_id = ${accountId} AND g.deleted_at IS NULL AND h.plan <> 'free' AND h.disabled_at IS NULL
    ORDER BY g.accepted_at DESC, g.id DESC LIMIT 1)`;
}

/** Inserts a guest account and returns its id, or undefined if the id is taken. */
export async function insertGuestAccount(db: Executor, account: NewGuestAccount): Promise<string | undefined> {
  const row = await db
    .insertInto('guest_accounts')
    .values({
      id: account.id,
      host_id: account.hostId,
      invitation_hash: account.invitation.hash,
      invitation_sealed: account.invitation.sealed,
      max_usage: account.maxUsage,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function countGuestAccounts(db: Executor, hostId: string): Promise<number> {
  return countRows(guestAccountsOf(db, hostId));
}

/** Returns a page of a host's guest accounts, newest first. */
export async function listGuestAccounts(
  db: Executor,
  hostId: string,
  page: PageRequest,
): Promise<ListPage<SharedAccount>> {
  return listPage(guestAccountsOf(db, hostId), page, (rows) =>
    rows.select(COLUMNS).select(shown).orderBy('inserted_at', 'desc').orderBy('id', 'desc'),
  );
}

/** Returns the ids of the guest accounts of a host, including open invitations. */
export async function guestAccountIdsOf(db: Executor, hostId: string): Promise<string[]> {
  return (await guestAccountsOf(db, hostId).select('id').orderBy('id').execute()).map(({ id }) => id);
}

function guestAccountsOf(db: Executor, hostId: string) {
  return db.selectFrom('guest_accounts').where('host_id', '=', hostId).where('deleted_at', 'is', null);
}

export async function findGuestAccount(db: Executor, id: string): Promise<SharedAccount | undefined> {
  return db
    .selectFrom('guest_accounts')
    .select(COLUMNS)
    .select(shown)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Returns the guest account that an account uses, as its guest may see it; null if the account is not a guest. */
export async function findUsedGuestAccount(
  db: Executor,
  accountId: string,
): Promise<{ id: string; host: { name: string }; max_usage: number; current_usage: number } | null> {
  const account = await db
    .selectFrom('guest_accounts')
    .innerJoin('accounts as host', 'host.id', 'host_id')
    .select(['guest_accounts.id', 'max_usage', 'host.name'])
    .select(usageThisMonth.as('current_usage'))
    .where('guest_accounts.id', '=', guestAccountOf(sql`${accountId}::uuid`))
    .executeTakeFirst();
  if (account === undefined) return null;
  const { name, ...rest } = account;
  return { ...rest, host: { name } };
}

/** An invitation, as anyone with its secret may see it. */
export interface Invitation extends Pick<GuestAccount, 'id' | 'host_id' | 'guest_id' | 'max_usage'> {
  readonly host_name: string;
}

/** Returns the guest account of a host in use whose invitation has the secret, whether or not it has been accepted. */
export async function findInvitation(db: Executor, secret: string): Promise<Invitation | undefined> {
  return db
    .selectFrom('guest_accounts')
    .innerJoin('accounts as host', 'host.id', 'host_id')
    .select(['guest_accounts.id', 'host_id', 'guest_id', 'max_usage', 'host.name as host_name'])
    .where('invitation_hash', '=', hashSecret(secret))
    .where('deleted_at', 'is', null)
    .where(isInUse(sql.ref('host_id')))
    .executeTakeFirst();
}

/**
 * Makes an account the guest and ends the invitation. Returns false if another account accepted it first, or if it was deleted.
 */
export async function acceptInvitation(db: Executor, id: string, guestId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('guest_accounts')
    .set({ guest_id: guestId, invitation_sealed: null, accepted_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('guest_id', 'is', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateGuestAccount(db: Executor, id: string, changes: GuestAccountChanges): Promise<void> {
  const { maxUsage, currentUsage } = changes;
  await db
    .updateTable('guest_accounts')
    .set({
      updated_at: sql<Date>`now()`,
      ...(maxUsage === undefined ? {} : { max_usage: maxUsage }),
      ...(currentUsage === undefined ? {} : { usage: currentUsage, usage_month: thisMonth }),
    })
    .where('id', '=', id)
    .execute();
}

/** Deletes a guest account. From then on, its reports belong to the guest alone. */
export function markGuestAccountDeleted(db: Executor, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const end = { deleted_at: sql<Date>`now()`, invitation_sealed: null };
    const ended = trx.updateTable('guest_accounts').set(end).where('id', '=', id).returning('host_id');
    for (const { host_id: hostId } of await ended.execute()) {
      await recordLostReports(trx, hostId);
      await announceChanges(trx, [hostId]);
    }
  });
}
