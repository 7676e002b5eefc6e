import { randomBytes } from 'node:crypto';
import { announceWork } from '../queue/worker.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { insertSchedule, type ScheduleSettings } from '../store/schedules.ts';
import { nextRun, type ScheduleTime, scheduleNow } from './next-run.ts';

const SECRET_BYTES = 32;

/** What is needed to make and change schedules. */
export interface ScheduleParts extends ScheduleTime {
  readonly db: Executor;
}

/** @returns the new schedule's id */
export function createSchedule(parts: ScheduleParts, accountId: string, settings: ScheduleSettings): Promise<string> {
  const { db } = parts;
  return inTransaction(db, async (trx) => {
    const hookSecret = randomBytes(SECRET_BYTES).toString('base64url');
    const id = await insertSchedule(trx, settings, { accountId, hookSecret, nextRunAt: firstRun(settings, parts) });
    await announceWork(trx, ['schedule']);
    return id;
  });
}

/** When a schedule runs first after it was made, or made something else; null when it does not run by itself. */
export function firstRun({ active, periodicity }: ScheduleSettings, time: ScheduleTime): Date | null {
  return active && periodicity !== null ? nextRun(periodicity, scheduleNow(time)) : null;
}
