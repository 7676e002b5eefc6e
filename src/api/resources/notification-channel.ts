import Type from 'typebox';
import { owned } from '../../accounts/access.ts';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import { CHANNEL_KINDS, NOTIFICATION_EVENTS, WORSE_REASONS } from '../../domain/notifications.ts';
import { failureCode, LIFE, nullable, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { FORMER_SECRET_HOURS, urlOf } from '../../notifications/channel-secrets.ts';
import { changeChannel, createChannel, replaceSecret } from '../../notifications/channels.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { deleteChannel, findChannel, listChannels } from '../../store/notifications/notification-channels.ts';
import type { NotificationChannel } from '../../store/notifications/notification-tables.ts';
import {
  ACTIVE,
  CHANNEL_CHANGES,
  NAME,
  NEW_CHANNEL,
  parseChannelChanges,
  parseNewChannel,
  SHOWN_DIGEST,
  WEBHOOK_URL,
} from '../attributes/new-notification-channel.ts';
import { PAGING_QUERY } from '../attributes/parameters.ts';
import { secretsFor } from '../attributes/secret-attributes.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

const PARTS = {
  description:
    'Where notifications about your reports and schedules are sent: your own URL, a Slack or Microsoft Teams channel, or an email address.',
  id: UUID,
  attributes: Type.Object({
    kind: Type.Enum([...CHANNEL_KINDS], {
      description:
        'The form of the messages: `webhook` for programs, in JSON and signed; `slack` and `teams` for the incoming webhooks of Slack and the workflows of Microsoft Teams; `email` for emails.',
    }),
    name: Type.String(NAME),
    target: Type.String({
      description: 'The destination: the host of the URL, or the email address.',
      examples: ['hooks.example.com'],
    }),
    webhook_url: Type.Optional(Type.String(WEBHOOK_URL)),
    events: Type.Array(Type.Enum([...NOTIFICATION_EVENTS]), { description: 'The events to send.' }),
    worse_when: Type.Array(Type.Enum([...WORSE_REASONS]), {
      description: 'What makes a report worse than the previous report, for `schedule.got_worse`.',
    }),
    schedule_ids: Type.Array(UUID, {
      description: 'The schedules to notify about. Empty: all reports and schedules.',
      examples: [[]],
    }),
    active: ACTIVE,
    ...SHOWN_DIGEST,
    next_digest_at: nullable(TIMESTAMP, 'When the next digest is due; null without a digest.', { examples: [null] }),
    status: Type.Enum(['working', 'failing', 'paused', 'unconfirmed'], {
      description:
        '`failing` if the last attempt failed; `paused` if it is not active, because you or the service paused it; `unconfirmed` until the owner of the address confirms it, and again after they unsubscribe.',
    }),
    failing_since: nullable(
      TIMESTAMP,
      'The first failed attempt since the last successful delivery; null if there is none.',
      {
        examples: [null],
      },
    ),
    paused_at: nullable(
      TIMESTAMP,
      'When the service paused it, because all deliveries failed for 3 days or its receiver returned 410; null otherwise.',
      { examples: [null] },
    ),
    last_delivered_at: nullable(TIMESTAMP, 'The last successful delivery; null before the first.'),
    error: nullable(Type.String(), 'Why the last attempt failed; null if it did not.', { examples: [null] }),
    error_code: failureCode('error'),
    ...LIFE,
  }),
  relationships: {
    deliveries: {
      description: 'The messages sent to it.',
      path: '/notification_channels/{notification_channel_id}/deliveries',
    },
  },
};
const CHANNEL = resourceType('notification_channel', PARTS);

/** A channel in the responses that create a secret, the only ones that contain it. */
const CHANNEL_WITH_SECRET = resourceType('notification_channel', {
  ...PARTS,
  schema: 'new_notification_channel',
  attributes: Type.Object({
    ...PARTS.attributes.properties,
    signing_secret: Type.Optional(
      Type.String({
        description:
          'The secret that signs the messages of a `webhook` according to Standard Webhooks. Only included in the responses to requests that create it.',
        examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD2Q0eBvJpZzE='],
      }),
    ),
  }),
});

export const CHANNEL_PARAMS = Type.Object({ notification_channel_id: UUID });

export const NOTIFICATION_CHANNEL_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/notification_channels',
    summary: 'Create a notification channel',
    description:
      'Creates a channel; an account can have up to 1,000. The `signing_secret` of a `webhook` is only shown in this response. Only events from now on are sent. The owner of an email address must first confirm it with a link sent to it, unless it is the address of your account. Where anyone can sign up, that address must be confirmed too. At most 20 such emails are sent per day.',
    additive: true,
    answers: newOne(CHANNEL_WITH_SECRET),
    errors: ['rate_limited'],
    body: {
      attributes: NEW_CHANNEL,
      example: { kind: 'webhook', name: 'Deploy bot', webhook_url: 'https://hooks.example.com/sitewarden' },
      parse: parseNewChannel,
    },
    async answer({ call, body }) {
      const { id, secret } = await createChannel(call, call.viewer.accountId, body);
      return renderWithSecret(await ownChannel(call, { notification_channel_id: id }), secret, call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/notification_channels',
    summary: 'List notification channels',
    description: 'Returns your notification channels, newest first.',
    additive: true,
    query: PAGING_QUERY,
    answers: listOf(CHANNEL),
    async answer({ call, paging }) {
      const page = await listChannels(call.db, call.viewer.accountId, paging);
      return listed(page, (channel) => renderChannel(channel, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/notification_channels/{notification_channel_id}',
    summary: 'Get a notification channel',
    description: 'Returns one of your notification channels.',
    additive: true,
    params: CHANNEL_PARAMS,
    answers: one(CHANNEL),
    subject: ownChannel,
    answer: async ({ call, subject }) => renderChannel(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/notification_channels/{notification_channel_id}',
    summary: 'Change a notification channel',
    description:
      'Changes the given attributes. A reactivated channel receives its pending deliveries of the last 7 days.',
    additive: true,
    params: CHANNEL_PARAMS,
    answers: one(CHANNEL),
    body: {
      attributes: CHANNEL_CHANGES,
      example: { events: ['report.failed', 'schedule.got_worse'], worse_when: ['new_critical'] },
      parse: parseChannelChanges,
    },
    subject: ownChannel,
    async answer({ call, subject, body }) {
      await changeChannel(call, subject.id, body);
      return renderChannel(await ownChannel(call, { notification_channel_id: subject.id }), call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/notification_channels/{notification_channel_id}',
    summary: 'Delete a notification channel',
    description: 'Deletes the channel with its deliveries, including pending ones.',
    additive: true,
    params: CHANNEL_PARAMS,
    answers: NOTHING,
    subject: ownChannel,
    answer: ({ call, subject }) => deleteChannel(call.db, subject.id),
  }),
  endpoint({
    method: 'POST',
    path: '/notification_channels/{notification_channel_id}/secret',
    summary: 'Replace the secret of a notification channel',
    description:
      'Only for channels of the kind `webhook`. The new `signing_secret` is only shown in this response. ' +
      `For ${FORMER_SECRET_HOURS} hours, messages are also signed with the previous secret.`,
    additive: true,
    params: CHANNEL_PARAMS,
    answers: one(CHANNEL_WITH_SECRET),
    errors: ['conflict'],
    subject: ownChannel,
    async answer({ call, subject }) {
      const secret = await replaceSecret(call, subject.id);
      return renderWithSecret(subject, secret, call);
    },
  }),
];

export async function ownChannel(
  { db, viewer }: Call,
  params: { readonly notification_channel_id: string },
): Promise<NotificationChannel> {
  return owned(viewer, await findChannel(db, params.notification_channel_id));
}

function renderWithSecret(channel: NotificationChannel, secret: string | null, call: Call): Resource {
  const { attributes, ...parts } = renderedChannel(channel, call);
  return resource(CHANNEL_WITH_SECRET, {
    ...parts,
    attributes: { ...attributes, ...(secret !== null && { signing_secret: secret }) },
  });
}

function statusOf({ active, confirmed_at: confirmedAt, failing_since: failingSince }: NotificationChannel) {
  if (confirmedAt === null) return 'unconfirmed';
  if (!active) return 'paused';
  return failingSince === null ? 'working' : 'failing';
}

function renderChannel(channel: NotificationChannel, call: Call): Resource {
  return resource(CHANNEL, renderedChannel(channel, call));
}

function renderedChannel(channel: NotificationChannel, { links, viewer, credentialStore }: Call) {
  const { id, kind, name, target, events, active, last_error: error } = channel;
  const url = urlOf(credentialStore.box, channel);
  const attributes: AttributesOf<typeof CHANNEL> = {
    ...{ kind, name, target },
    ...(url === null ? {} : secretsFor(viewer, { webhook_url: url })),
    ...{ events, worse_when: channel.worse_when, schedule_ids: channel.schedule_ids, active },
    ...{ digest: channel.digest, digest_hour: channel.digest_hour, time_zone: channel.time_zone },
    next_digest_at: utcTime(channel.next_digest_at),
    status: statusOf(channel),
    failing_since: utcTime(channel.failing_since),
    paused_at: utcTime(channel.paused_at),
    last_delivered_at: utcTime(channel.last_delivered_at),
    error: fullSentenceOf(error),
    error_code: codeOf(error),
    inserted_at: utcTime(channel.inserted_at),
    updated_at: utcTime(channel.updated_at),
  };
  const self = links(`/notification_channels/${id}`);
  return { id, attributes, related: { deliveries: `${self}/deliveries` }, self };
}
