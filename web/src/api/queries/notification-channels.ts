import { queryOptions } from '@tanstack/react-query';
import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** No event announces the results of deliveries. */
const pollMs = 5_000;
/** The user is waiting for the result of a test. */
const testPollMs = 500;

/** A page of the account's notification channels. */
export function notificationChannelsQuery(query: Query) {
  return listQuery<'notification_channel'>(['notification_channels'], '/notification_channels', query);
}

/** One notification channel. */
export function notificationChannelQuery(id: string) {
  return itemQuery<'notification_channel'>(['notification_channels', id], `/notification_channels/${id}`);
}

/** A page of the deliveries of a channel in the last 7 days. It is read again while a delivery is pending. */
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
