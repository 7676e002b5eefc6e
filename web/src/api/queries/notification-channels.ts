import { queryOptions } from '@tanstack/react-query';
import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** No event tells what becomes of deliveries. */
const pollMs = 5_000;
/** Somebody waits for what becomes of a test. */
const testPollMs = 500;

/** A page of the account's notification channels. */
export function notificationChannelsQuery(query: Query) {
  return listQuery<'notification_channel'>(['notification_channels'], '/notification_channels', query);
}

/** One notification channel. */
export function notificationChannelQuery(id: string) {
  return itemQuery<'notification_channel'>(['notification_channels', id], `/notification_channels/${id}`);
}

/** A page of what a channel was told in the last 7 days. It is read again while something waits. */
export function deliveriesQuery(channel: string, query: Query) {
  const key = ['notification_channels', channel, 'deliveries'] as const;
  return queryOptions({
    ...listQuery<'notification_delivery'>(key, `/notification_channels/${channel}/deliveries`, query),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'pending') === true ? pollMs : false,
  });
}

/** One delivery. It is read again until it has been delivered or has failed. */
export function deliveryQuery(channel: string, id: string) {
  const key = ['notification_deliveries', channel, id] as const;
  return queryOptions({
    ...itemQuery<'notification_delivery'>(key, `/notification_channels/${channel}/deliveries/${id}`),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? testPollMs : false),
  });
}
