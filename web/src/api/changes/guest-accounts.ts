import { change, create, type Item, remove } from '../client.ts';

/** Creates an invitation to use the account's plan, with a limit in credits per month. */
export function createGuestAccount(maxUsage: number): Promise<Item<'guest_account'>> {
  return create('/guest_accounts', { max_usage: maxUsage });
}

/** Changes a guest's monthly limit, or how much of it is used this month. */
export function changeGuestAccount(
  id: string,
  usage: { readonly max_usage?: number; readonly current_usage?: number },
): Promise<Item<'guest_account'>> {
  return change(`/guest_accounts/${id}`, usage);
}

/** Removes a guest, or withdraws an invitation. */
export function endGuestAccount(id: string): Promise<void> {
  return remove(`/guest_accounts/${id}`);
}
