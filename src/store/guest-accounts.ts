import { type Expression, type RawBuilder, sql } from 'kysely';
import { hashSecret, type KeptSecret } from '../platform/kept-secret.ts';
import type { Executor } from './database.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';
import type { GuestAccount, Plan } from './schema.ts';

/** A guest account as it is shown. */
export interface SharedAccount
  extends Omit<GuestAccount, 'usage' | 'usage_month' | 'deleted_at' | 'invitation_secret'> {
  /** Credits used this month. */
  readonly current_usage: number;
  /** Who accepted the invitation; null while nobody has. */
  readonly guest: { readonly name: string; readonly email: string } | null;
}

export interface NewGuestAccount {
  readonly id: string;
  readonly hostId: string;
  readonly invitation: KeptSecret;
  /** Credits a month. */
  readonly maxUsage: number;
}

export interface GuestAccountChanges {
  readonly maxUsage?: number | undefined;
  /** Credits used this month. */
  readonly currentUsage?: number | undefined;
}

/** The month that usage counts in: its first day in UTC. */
export const thisMonth = sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** Credits that a guest account's row counts in this month. */
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
 * The guest account under which an account works: the one accepted last of those that still are and whose host's plan has
 * guests. Null for no guest.
 */
export function guestAccountOf(accountId: Expression<unknown>): RawBuilder<string | null> {
  return current(sql.ref('g.id'), accountId);
}

/** The account on whose behalf an account works; null for no guest. */
export function hostOf(accountId: Expression<unknown>): RawBuilder<string | null> {
  return current(sql.ref('g.host_id'), accountId);
}

/** The plan that counts for what an account does: its host's where it is a guest, else its own. */
export function planOf(accountId: Expression<unknown>): RawBuilder<Plan> {
  return sql<Plan>`(SELECT plan FROM accounts WHERE id = coalesce(${hostOf(accountId)}, ${accountId}))`;
}

export async function findPlan(db: Executor, accountId: string): Promise<Plan> {
  const { plan } = await db.selectNoFrom(planOf(sql`${accountId}::uuid`).as('plan')).executeTakeFirstOrThrow();
  return plan;
}

function current(column: Expression<unknown>, accountId: Expression<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT ${column} FROM guest_accounts g JOIN accounts h ON h.id = g.host_id
    WHERE g.guest_id = ${accountId} AND g.deleted_at IS NULL AND h.plan <> 'free'
    ORDER BY g.accepted_at DESC, g.id DESC LIMIT 1)`;
}

/** Inserts a guest account; undefined when the id is taken. */
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
  const { count } = await db
    .selectFrom('guest_accounts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('host_id', '=', hostId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A page of a host's guest accounts, newest first. */
export async function listGuestAccounts(
  db: Executor,
  hostId: string,
  page: PageRequest,
): Promise<ListPage<SharedAccount>> {
  const list = db.selectFrom('guest_accounts').where('host_id', '=', hostId).where('deleted_at', 'is', null);
  return listPage(list, page, (rows) =>
    rows.select(COLUMNS).select(shown).orderBy('inserted_at', 'desc').orderBy('id', 'desc'),
  );
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

/** The guest account under which an account works, as the guest may see it; null for no guest. */
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

/** The guest account whose invitation has the secret, be it accepted or not. */
export async function findInvitation(
  db: Executor,
  secret: string,
): Promise<Pick<GuestAccount, 'id' | 'host_id' | 'guest_id'> | undefined> {
  return db
    .selectFrom('guest_accounts')
    .select(['id', 'host_id', 'guest_id'])
    .where('invitation_hash', '=', hashSecret(secret))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Makes an account the guest, whose invitation is worth nothing from then on; false when another was faster or the invitation is gone. */
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

/** Ends the sharing. Reports that were made under it are the guest's alone from now on. */
export async function markGuestAccountDeleted(db: Executor, id: string): Promise<void> {
  const end = { deleted_at: sql<Date>`now()`, invitation_sealed: null };
  await db.updateTable('guest_accounts').set(end).where('id', '=', id).execute();
}
