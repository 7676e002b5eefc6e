import type { New } from '../../../../packages/client/client.ts';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Creates a schedule.
 * @param attributes those of `POST /schedules`, which the service checks
 * @param key makes a repetition after a lost answer create nothing
 */
export function createSchedule(attributes: object, key?: string): Promise<Item<'schedule'>> {
  return create<'schedule'>('/schedules', attributes as New<'schedule'>, key);
}

/** Changes some attributes of a schedule. */
export function changeSchedule(id: string, attributes: object): Promise<Item<'schedule'>> {
  return change<'schedule'>(`/schedules/${id}`, attributes);
}

/** Deletes a schedule. Its reports stay. */
export function deleteSchedule(id: string): Promise<void> {
  return remove(`/schedules/${id}`);
}

/** Starts a report of an active schedule now. */
export function runSchedule(id: string): Promise<Item<'report'>> {
  return create<'report'>(`/schedules/${id}/runs`);
}
