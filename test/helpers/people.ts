import { readableGuestAccount, type Viewer } from '../../src/accounts/access.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { acceptInvitation, createGuestAccount } from '../../src/accounts/guest-accounts.ts';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { openSecret } from '../../src/platform/kept-secret.ts';
import type { Database } from '../../src/store/database.ts';
import type { Account } from '../../src/store/schema.ts';
import { credentialStore } from './credential-store.ts';

/**
 * Users of the API: the owner of the reports, a guest of theirs, a stranger, the owner with a token that may
 * only read, and an account on the free plan.
 */
export interface People {
  readonly ownerId: string;
  readonly guestId: string;
  readonly strangerId: string;
  readonly freeId: string;
  /** Under which the guest works on the owner's behalf: up to 1,000 credits per month. */
  readonly guestAccountId: string;
  /** Tokens of the accounts. */
  readonly owner: string;
  readonly guest: string;
  readonly stranger: string;
  readonly reader: string;
  readonly free: string;
}

export async function invitePeople(db: Database): Promise<People> {
  const owner = await createAccount(db, { email: 'owner@example.com', name: 'Owner' });
  const guest = await createAccount(db, { email: 'guest@example.com', name: 'Guest', plan: 'free', credits: 0 });
  const stranger = await createAccount(db, { email: 'stranger@example.com', name: 'Stranger' });
  const free = await createAccount(db, { email: 'free@example.com', name: 'Free', plan: 'free' });
  const token = async (accountId: string, scope: 'read' | 'write') =>
    (await createToken(db, { accountId, scope })).token;
  const guestAccountId = await inviteGuest(db, owner, guest);
  return {
    ownerId: owner.id,
    guestId: guest.id,
    strangerId: stranger.id,
    freeId: free.id,
    guestAccountId,
    owner: await token(owner.id, 'write'),
    guest: await token(guest.id, 'write'),
    stranger: await token(stranger.id, 'write'),
    reader: await token(owner.id, 'read'),
    free: await token(free.id, 'write'),
  };
}

/** Makes an account the guest of another one. @returns the id of the guest account */
export async function inviteGuest(db: Database, host: Person, guest: Person): Promise<string> {
  const id = await createGuestAccount({ db, credentialStore }, viewer(host), 1_000);
  const { invitation_hash: hash, invitation_sealed: sealed } = await readableGuestAccount(db, viewer(host), id);
  await acceptInvitation(db, viewer(guest), openSecret(credentialStore.box, hash, sealed) ?? '');
  return id;
}

type Person = Pick<Account, 'id' | 'plan'>;

function viewer({ id, plan }: Person): Viewer {
  const limits = DEFAULT_LIMITS[plan];
  const account = { accountId: id, link: null, plan, limits };
  const measure = { standard: null, best_practices: false };
  return {
    ...account,
    guestAccountsMax: limits.guest_accounts,
    measure,
    scope: 'write',
    isOperator: false,
    tokenExpiresAt: null,
  };
}
