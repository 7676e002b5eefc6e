import type { Transaction } from 'kysely';
import type { SignUp } from '../accounts/register.ts';
import { addressKey } from '../domain/email-address.ts';
import { sentenceOf } from '../domain/failures/failure.ts';
import type { ChannelKind } from '../domain/notifications.ts';
import { isAllowedPort, isPrivateHost } from '../egress/address-guard.ts';
import type { Clock } from '../platform/clock.ts';
import { AppError, InvalidAttribute, notFound, requireRoom } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { newWebhookSecret } from '../platform/standard-webhooks.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import {
  type ChannelSettings,
  countChannels,
  insertChannel,
  lockChannel,
  ownSchedules,
  settingsColumns,
  updateChannel,
} from '../store/notifications/notification-channels.ts';
import { findDelivery, insertTest, repeatDelivery } from '../store/notifications/notification-deliveries.ts';
import { releaseHeld } from '../store/notifications/notification-digests.ts';
import type { NotificationChannel } from '../store/notifications/notification-tables.ts';
import type { Account, Schema } from '../store/schema.ts';
import { sealSigningSecret, sealUrl } from './channel-secrets.ts';
import { askAddress } from './confirmations.ts';
import { nextDigest } from './next-digest.ts';

/**
 * Maximum number of channels of one account: as many as schedules, so that an agency can notify each client about its own site.
 */
export const channelsMax = 1_000;

interface ChannelParts {
  readonly db: Executor;
  readonly credentialStore: { readonly box: SecretBox };
  readonly clock: Clock;
  /** Whether the URLs of channels may be on private networks. */
  readonly allowPrivateNetworks: boolean;
}

interface NewChannelParts extends ChannelParts {
  /** The sender of emails; null if this installation sends none. */
  readonly mailFrom: string | null;
  readonly signUp: SignUp;
}

/** A new channel: with a URL or, for the kind `email`, with an address. */
export type NewChannel = { readonly settings: ChannelSettings } & (
  | { readonly kind: Exclude<ChannelKind, 'email'>; readonly url: string }
  | { readonly kind: 'email'; readonly email: string }
);

/**
 * Creates a channel. An email address other than the account's own first gets an email with a link to confirm it. If anyone may
 * sign up with any address, the account's own address does, too.
 * @returns its id, and the secret that signs its messages; null for kinds other than `webhook`
 * @throws AppError invalid if the account has the maximum number of channels, if the settings name schedules that it does not
 *   have, if the URL cannot be used, or if this installation sends no email; RetryLater rate_limited after too many confirmation
 *   emails in a day
 */
export function createChannel(
  { db, credentialStore: { box }, clock, mailFrom, signUp, allowPrivateNetworks }: NewChannelParts,
  accountId: string,
  channel: NewChannel,
): Promise<{ readonly id: string; readonly secret: string | null }> {
  if (channel.kind !== 'email') requireUsable(channel.url, allowPrivateNetworks);
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    const account = await lockAccount(trx, accountId);
    requireRoom(await countChannels(trx, accountId), channelsMax, 'notification channels');
    const { kind, settings } = channel;
    await requireOwnSchedules(trx, accountId, settings);
    if (kind === 'email') {
      if (mailFrom === null)
        throw new InvalidAttribute('kind', `is not possible: ${sentenceOf({ code: 'mail_not_set_up', params: {} })}`);
      return {
        id: await createForAddress(trx, account, channel.email, settings, { now: clock(), signUp }),
        secret: null,
      };
    }
    const row = {
      ...{ account_id: accountId, kind, target: hostOf(channel.url) },
      ...digestAt(settings, clock()),
      isConfirmed: true,
    };
    const id = await insertChannel(trx, row, settings);
    const secret = kind === 'webhook' ? newWebhookSecret() : null;
    await updateChannel(trx, id, {
      url_sealed: sealUrl(box, id, channel.url),
      secret_sealed: secret === null ? null : sealSigningSecret(box, id, secret),
    });
    return { id, secret };
  });
}

async function createForAddress(
  trx: Transaction<Schema>,
  account: Pick<Account, 'id' | 'email'>,
  email: string,
  settings: ChannelSettings,
  { now, signUp }: { readonly now: Date; readonly signUp: SignUp },
): Promise<string> {
  const isConfirmed = signUp !== 'open' && addressKey(email) === addressKey(account.email);
  const row = {
    account_id: account.id,
    kind: 'email',
    target: email,
    isConfirmed,
    ...digestAt(settings, now),
  } as const;
  const id = await insertChannel(trx, row, settings);
  if (isConfirmed) return id;
  await askAddress(trx, { id, accountId: account.id });
  return id;
}

/** The attributes that a change may set. Undefined attributes stay unchanged. */
export interface ChannelChanges extends Partial<ChannelSettings> {
  readonly url?: string | undefined;
}

/**
 * Changes a channel. A reactivated channel starts without a history of failures, and gets its pending deliveries. Deliveries that
 * wait for a digest are sent at once if the change turns digests off.
 * @throws AppError not_found; invalid if it names schedules that the account does not have, or gives a URL that cannot be used
 */
