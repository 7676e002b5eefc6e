import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../platform/secret-box.ts';
import type { NotificationChannel } from '../store/notifications/notification-tables.ts';

/** The links in emails with which their recipient, who may have no account, confirms the address or unsubscribes. */
export const EMAIL_LINKS = ['confirm', 'stop'] as const;
export type EmailLink = (typeof EMAIL_LINKS)[number];

/** Outside `/api/v1`. Takes no token: the code is the proof that the email arrived. */
export const EMAIL_LINK_PATH = '/notifications/{notification_channel_id}/{link}/{code}';

type Box = Pick<SecretBox, 'sign'>;
type Channel = Pick<NotificationChannel, 'id' | 'target'>;

/** @param baseUrl the public address of the service, without a trailing slash */
export function emailLink(box: Box, channel: Channel, link: EmailLink, baseUrl: string): string {
  const path = EMAIL_LINK_PATH.replace('{notification_channel_id}', channel.id).replace('{link}', link);
  return baseUrl + path.replace('{code}', codeOf(box, channel, link).toString('base64url'));
}

/** Whether a code belongs to a link of the channel. */
export function isCode(box: Box, channel: Channel, link: EmailLink, code: string): boolean {
  const expected = codeOf(box, channel, link);
  const given = Buffer.from(code, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function codeOf(box: Box, { id, target }: Channel, link: EmailLink): Buffer {
  return box.sign(`notification channel ${id} ${link} ${target}`);
}
