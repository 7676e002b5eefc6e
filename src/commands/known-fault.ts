import { isDiskFull, isTransient } from '../platform/database-errors.ts';
import { AppError, messageOf } from '../platform/errors.ts';

/**
 * Converts a disk or database error, which can occur in every command that uses them, so that its message says what to do.
 * Returns other errors unchanged.
 */
export function knownFault(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const reason = messageOf(error);
  if (isDiskFull(error))
    return new AppError('disk_full', `The disk is full: ${reason}. Free up space, then run the command again.`, {
      cause: error,
    });
  if (isTransient(error))
    return new AppError('database_unavailable', `The database is not available: ${reason}. Run the command again.`, {
      cause: error,
    });
  return error;
}
