import { EmailFault, type Mailer } from '../egress/mailer.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { operatorEmails } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { emailOfBackup } from './compose-emails.ts';

/** Why scheduled backups fail, and when the last complete one was begun; null if they work again. */
export type BackupFault = Parameters<typeof emailOfBackup>[1];

/**
 * Notifies operators of scheduled backups.
 * @param ids of their accounts
 * @returns the ids of those for whom it has to be tried again
 * @throws database errors
 */
export type NotifyOfBackup = (
  fault: BackupFault,
  ids: readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** Creates the function that notifies operators by email. An address that the mail server refuses for good is given up. */
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
}): NotifyOfBackup {
  return async (fault, ids, signal) => {
    if (mailer === null) return [];
    const left: string[] = [];
    // A mail server that refuses one address may accept the next.
    for (const { id, email } of await operatorEmails(db, ids)) {
      await mailer.send(emailOfBackup(email, fault, baseUrl), signal).catch((error: unknown) => {
        const isFinal = error instanceof EmailFault && error.isFinal;
        if (!isFinal) left.push(id);
        log.warn(
          { reason: messageOf(error), accountId: id },
          `Could not notify an operator by email of the scheduled backup${isFinal ? '' : '; will retry'}`,
        );
      });
    }
    return left;
  };
}
