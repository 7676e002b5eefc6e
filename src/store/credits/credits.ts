import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { type Failure, sentenceOf } from '../../domain/failures/failure.ts';
import { NEAR_LIMIT_PERCENT } from '../../domain/notifications.ts';
import { AppError } from '../../platform/errors.ts';
import { isInUseByKey } from '../accounts/account-states.ts';
import { guestAccountOf, thisMonth, usageThisMonth } from '../accounts/guest-accounts.ts';
import type { Executor } from '../database.ts';
import { recordNearLimit } from '../notifications/notification-events.ts';
import type { CreditReason, Schema } from '../schema.ts';
import { recordMovement } from './credit-entries.ts';

/** Whose credits ran out: the account's, or a guest's for this month. */
export type Shortage = 'account' | 'guest';

/** Returns the stored error of a report whose checks could not all be paid for. */
export function creditsOver(payer: Shortage): string {
  return JSON.stringify({ code: 'credits_over', params: { payer } } satisfies Failure);
}

/** There are not enough credits left. */
export class CreditsExhausted extends AppError {
  readonly payer: Shortage;
  readonly failure: Failure;

  constructor(payer: Shortage) {
    const failure: Failure = { code: 'not_enough_credits', params: { payer } };
    super('credits_exhausted', sentenceOf(failure));
    this.payer = payer;
    this.failure = failure;
  }
}

/** The account that pays, and its remaining credits. */
export interface Payer {
  readonly accountId: string;
  /** The account's balance; null is unlimited. */
  readonly credits: number | null;
  /** If a guest spends the credits: the guest account, and the guest's remaining credits of this month. */
  readonly guestAccountId: string | null;
  readonly usageLeft: number | null;
}

export interface TakenCredits {
  /** Number of credits taken, at most the number requested. */
  readonly granted: number;
  /** The reason if fewer were taken; otherwise null. */
  readonly shortage: Shortage | null;
  /** The columns of a check that one of these credits pays for. */
  readonly paid: { readonly paid_by: string | null; readonly usage_month: RawBuilder<Date> | null };
}

/** Credits that were taken for checks, to be refunded. */
export interface Payment {
  readonly paidBy: string | null;
  readonly count: number;
  /** The number of them that counts as a guest's usage of this month. */
  readonly usage: number;
}

/**
 * Returns the payer of a report: the host of the guest account that it was created under, as long as that account exists and the
 * host is in use; otherwise its owner.
 */
export function payerOfReport(db: Executor, reportId: string): Promise<Payer> {
  return findPayer(db, sql`SELECT account_id, guest_account_id FROM reports WHERE id = ${reportId}`);
}

/** Returns the payer of an account's actions outside of reports. */
export function payerOfAccount(db: Executor, accountId: string): Promise<Payer> {
  const id = sql`${accountId}::uuid`;
  return findPayer(db, sql`SELECT ${id} AS account_id, ${guestAccountOf(id)} AS guest_account_id`);
}

/** Builds the condition that no credit is left for an account's actions outside of existing reports. */
export function isOutOfCredits(accountId: Expression<unknown>): RawBuilder<SqlBool> {
  const spender = sql`SELECT ${accountId} AS account_id, ${guestAccountOf(accountId)} AS guest_account_id`;
  return sql<SqlBool>`EXISTS (SELECT FROM (${payersOf(spender)}) payer WHERE payer.credits < 1 OR payer."usageLeft" < 1)`;
}

async function findPayer(db: Executor, spender: RawBuilder<unknown>): Promise<Payer> {
  const { rows } = await payersOf(spender).execute(db);
  const [payer] = rows;
  if (payer === undefined) throw new Error('The report or account does not exist');
  return payer;
}

