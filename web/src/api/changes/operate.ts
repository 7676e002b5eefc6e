import { change, create, type Item, remove } from '../client.ts';

/** Makes an account an operator, or no longer. */
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
