import { change, create, type Item, remove } from '../client.ts';

/** Creates an account with a link to set its password. */
export function createOperatedAccount(account: {
  readonly email: string;
  readonly name: string;
}): Promise<Item<'operated_account'> & { readonly sign_in_url: string }> {
  return create<'operated_account'>('/operator/accounts', account) as Promise<
    Item<'operated_account'> & { readonly sign_in_url: string }
  >;
}

/** Makes an account an operator, or revokes the role. */
export function setOperator(id: string, operator: boolean): Promise<Item<'operated_account'>> {
  return change<'operated_account'>(`/operator/accounts/${id}`, { operator });
}

/** Disables or enables an account. */
export function setDisabled(id: string, isDisabled: boolean): Promise<Item<'operated_account'>> {
  return create<'operated_account'>(`/operator/accounts/${id}/${isDisabled ? 'disable' : 'enable'}`);
}

/** Deletes an account with everything that it owns. */
export function deleteAccount(id: string): Promise<void> {
  return remove(`/operator/accounts/${id}`);
}
