import { plural } from '../domain/amounts.ts';
import { AppError } from '../platform/errors.ts';
import type { Executor } from '../store/database.ts';
import { livingWorkers } from '../store/living-workers.ts';

/**
 * For commands that change what running processes keep in memory.
 * @param consequence what the workers would do otherwise, such as `would continue with the former key`
 * @throws AppError invalid_usage if a worker uses the database
 */
export async function requireNoWorkers(db: Executor, consequence: string): Promise<void> {
  const { length } = await livingWorkers(db);
  if (length === 0) return;
  throw new AppError('invalid_usage', `Stop serve and work first: ${plural(length, 'worker')} ${consequence}.`);
}
