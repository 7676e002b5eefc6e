/** News of scheduled backups for operators. */
export interface BackupNews {
  /** Why the last one failed; null if they work again. */
  readonly reason: string | null;
  /** When the last complete one was begun; null if there is none. */
  readonly lastAt: Date | null;
}

/**
 * Notifies an operator of scheduled backups.
 * @param accountId of the operator
 * @returns false if it has to be tried again
 * @throws database errors
 */
export type NotifyOfBackup = (news: BackupNews, accountId: string, signal: AbortSignal) => Promise<boolean>;
