import { randomBytes } from 'node:crypto';
import { AppError, notFound } from '../platform/errors.ts';
import { keepSecret, newSecret } from '../platform/kept-secret.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import * as guestAccounts from '../store/accounts/guest-accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { reapplyMutings } from '../store/mutings/mutings.ts';
import { announceWork } from '../store/work-topics.ts';
import type { Viewer } from './access.ts';

/**
 * Offers a share in the account's own plan and credits. A guest cannot share what its host shares.
 * @param maxUsage credits per month, at least 1
 * @returns the new guest account's id
 * @throws AppError pro_required if the account's own plan includes no guests; invalid if all of them are in use
 */
export function createGuestAccount(
  { db, credentialStore }: { readonly db: Executor; readonly credentialStore: { readonly box: SecretBox } },
  viewer: Viewer,
  maxUsage: number,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    const { plan } = await lockAccount(trx, viewer.accountId);
    const max = viewer.guestAccountsMax;
    if (max === 0)
      throw new AppError('pro_required', `The plan of this account (${plan}) does not include guest accounts.`);
    if ((await guestAccounts.countGuestAccounts(trx, viewer.accountId)) >= max) {
      throw new AppError(
        'invalid',
        `The plan includes at most ${max} guest accounts. Delete one that you no longer need.`,
      );
    }
    for (;;) {
      const invitation = keepSecret(credentialStore.box, newSecret());
      const account = { id: newId(), hostId: viewer.accountId, invitation, maxUsage };
      const id = await guestAccounts.insertGuestAccount(trx, account);
      if (id !== undefined) return id;
    }
  });
}

function newId(): string {
  return `G${randomBytes(5).toString('hex').slice(1).toUpperCase()}`;
}

/**
 * Returns the invitation with a secret if the viewer can accept it.
 * @param accountId null for a person who has no account yet
 * @throws AppError not_found for a wrong secret; conflict if the invitation is accepted already or the viewer's own
 */
export async function openInvitation(
  db: Executor,
  accountId: string | null,
  secret: string,
): Promise<guestAccounts.Invitation> {
  const invitation = await guestAccounts.findInvitation(db, secret);
  if (invitation === undefined) throw notFound('invitation');
  if (invitation.host_id === accountId) {
    throw new AppError('conflict', 'This is your own invitation. Only another account can accept it.');
  }
  if (invitation.guest_id !== null) throw invitationTaken();
  return invitation;
}

/**
 * Makes the viewer the guest.
 * @returns the guest account's id
 * @throws AppError like `openInvitation`
 */
export async function acceptInvitation(
  db: Executor,
  { accountId }: Pick<Viewer, 'accountId'>,
  secret: string,
): Promise<string> {
  const { id } = await openInvitation(db, accountId, secret);
  if (!(await guestAccounts.acceptInvitation(db, id, accountId))) throw invitationTaken();
  return id;
}

function invitationTaken(): AppError {
  return new AppError('conflict', 'This invitation has already been accepted. Ask for a new one.');
}

/**
 * Ends guest accounts of a host. The reports created under them belong to the guests alone from then on, so the host's mutings no
 * longer apply to them: the issues that only they muted are restored in the background.
 */
export async function endSharing(db: Executor, hostId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(db, async (trx) => {
    await reapplyMutings(trx, hostId);
    for (const id of ids) await guestAccounts.markGuestAccountDeleted(trx, id);
    await announceWork(trx, ['mutings']);
  });
}
