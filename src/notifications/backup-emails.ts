import type { Mailer } from '../egress/mailer.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { operatorEmails } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { mailOfBackup } from './mail.ts';

/** Why scheduled backups fail, and when the last complete one was begun; null if they work again. */
export type BackupFault = Parameters<typeof mailOfBackup>[1];

/**
 * Creates the function that notifies the operators by email when scheduled backups begin to fail, and when they work again. It
 * never rejects: the log, a metric and `doctor` show the failure, too.
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
}): (fault: BackupFault, signal: AbortSignal) => Promise<void> {
  return async (fault, signal) => {
    if (mailer === null) return;
    const warn = (error: unknown): void =>
      log.warn({ reason: messageOf(error) }, 'Could not notify an operator by email of the scheduled backup');
    try {
      // A mail server that refuses one address may accept the next.
      for (const email of await operatorEmails(db))
        await mailer.send(mailOfBackup(email, fault, baseUrl), signal).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
