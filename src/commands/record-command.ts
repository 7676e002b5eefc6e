import { recordAction } from '../store/accounts/audit-log.ts';
import type { Executor } from '../store/database.ts';

/** Records in the audit log what a command changed. @param accountId whose account it concerns; null for the installation */
export function recordCommand(db: Executor, action: string, accountId: string | null = null): Promise<void> {
  return recordAction(db, { accountId, actor: 'command', action });
}
