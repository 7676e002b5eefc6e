import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

/** No event tells what becomes of deliveries. */
const pollMs = 5_000;
/** Somebody waits for what becomes of a test. */
const testPollMs = 500;

/** A page of the account's notification channels. */
export function notificationChannelsQuery(query: Query) {
  return queryOptions({
    queryKey: ['notification_channels', query],
    queryFn: ({ signal }) => readList<'notification_channel'>('/notification_channels', { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** One notification channel. */
export function notificationChannelQuery(id: string) {
  return queryOptions({
    queryKey: ['notification_channels', id],
    queryFn: ({ signal }) => read<'notification_channel'>(`/notification_channels/${id}`, { signal }),
  });
}

/** A page of what a channel was told in the last 7 days. It is read again while something waits. */
export function deliveriesQuery(channel: string, query: Query) {
  return queryOptions({
    queryKey: ['notification_channels', channel, 'deliveries', query],
    queryFn: ({ signal }) =>
      readList<'notification_delivery'>(`/notification_channels/${channel}/deliveries`, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'pending') === true ? pollMs : false,
  });
}

/** One delivery. It is read again until it has been delivered or has failed. */
export function deliveryQuery(channel: string, id: string) {
  return queryOptions({
    queryKey: ['notification_deliveries', channel, id],
    queryFn: ({ signal }) =>
      read<'notification_delivery'>(`/notification_channels/${channel}/deliveries/${id}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? testPollMs : false),
  });
}
