import type { Changed, New } from 'sitewarden-client';
import { change, create, type Item, remove } from '../client.ts';

/** A channel in responses that contain a new secret, which only webhooks have. */
export type ChannelWithSecret = Item<'notification_channel'> & { readonly signing_secret?: string };

/** Creates a notification channel. Only this response contains the secret of a webhook. */
export function createNotificationChannel(attributes: New<'notification_channel'>): Promise<ChannelWithSecret> {
  return create<'notification_channel'>('/notification_channels', attributes);
}

/** Changes some attributes of a notification channel. */
export function changeNotificationChannel(
  id: string,
  attributes: Changed<'notification_channel'>,
): Promise<Item<'notification_channel'>> {
  return change<'notification_channel'>(`/notification_channels/${id}`, attributes);
}

/** Deletes a notification channel with its deliveries. */
export function deleteNotificationChannel(id: string): Promise<void> {
  return remove(`/notification_channels/${id}`);
}

/** Replaces the secret of a webhook. For some time, messages are also signed with the previous secret. */
export function replaceSigningSecret(id: string): Promise<ChannelWithSecret> {
  return create<'notification_channel'>(`/notification_channels/${id}/secret`);
}

/** Sends a test to a channel, even if it is paused. */
export function testNotificationChannel(id: string): Promise<Item<'notification_delivery'>> {
  return create<'notification_delivery'>(`/notification_channels/${id}/test`);
}

/** Sends another confirmation email to an unconfirmed address, at most once per hour. */
export function askAddressAgain(id: string): Promise<Item<'notification_delivery'>> {
  return create<'notification_delivery'>(`/notification_channels/${id}/confirmation`);
}

/** Sends a delivery again, whether it was delivered or has failed. */
export function repeatDelivery(channel: string, id: string): Promise<Item<'notification_delivery'>> {
  return create<'notification_delivery'>(`/notification_channels/${channel}/deliveries/${id}/repeat`);
}
