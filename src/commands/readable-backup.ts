import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Manifest } from '../store/backup/backup-format.ts';
import { verifyBackup } from '../store/backup/verify-backup.ts';

/**
 * Verifies a file of `backup`.
 * @throws AppError invalid_usage if it cannot be read, is damaged, or is not a backup
 */
export async function readableBackup(path: string): Promise<Manifest> {
  await stat(path).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
  return verifyBackup(path);
}