function payersOf(spender: RawBuilder<unknown>): RawBuilder<Payer> {
  return sql<Payer>`
    SELECT a.id AS "accountId", a.credits, g.id AS "guestAccountId",
      CASE WHEN g.id IS NOT NULL THEN greatest(g.max_usage - ${usageThisMonth}, 0) END AS "usageLeft"
    FROM (${spender}) AS spender
    LEFT JOIN guest_accounts g ON g.id = spender.guest_account_id AND g.deleted_at IS NULL
      AND ${isInUseByKey(sql`g.host_id`)}
    JOIN accounts a ON a.id = coalesce(g.host_id, spender.account_id)`;
}

/** Returns the number of credits that can be spent; null is unlimited. */
export function creditsLeft({ credits, usageLeft }: Payer): number | null {
  if (credits === null || usageLeft === null) return credits ?? usageLeft;
  return Math.min(credits, usageLeft);
}

/** Returns whose credits have run out if fewer are left than needed; otherwise null. */
export function shortageOf({ credits, usageLeft }: Payer, needed: number): Shortage | null {
  if (usageLeft !== null && usageLeft < needed) return 'guest';
  return credits !== null && credits < needed ? 'account' : null;
}

/** Takes credits for a report from its payer, as many as there are. */
export async function takeReportCredits(
  trx: Transaction<Schema>,
  reportId: string,
  wanted: number,
  reason: CreditReason,
): Promise<TakenCredits> {
  if (wanted === 0) return { granted: 0, shortage: null, paid: { paid_by: null, usage_month: null } };
  return takeCredits(trx, () => payerOfReport(trx, reportId), wanted, { reason, reportId });
}

/** The same for an account's actions outside of reports. */
export async function takeAccountCredits(
  trx: Transaction<Schema>,
  accountId: string,
  wanted: number,
  reason: CreditReason,
): Promise<TakenCredits> {
  return takeCredits(trx, () => payerOfAccount(trx, accountId), wanted, { reason, reportId: null });
}

/**
 * Takes credits, as many as there are. Locks the guest account and then the account until the transaction ends, unless the
 * credits are unlimited and no guest spends them. The transaction must have locked reports and documents before.
 */
async function takeCredits(
  trx: Transaction<Schema>,
  find: () => Promise<Payer>,
  wanted: number,
  use: { readonly reason: CreditReason; readonly reportId: string | null },
): Promise<TakenCredits> {
  const payer = await lockPayer(trx, find);
  const { usageLeft } = payer;
  const allowed = Math.min(wanted, usageLeft ?? wanted);
  const taken = payer.credits === null || allowed === 0 ? null : await debit(trx, payer.accountId, allowed, use);
  const granted = taken ?? allowed;
  const { guestAccountId } = payer;
  if (usageLeft !== null && guestAccountId !== null && granted > 0) await countUsage(trx, guestAccountId, granted);
  return {
    granted,
    shortage: granted === wanted ? null : granted < allowed ? 'account' : 'guest',
    paid: {
      paid_by: taken === null ? null : payer.accountId,
      usage_month: usageLeft === null ? null : thisMonth,
    },
  };
}

/** Finds the payer and locks the guest account. Tries again if the guest account was deleted in between. */
async function lockPayer(trx: Transaction<Schema>, find: () => Promise<Payer>): Promise<Payer> {
  for (;;) {
    const payer = await find();
    if (payer.guestAccountId === null) return payer;
    const { rows } = await sql<Pick<Payer, 'usageLeft'>>`
      SELECT greatest(g.max_usage - ${usageThisMonth}, 0) AS "usageLeft" FROM guest_accounts g
      WHERE g.id = ${payer.guestAccountId} AND g.deleted_at IS NULL FOR NO KEY UPDATE`.execute(trx);
    const [locked] = rows;
    if (locked !== undefined) return { ...payer, ...locked };
  }
}

