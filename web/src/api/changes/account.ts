import { change, type Item } from '../client.ts';

/** Chooses what new reports, sites and schedules of the account are measured by. */
export function chooseStandard(
  measure: Pick<Item<'account'>, 'standard' | 'best_practices'>,
): Promise<Item<'account'>> {
  return change<'account'>('/account', measure);
}
