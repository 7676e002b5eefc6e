import type { Client, Item } from '../../../packages/client/client.ts';
import { findDevice } from '../../browser/devices.ts';
import type { CurrentSchedule, CurrentState } from './plan-sync.ts';

/**
 * Reads what an account has. @param isPro whether its plan includes schedules and mutings
 * @throws ApiError, OfflineError
 */
export async function readCurrent(client: Client, isPro: boolean): Promise<CurrentState> {
  const query = { 'filter[archived]': 'all', sort: 'starting_url-asc' };
  return {
    sites: await Array.fromAsync(client.readAll<'site'>('/sites', { query })),
    schedules: isPro ? (await Array.fromAsync(client.readAll<'schedule'>('/schedules'))).map(withDevice) : [],
    channels: await Array.fromAsync(client.readAll<'notification_channel'>('/notification_channels')),
    mutings: isPro ? await Array.fromAsync(client.readAll<'muting'>('/mutings')) : [],
  };
}

function withDevice(schedule: Item<'schedule'>): CurrentSchedule {
  return { ...schedule, device: findDevice(schedule.related.device?.split('/').at(-1) ?? '')?.name ?? null };
}