export function changeChannel(
  { db, credentialStore: { box }, clock, allowPrivateNetworks }: ChannelParts,
  id: string,
  { url, ...changes }: ChannelChanges,
): Promise<void> {
  if (url !== undefined) requireUsable(url, allowPrivateNetworks);
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, id);
    if (channel === undefined) throw notFound();
    if (url !== undefined && channel.kind === 'email') {
      throw new InvalidAttribute(
        'webhook_url',
        'must be absent for the kind email: to use another address, create another channel',
      );
    }
    const before = settingsOf(channel);
    const settings = { ...before, ...changes };
    await requireOwnSchedules(trx, channel.account_id, settings);
    const isResumed = settings.active && !channel.active;
    await updateChannel(trx, id, {
      ...settingsColumns(settings),
      ...(url !== undefined && { url_sealed: sealUrl(box, id, url), target: hostOf(url) }),
      ...((isResumed || url !== undefined) && { failing_since: null, last_error: null }),
      ...(isResumed && { paused_at: null }),
      ...(!isSameDigest(settings, before) && digestAt(settings, clock())),
    });
    if (settings.digest === 'none' && before.digest !== 'none') await releaseHeld(trx, id);
  });
}

function settingsOf(channel: NotificationChannel): ChannelSettings {
  const { name, events, worse_when: worseWhen, schedule_ids: scheduleIds, active, digest } = channel;
  const { digest_hour: digestHour, time_zone: timeZone } = channel;
  return { name, events, worseWhen, scheduleIds, active, digest, digestHour, timeZone };
}

function isSameDigest(one: ChannelSettings, other: ChannelSettings): boolean {
  return one.digest === other.digest && one.digestHour === other.digestHour && one.timeZone === other.timeZone;
}

/**
 * Refuses a URL for reasons that can be found without the network. A test of the channel shows other problems.
 * @throws InvalidAttribute
 */
function requireUsable(url: string, allowPrivateNetworks: boolean): void {
  const { hostname, port } = new URL(url);
  if (port !== '' && !isAllowedPort(Number(port))) {
    throw new InvalidAttribute(
      'webhook_url',
      `must not have port ${port}, which is reserved for a protocol other than HTTP`,
    );
  }
  if (allowPrivateNetworks || !isPrivateHost(hostname)) return;
  const remedy = 'the operator of this installation can allow it (SITEWARDEN_ALLOW_PRIVATE_NETWORKS)';
  throw new InvalidAttribute('webhook_url', `must not point to ${hostname}, which is on a private network: ${remedy}`);
}

function digestAt(
  { digest, digestHour: hour, timeZone }: ChannelSettings,
  now: Date,
): { readonly next_digest_at: Date | null } {
  return { next_digest_at: digest === 'none' ? null : nextDigest({ hour, timeZone }, now) };
}

async function requireOwnSchedules(trx: Executor, accountId: string, { scheduleIds }: ChannelSettings): Promise<void> {
  const own = new Set(await ownSchedules(trx, accountId, scheduleIds));
  const unknown = scheduleIds.find((id) => !own.has(id));
  if (unknown === undefined) return;
  throw new InvalidAttribute(
    'schedule_ids',
    `contains ${unknown}, which is not one of your schedules: see GET /schedules`,
  );
}

/**
 * Replaces the secret of a webhook. For a day, messages are also signed with the previous secret.
 * @returns the new secret
 * @throws AppError not_found; conflict for a channel that is not a webhook
 */
export function replaceSecret({ db, credentialStore: { box }, clock }: ChannelParts, id: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, id);
    if (channel === undefined) throw notFound();
    if (channel.kind !== 'webhook') {
      throw new AppError(
        'conflict',
        'Only channels of the kind webhook have a secret: messages to other channels are not signed.',
      );
    }
    const secret = newWebhookSecret();
    await updateChannel(trx, id, {
      secret_sealed: sealSigningSecret(box, id, secret),
      former_secret_sealed: channel.secret_sealed,
      secret_replaced_at: clock(),
    });
    return secret;
  });
}

/**
 * Sends a test to a channel, active or not. A test is attempted once.
 * @returns the id of the delivery, or of the pending test if there is one
 * @throws AppError not_found; conflict if the address of the channel is not confirmed
 */
export function testChannel(db: Executor, id: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, id);
    if (channel === undefined) throw notFound();
    requireConfirmed(channel);
    return insertTest(trx, id);
  });
}

/**
 * Repeats a delivery that succeeded or failed.
 * @throws AppError not_found; conflict if it is pending, or the channel is not active or not confirmed
 */
export function deliverAgain(db: Executor, channelId: string, deliveryId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, channelId);
    const delivery = await findDelivery(trx, channelId, deliveryId);
    if (channel === undefined || delivery === undefined) throw notFound();
    if (delivery.status === 'pending' || delivery.status === 'held') {
      throw new AppError('conflict', 'This delivery is still pending.');
    }
    if (!channel.active) {
      throw new AppError('conflict', 'This notification channel is not active. Activate it, then try again.');
    }
    requireConfirmed(channel);
    await repeatDelivery(trx, deliveryId);
  });
}

/** @throws AppError conflict */
function requireConfirmed({ confirmed_at: confirmedAt }: NotificationChannel): void {
  if (confirmedAt !== null) return;
  const detail = 'This address has not been confirmed. Its owner must open the link in the confirmation email.';
  throw new AppError('conflict', detail);
}

function hostOf(url: string): string {
  return new URL(url).host;
}
