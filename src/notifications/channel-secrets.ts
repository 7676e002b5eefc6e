import { channelSecretPurpose, channelUrlPurpose } from '../domain/secret-purposes.ts';
import { openOrNull, type SecretBox } from '../platform/secret-box.ts';
import { webhookSignature } from '../platform/standard-webhooks.ts';
import type { NotificationChannel } from '../store/notifications/notification-tables.ts';

/** The URL and the secrets of a channel, which are stored encrypted. */

type Box = Pick<SecretBox, 'seal' | 'open'>;

/** How long the previous secret also signs, so that receivers can switch to the new secret without losing messages. */
export const FORMER_SECRET_HOURS = 24;

export function sealUrl(box: Box, channelId: string, url: string): Buffer {
  return box.seal(url, channelUrlPurpose(channelId));
}

export function sealSigningSecret(box: Box, channelId: string, secret: string): Buffer {
  return box.seal(secret, channelSecretPurpose(channelId));
}

/** Returns the URL of a channel; null if it has none, or if the URL cannot be decrypted. */
export function urlOf(box: Box, { id, url_sealed: sealed }: NotificationChannel): string | null {
  return openOrNull(box, sealed, channelUrlPurpose(id));
}

/** Returns the secrets that sign the messages of a channel now; null if they cannot be decrypted. */
export function signingSecretsOf(box: Box, channel: NotificationChannel, now: Date): readonly string[] | null {
  const purpose = channelSecretPurpose(channel.id);
  const current = openOrNull(box, channel.secret_sealed, purpose);
  if (current === null) return null;
  const replacedAt = channel.secret_replaced_at?.getTime() ?? 0;
  const isRecent = now.getTime() - replacedAt < FORMER_SECRET_HOURS * 3_600_000;
  const former = isRecent ? openOrNull(box, channel.former_secret_sealed, purpose) : null;
  return former === null ? [current] : [current, former];
}

/**
 * Returns the headers with which a receiver verifies a message, according to Standard Webhooks 1.0.
 * @param id the same for each attempt to deliver the message
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, now, body }: { readonly id: string; readonly now: Date; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => webhookSignature(secret, { id, timestamp, body }));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
