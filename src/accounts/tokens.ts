import { AppError, requireRoom } from '../platform/errors.ts';
import { hashSecret, newSecret } from '../platform/kept-secret.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import * as apiTokens from '../store/accounts/api-tokens.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import type { TokenScope } from '../store/schema.ts';
import { ensureFirstAccount } from './accounts.ts';

const TOKEN_PREFIX = 'sw_';
/** Valid tokens of one account: more than anyone needs, and few enough to list. */
export const TOKENS_MAX = 100;

export interface TokenInput {
  readonly accountId: string;
  readonly scope: TokenScope;
  readonly name?: string | undefined;
  /** Null or absent: never. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * Creates a token at the request of its account. The operator may create more.
 * @throws AppError invalid if the account has the maximum number of tokens
 */
export function createOwnToken(db: Executor, input: TokenInput): Promise<{ id: number; token: string }> {
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    await lockAccount(trx, input.accountId);
    requireRoom(await apiTokens.countValidTokens(trx, input.accountId), TOKENS_MAX, 'valid API tokens', 'Revoke');
    return createToken(trx, input);
  });
}

/** Creates a token. `token` is shown once and cannot be retrieved again. */
export async function createToken(db: Executor, input: TokenInput): Promise<{ id: number; token: string }> {
  const token = `${TOKEN_PREFIX}${newSecret()}`;
  const { accountId, scope, name = '', expiresAt = null } = input;
  const row = { account_id: accountId, scope, name, expires_at: expiresAt, hash: hashSecret(token) };
  const id = await apiTokens.insertToken(db, row);
  return { id, token };
}

/**
 * Revokes a token.
 * @throws AppError token_not_found
 */
export async function revokeToken(db: Executor, id: number): Promise<void> {
  const found = Number.isSafeInteger(id) && (await apiTokens.markTokenRevoked(db, id));
  if (!found) throw new AppError('token_not_found', `Token ${id} does not exist. To see all tokens, run: token list`);
}

/**
 * Makes the configured admin token a valid write token of the oldest operator, even if it was revoked, and revokes the token that
 * was configured before.
 * @throws AppError invalid_configuration if another account has created it
 */
export function ensureAdminToken(db: Database, token: string): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const account = await ensureFirstAccount(trx);
    const name = 'SITEWARDEN_ADMIN_TOKEN';
    const hash = hashSecret(token);
    const row = { account_id: account.id, name, scope: 'write', expires_at: null, hash } as const;
    if (!(await apiTokens.putTokenOfSetting(trx, row))) {
      throw new AppError('invalid_configuration', `${name} belongs to another account. Set another value.`);
    }
  });
}
