import { type NewAuditEntry, recordAction } from '../store/accounts/audit-log.ts';
import type { Executor } from '../store/database.ts';

/**
 * Records in the audit log what a command changed.
 * @param concerned whose account it concerns, and the path of its resource, if it has one; by default the installation
 */
export function recordCommand(
  db: Executor,
  action: string,
  { accountId = null, path = null }: Partial<Pick<NewAuditEntry, 'accountId' | 'path'>> = {},
): Promise<void> {
  return recordAction(db, { accountId, actor: 'command', action, path });
}
