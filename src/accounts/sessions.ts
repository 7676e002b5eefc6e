import type { Transaction } from 'kysely';
import { accountDisabled, notFound } from '../platform/errors.ts';
import { hashSecret, newSecret } from '../platform/kept-secret.ts';
import { shortened } from '../platform/shorten.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { putPassword } from '../store/accounts/passwords.ts';
import * as sessions from '../store/accounts/sessions.ts';
import { deleteSignInLinks } from '../store/accounts/sign-in-links.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { Schema } from '../store/schema.ts';
import type { KnownDevice } from './known-devices.ts';

/** Sessions of one account: more than anyone has use for, and few enough to list. */
const SESSIONS_MAX = 100;
const USER_AGENT_CHARACTERS_MAX = 300;

/** A browser that signs in. */
export interface Browser {
  /** The address that it connects from. */
  readonly address: string;
  /** Its `User-Agent` header. */
  readonly userAgent: string | undefined;
  /** The device that its last sign-in made known; null if it has not signed in before. */
  readonly device: KnownDevice | null;
}

/** A session that has just begun. */
export interface NewSession {
  readonly id: number;
  readonly accountId: string;
  /** The value of the cookie, which cannot be retrieved again. */
  readonly secret: string;
}

/**
 * Opens a session with a new secret. If the account then has more than 100 sessions, the least recently seen session ends.
 * @throws AppError account_disabled
 */
export function openSession(
  db: Executor,
  accountId: string,
  { userAgent }: Pick<Browser, 'userAgent'>,
): Promise<NewSession> {
  return inTransaction(db, async (trx) => {
    const { disabled_at: disabledAt } = await lockAccount(trx, accountId);
    if (disabledAt !== null) throw accountDisabled();
    await sessions.limitSessions(trx, accountId, SESSIONS_MAX - 1);
    const secret = newSecret();
    const shown = userAgent === undefined ? null : shortened(userAgent, USER_AGENT_CHARACTERS_MAX);
    const row = { account_id: accountId, hash: hashSecret(secret), user_agent: shown };
    const id = await sessions.insertSession(trx, row);
    return { id, accountId, secret };
  });
}

/**
 * Sets the password of an account, ends all its sessions and links, and opens a new session.
 * @param hash from `Passwords`
 */
export async function replacePassword(
  trx: Transaction<Schema>,
  accountId: string,
  hash: string,
  browser: Pick<Browser, 'userAgent'>,
): Promise<NewSession> {
  await lockAccount(trx, accountId);
  await putPassword(trx, accountId, hash);
  await deleteSignInLinks(trx, accountId);
  await sessions.deleteOtherSessions(trx, accountId, null);
  return openSession(trx, accountId, browser);
}

/**
 * Ends a session of an account.
 * @throws AppError not_found if the account has none with this id
 */
export async function endSession(db: Executor, accountId: string, id: number): Promise<void> {
  const found = Number.isSafeInteger(id) && (await sessions.deleteSession(db, accountId, id));
  if (!found) throw notFound('session');
}