async function countUsage(trx: Transaction<Schema>, guestAccountId: string, count: number): Promise<void> {
  const { rows } = await sql<{ usage: number; max: number }>`
    UPDATE guest_accounts g SET usage = ${usageThisMonth} + ${count}, usage_month = ${thisMonth}
    WHERE g.id = ${guestAccountId} RETURNING g.usage, g.max_usage AS max`.execute(trx);
  for (const { usage, max } of rows) {
    const near = (max * NEAR_LIMIT_PERCENT) / 100;
    if (usage >= near && usage - count < near) await recordNearLimit(trx, guestAccountId);
  }
}

/** @returns the credits taken; null if they have become unlimited */
async function debit(
  trx: Transaction<Schema>,
  accountId: string,
  wanted: number,
  use: { readonly reason: CreditReason; readonly reportId: string | null },
): Promise<number | null> {
  const { rows } = await sql<{ taken: number; balance: number }>`
    UPDATE accounts SET credits = credits - least(credits, ${wanted}) WHERE id = ${accountId} AND credits IS NOT NULL
    RETURNING old.credits - new.credits AS taken, new.credits AS balance`.execute(trx);
  const [debited] = rows;
  if (debited === undefined) return null;
  const { taken, balance } = debited;
  if (taken > 0) await recordMovement(trx, { accountId, amount: -taken, balance, ...use });
  return taken;
}

/** Refunds credits to the accounts that paid them. Locks like `takeCredits`. */
export async function refund(trx: Transaction<Schema>, reportId: string, payments: readonly Payment[]): Promise<void> {
  if (payments.length === 0) return;
  const usage = payments.reduce((sum, payment) => sum + payment.usage, 0);
  // Even if no usage is from this month, because the guest account is always locked before an account.
  await sql`
    UPDATE guest_accounts
    SET usage = CASE WHEN usage_month = ${thisMonth} THEN greatest(usage - ${usage}, 0) ELSE usage END
    WHERE id = (SELECT guest_account_id FROM reports WHERE id = ${reportId})`.execute(trx);
  const counts = new Map<string, number>();
  for (const { paidBy, count } of payments) if (paidBy !== null) counts.set(paidBy, (counts.get(paidBy) ?? 0) + count);
  // Accounts are locked in the order of their ids to avoid deadlocks.
  for (const [accountId, count] of [...counts].sort()) {
    const { rows } = await sql<{ balance: number }>`
      UPDATE accounts SET credits = credits + ${count} WHERE id = ${accountId} AND credits IS NOT NULL
      RETURNING credits AS balance`.execute(trx);
    const [credited] = rows;
    if (credited === undefined) continue;
    const { balance } = credited;
    await recordMovement(trx, { accountId, amount: count, reason: 'refund', balance, reportId });
  }
}

/** Sets an account's balance; null is unlimited. */
export async function setCredits(
  trx: Transaction<Schema>,
  accountId: string,
  change: (balance: number | null) => number | null,
  reason: CreditReason,
): Promise<number | null> {
  const { credits } = await trx
    .selectFrom('accounts')
    .select('credits')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const balance = change(credits);
  if (balance === credits) return balance;
  await trx
    .updateTable('accounts')
    .set({ credits: balance, updated_at: sql<Date>`now()` })
    .where('id', '=', accountId)
    .execute();
  await recordMovement(trx, { accountId, amount: (balance ?? 0) - (credits ?? 0), reason, balance, reportId: null });
  return balance;
}

/**
 * Counts API requests by an account.
 * @returns the whole credits that are due now; 0 if the account does not exist
 */
export async function addApiRequests(
  trx: Transaction<Schema>,
  accountId: string,
  requests: number,
  requestsPerCredit: number,
): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    INSERT INTO api_usage AS u (account_id, requests)
    SELECT id, ${requests} % ${requestsPerCredit}::integer FROM accounts WHERE id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE SET requests = (u.requests + ${requests}) % ${requestsPerCredit}::integer
    RETURNING (coalesce(old.requests, 0) + ${requests}) / ${requestsPerCredit}::integer AS due`.execute(trx);
  return rows[0]?.due ?? 0;
}
