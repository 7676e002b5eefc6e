import type { NotifyOfBackup } from '../domain/backup-news.ts';
import { EmailFault, type Mailer } from '../egress/mailer.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { findOperator } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { emailOfBackup } from './compose-emails.ts';

/**
 * Creates the function that notifies operators by email. An address that the mail server refuses for good is given up.
 * @returns null without a mail server
 */
export function createBackupEmails({
  db,
  mailer,
  baseUrl,
  log,
}: {
  readonly db: Database;
  readonly mailer: Pick<Mailer, 'send'> | null;
  readonly baseUrl: string;
  readonly log: Logger;
}): NotifyOfBackup | null {
  if (mailer === null) return null;
  return async (news, accountId, signal) => {
    const operator = await findOperator(db, accountId);
    if (operator === undefined) return true;
    try {
      await mailer.send(emailOfBackup(operator, news, baseUrl), signal);
      return true;
    } catch (error) {
      const isFinal = error instanceof EmailFault && error.isFinal;
      log.warn(
        { reason: messageOf(error), accountId },
        `Could not notify an operator by email of the scheduled backup${isFinal ? '' : '; will retry'}`,
      );
      return isFinal;
    }
  };
}
