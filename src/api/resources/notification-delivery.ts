import Type from 'typebox';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import { DELIVERED_EVENTS, DELIVERY_STATUSES } from '../../domain/notifications.ts';
import { count, failureCode, LIFE, nullable, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { deliverAgain, testChannel } from '../../notifications/channels.ts';
import { askAddressAgain } from '../../notifications/confirmations.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { findDelivery, listDeliveries } from '../../store/notifications/notification-deliveries.ts';
import type { NotificationDelivery } from '../../store/notifications/notification-tables.ts';
import { type Call, endpoint, listed, listOf, newOne, one } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { CHANNEL_PARAMS, ownChannel } from './notification-channel.ts';

const DELIVERY = resourceType('notification_delivery', {
  description:
    'A message sent to a notification channel. Kept for 7 days. Its id is the `webhook-id` of the message, the same for every attempt.',
  id: UUID,
  attributes: Type.Object({
    event: Type.Enum([...DELIVERED_EVENTS], { description: 'The event.', examples: ['schedule.got_worse'] }),
    status: Type.Enum([...DELIVERY_STATUSES], {
      description:
        '`pending` until it is delivered or has failed for a day; `held` until the digest of its channel is sent. Test messages are attempted once.',
      examples: ['delivered'],
    }),
    attempts: count('Attempts so far, at most 10 per day.', { examples: [1] }),
    http_status: nullable(
      Type.Integer(),
      "The HTTP status of the receiver's last response; null without a response, and for emails.",
      {
        examples: [204],
      },
    ),
    error: nullable(Type.String(), 'Why the last attempt failed; null if it did not.', { examples: [null] }),
    error_code: failureCode('error'),
    last_attempt_at: nullable(TIMESTAMP, 'The last attempt; null before the first.'),
    next_attempt_at: nullable(TIMESTAMP, 'The next attempt; null if there is none.', { examples: [null] }),
    delivered_at: nullable(TIMESTAMP, 'When it was delivered; null until then.'),
    inserted_at: Type.With(LIFE.inserted_at, { description: 'When the event happened.' }),
  }),
  relationships: {
    channel: { description: 'The channel.', path: '/notification_channels/{notification_channel_id}' },
    report: {
      description: 'The report that it is about. Absent if it is not about a report.',
      path: '/reports/{report_id}',
    },
  },
});

const DELIVERY_PARAMS = Type.Object({ ...CHANNEL_PARAMS.properties, notification_delivery_id: UUID });

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[status]': Type.Optional(
    Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries with this status.' }),
  ),
});

export const NOTIFICATION_DELIVERY_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/notification_channels/{notification_channel_id}/deliveries',
    summary: 'List the deliveries of a notification channel',
    description: 'Returns the deliveries of the last 7 days, newest first.',
    additive: true,
    params: CHANNEL_PARAMS,
    query: LIST_QUERY,
    answers: listOf(DELIVERY),
    subject: ownChannel,
    async answer({ call, subject, query, paging }) {
      const page = await listDeliveries(call.db, subject.id, query['filter[status]'], paging);
      return listed(page, (delivery) => renderDelivery(delivery, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/notification_channels/{notification_channel_id}/deliveries/{notification_delivery_id}',
    summary: 'Get a delivery of a notification channel',
    description: 'Returns one of the deliveries of the last 7 days.',
    additive: true,
    params: DELIVERY_PARAMS,
    answers: one(DELIVERY),
    subject: ownDelivery,
    answer: async ({ call, subject }) => renderDelivery(subject, call),
  }),
  endpoint({
    method: 'POST',
    path: '/notification_channels/{notification_channel_id}/deliveries/{notification_delivery_id}/repeat',
    summary: 'Repeat a delivery',
    description:
      'Sends the message again, with the same `webhook-id`, whether it was delivered or failed. If its report was deleted in the meantime, the delivery is deleted instead. Returns 409 if the delivery is pending, or if the channel is not active or not confirmed.',
    additive: true,
    params: DELIVERY_PARAMS,
    answers: one(DELIVERY),
    errors: ['conflict'],
    subject: ownDelivery,
    async answer({ call, subject }) {
      const { channel_id: channelId, id } = subject;
      await deliverAgain(call.db, channelId, id);
      const params = { notification_channel_id: channelId, notification_delivery_id: id };
      return renderDelivery(await ownDelivery(call, params), call);
    },
  }),
  endpoint({
    method: 'POST',
    path: '/notification_channels/{notification_channel_id}/test',
    summary: 'Test a notification channel',
    description:
      'Sends a test message, even if the channel is not active. It is attempted once: get the delivery again to see the result. Returns 409 if the address is not confirmed.',
    additive: true,
    params: CHANNEL_PARAMS,
    answers: newOne(DELIVERY),
    errors: ['conflict'],
    subject: ownChannel,
    async answer({ call, subject }) {
      const id = await testChannel(call.db, subject.id);
      const params = { notification_channel_id: subject.id, notification_delivery_id: id };
      return renderDelivery(await ownDelivery(call, params), call);
    },
  }),
  endpoint({
    method: 'POST',
    path: '/notification_channels/{notification_channel_id}/confirmation',
    summary: 'Resend a confirmation email',
    description:
      'Sends another confirmation email to the address of an `unconfirmed` channel: at most one per hour, and 20 per day for an account. If an email is still pending, its delivery is returned. Returns 409 if the channel is confirmed, or if its recipient has unsubscribed.',
    additive: true,
    params: CHANNEL_PARAMS,
    answers: newOne(DELIVERY),
    errors: ['conflict', 'rate_limited'],
    subject: ownChannel,
    async answer({ call, subject }) {
      const id = await askAddressAgain(call.db, subject.id);
      const params = { notification_channel_id: subject.id, notification_delivery_id: id };
      return renderDelivery(await ownDelivery(call, params), call);
    },
  }),
];

async function ownDelivery(
  call: Call,
  params: { readonly notification_channel_id: string; readonly notification_delivery_id: string },
): Promise<NotificationDelivery> {
  const channel = await ownChannel(call, params);
  const delivery = await findDelivery(call.db, channel.id, params.notification_delivery_id);
  if (delivery === undefined) throw notFound();
  return delivery;
}

function renderDelivery(delivery: NotificationDelivery, { links }: Call): Resource {
  const { id, channel_id: channelId, report_id: reportId, event, status, attempts, http_status, error } = delivery;
  const channel = links(`/notification_channels/${channelId}`);
  return resource(DELIVERY, {
    id,
    attributes: {
      ...{ event, status, attempts, http_status },
      error: fullSentenceOf(error),
      error_code: codeOf(error),
      last_attempt_at: utcTime(delivery.last_attempt_at),
      next_attempt_at: utcTime(delivery.next_attempt_at),
      delivered_at: utcTime(delivery.delivered_at),
      inserted_at: utcTime(delivery.inserted_at),
    },
    related: { channel, report: reportId === null ? undefined : links(`/reports/${reportId}`) },
    self: `${channel}/deliveries/${id}`,
  });
}
