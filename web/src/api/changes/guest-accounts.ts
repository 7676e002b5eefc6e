import { change, create, type Item, remove } from '../client.ts';

/** Invites somebody to use the account's plan, for at most so many credits a month. */
export function createGuestAccount(maxUsage: number): Promise<Item<'guest_account'>> {
  return create('/guest_accounts', { max_usage: maxUsage });
}

/** Changes how many credits a guest may use in a month, or has used in this one. */
export function changeGuestAccount(
  id: string,
  usage: { readonly max_usage?: number; readonly current_usage?: number },
): Promise<Item<'guest_account'>> {
  return change(`/guest_accounts/${id}`, usage);
}

/** Ends the sharing, or withdraws the invitation. */
export function endGuestAccount(id: string): Promise<void> {
  return remove(`/guest_accounts/${id}`);
}
