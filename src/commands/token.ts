import { findAccountByEmailOrId } from '../accounts/accounts.ts';
import { createToken, revokeToken } from '../accounts/tokens.ts';
import { findToken, selectTokens } from '../store/accounts/api-tokens.ts';
import type { TokenScope } from '../store/schema.ts';
import { recordCommand } from './record-command.ts';
import type { Terminal } from './terminal.ts';
import { table } from './text-layout.ts';
import { withFoundation } from './with-foundation.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export async function createTokenCommand(
  terminal: Terminal,
  options: {
    readonly account: string;
    readonly scope: TokenScope;
    readonly name: string;
    /** Days. */
    readonly expires?: number;
  },
): Promise<void> {
  const { token } = await withFoundation(terminal, async ({ db }) => {
    const account = await findAccountByEmailOrId(db, options.account);
    const expiresAt = options.expires === undefined ? null : new Date(Date.now() + options.expires * DAY_MS);
    const created = await createToken(db, {
      accountId: account.id,
      scope: options.scope,
      name: options.name,
      expiresAt,
    });
    await recordCommand(db, 'token create', { accountId: account.id, path: `/api_tokens/${created.id}` });
    return created;
  });
  terminal.stdout.write(`${token}\n`);
}

export async function listTokensCommand(terminal: Terminal, options: { readonly account?: string }): Promise<void> {
  const tokens = await withFoundation(terminal, async ({ db }) => {
    const { account } = options;
    return selectTokens(db, account === undefined ? null : (await findAccountByEmailOrId(db, account)).id);
  });
  const rows = tokens.map((token) => {
    const state = token.revoked_at !== null ? 'revoked' : isPast(token.expires_at) ? 'expired' : 'valid';
    const days = [day(token.inserted_at), day(token.last_used_at), day(token.expires_at)];
    return [String(token.id), state, token.scope, token.email, ...days, token.name];
  });
  terminal.stdout.write(
    table([['ID', 'STATE', 'SCOPE', 'ACCOUNT', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'], ...rows]),
  );
}

export async function revokeTokenCommand(terminal: Terminal, id: number): Promise<void> {
  await withFoundation(terminal, async ({ db }) => {
    const token = await findToken(db, id);
    await revokeToken(db, id);
    await recordCommand(db, 'token revoke', { accountId: token?.account_id ?? null, path: `/api_tokens/${id}` });
  });
  terminal.stdout.write(`Revoked token ${id}.\n`);
}

function isPast(date: Date | null): boolean {
  return date !== null && date.getTime() <= Date.now();
}

function day(date: Date | null): string {
  return date?.toISOString().slice(0, 10) ?? 'never';
}
