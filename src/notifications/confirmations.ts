import type { Transaction } from 'kysely';
import { plural } from '../domain/amounts.ts';
import { AppError, notFound, RetryLater } from '../platform/errors.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { lockChannel } from '../store/notifications/notification-channels.ts';
import {
  countConfirmationEmail,
  insertConfirmation,
  lastConfirmation,
} from '../store/notifications/notification-deliveries.ts';
import type { Schema } from '../store/schema.ts';

/** Confirmation emails per account and day: enough to add a whole team. */
const EMAILS_PER_DAY_MAX = 20;
const DAY_S = 86_400;
/** The pause between two emails to one address. */
const PAUSE_S = 3_600;

/**
 * Asks the owner of an address, by an email with a link, to confirm that a channel may use it.
 * @returns the id of the delivery
 * @throws RetryLater rate_limited after too many confirmation emails of an account in a day
 */
export async function askAddress(
  trx: Transaction<Schema>,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<string> {
  if ((await countConfirmationEmail(trx, accountId)) > EMAILS_PER_DAY_MAX) {
    const detail = `An account can send at most ${EMAILS_PER_DAY_MAX} confirmation emails per day.`;
    throw new RetryLater('rate_limited', detail, DAY_S);
  }
  return insertConfirmation(trx, id);
}

/**
 * Sends the email again, in case it was lost.
 * @returns the id of the delivery, or of the pending email if there is one
 * @throws AppError not_found; conflict if the channel needs no confirmation, or its recipient has unsubscribed; RetryLater
 *   rate_limited within an hour of the last email, and as in `askAddress`
 */
export function askAddressAgain(db: Executor, channelId: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, channelId);
    if (channel === undefined) throw notFound();
    if (channel.confirmed_at !== null) {
      throw new AppError('conflict', 'This notification channel needs no confirmation.');
    }
    if (channel.last_error?.code === 'recipient_stopped') {
      const detail = 'The recipient has unsubscribed. They can subscribe again with the link in the first email.';
      throw new AppError('conflict', detail);
    }
    const last = await lastConfirmation(trx, channelId);
    if (last?.status === 'pending') return last.id;
    const waitS = last === undefined ? 0 : Math.ceil(PAUSE_S - last.ageSeconds);
    if (waitS > 0) {
      const wait = plural(Math.ceil(waitS / 60), 'minute');
      const detail = `An email was sent to this address within the last hour. Try again in ${wait}.`;
      throw new RetryLater('rate_limited', detail, waitS);
    }
    return askAddress(trx, { id: channelId, accountId: channel.account_id });
  });
}
