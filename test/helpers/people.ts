import { createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import type { Database } from '../../src/store/database.ts';

/**
 * Those who knock at the API: whose reports they are, somebody else, the owner with a token that may only read, and
 * somebody on the free plan.
 */
export interface People {
  readonly ownerId: string;
  readonly strangerId: string;
  readonly freeId: string;
  /** Tokens, with which they show who they are. */
  readonly owner: string;
  readonly stranger: string;
  readonly reader: string;
  readonly free: string;
}

export async function invitePeople(db: Database): Promise<People> {
  const owner = await createAccount(db, { email: 'owner@example.com', name: 'Owner' });
  const stranger = await createAccount(db, { email: 'stranger@example.com', name: 'Stranger' });
  const free = await createAccount(db, { email: 'free@example.com', name: 'Free', plan: 'free' });
  const token = async (accountId: string, scope: 'read' | 'write') =>
    (await createToken(db, { accountId, scope })).token;
  return {
    ownerId: owner.id,
    strangerId: stranger.id,
    freeId: free.id,
    owner: await token(owner.id, 'write'),
    stranger: await token(stranger.id, 'write'),
    reader: await token(owner.id, 'read'),
    free: await token(free.id, 'write'),
  };
}
