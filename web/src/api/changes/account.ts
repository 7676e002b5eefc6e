import { change, type Item } from '../client.ts';

/** Chooses the standard that new reports, sites and schedules of the account are measured against. */
export function chooseStandard(
  measure: Pick<Item<'account'>, 'standard' | 'best_practices'>,
): Promise<Item<'account'>> {
  return change<'account'>('/account', measure);
}
