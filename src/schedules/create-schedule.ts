import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { announceWork } from '../queue/worker.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { insertSchedule, type ScheduleSettings } from '../store/schedules.ts';
import { nextRun } from './next-run.ts';

const SECRET_BYTES = 32;

/** @returns the new schedule's id */
export function createSchedule(
  db: Executor,
  clock: Clock,
  accountId: string,
  settings: ScheduleSettings,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const hookSecret = randomBytes(SECRET_BYTES).toString('base64url');
    const id = await insertSchedule(trx, settings, { accountId, hookSecret, nextRunAt: firstRun(settings, clock()) });
    await announceWork(trx, ['schedule']);
    return id;
  });
}

/** When a schedule runs first after it was made, or made something else; null when it does not run by itself. */
export function firstRun({ active, periodicity }: ScheduleSettings, after: Date): Date | null {
  return active && periodicity !== null ? nextRun(periodicity, after) : null;
}
