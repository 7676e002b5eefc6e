import type { LimitsOfPlans } from '../accounts/plans.ts';
import { isPassing } from '../platform/database-errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { TooManyReports } from '../reports/create-report.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import type { Database } from '../store/database.ts';
import { lockDueSchedule, nextRunAfter, updateSchedule } from '../store/schedules.ts';
import { nextRun, type ScheduleTime, scheduleNow } from './next-run.ts';
import { runSchedule } from './run-schedule.ts';

/** How long a process skips a schedule after an unexpected error, or if too many reports are waiting. */
const restAfterFaultMs = 60_000;
/** The same if the database was unavailable, read-only or busy. */
const restWhilePassingMs = 3_000;
/** The longest timer: the clock may be set, or the machine may sleep meanwhile. */
const timerMaxMs = 3_600_000;

export interface SchedulingParts extends ScheduleTime {
  readonly db: Database;
  readonly worker: Worker;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
  readonly log: Logger;
}

/**
 * Runs schedules when they are due, until stopped. Several processes may do so at the same time. A timer waits for the earliest
 * one; it is reset when schedules change, and regularly by the worker.
 */
export function startScheduling(parts: SchedulingParts): { stop(): Promise<void> } {
  const { db, worker, log } = parts;
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const onPutOff = (scheduleId: string, reason: unknown): void => {
    const level = reason instanceof TooManyReports ? 'warn' : 'error';
    log[level]({ err: reason, scheduleId }, 'A schedule could not be run; will try again');
    resting.add(scheduleId);
    const restMs = isPassing(reason) ? restWhilePassingMs : restAfterFaultMs;
    setTimeout(() => resting.delete(scheduleId), restMs).unref();
  };
  const waitForNext = async (): Promise<void> => {
    const now = scheduleNow(parts);
    const next = await nextRunAfter(db, now);
    clearTimeout(timer);
    if (next !== null) timer = setTimeout(work.wake, Math.min(next.getTime() - now.getTime(), timerMaxMs));
  };
  const work = startBackgroundWork(
    { worker, log },
    {
      topic: 'schedule',
      async doNext() {
        if (await runDueSchedule({ ...parts, onPutOff }, [...resting])) return true;
        await waitForNext();
        return false;
      },
      failure: 'Could not look for schedules; will try again',
    },
  );

  return {
    async stop() {
      await work.stop();
      clearTimeout(timer);
    },
  };
}

interface DueParts extends ScheduleTime {
  readonly db: Database;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
  readonly log: Logger;
  /** Called with a schedule that failed unexpectedly or with TooManyReports. It is still due. */
  onPutOff(scheduleId: string, reason: unknown): void;
}

/**
 * Runs one schedule that is due. One transaction under the schedule's lock creates the report and sets the next run, so every run
 * happens once, whatever is killed and however many processes there are. Several missed runs happen once in total.
 * @param skippedIds schedules to skip
 * @returns false if nothing is due, or other processes are running all schedules that are
 */
export async function runDueSchedule(parts: DueParts, skippedIds: readonly string[]): Promise<boolean> {
  let scheduleId: string | undefined;
  try {
    return await parts.db.transaction().execute(async (trx) => {
      const now = parts.clock();
      const schedule = await lockDueSchedule(trx, scheduleNow(parts), skippedIds);
      if (schedule === undefined) return false;
      scheduleId = schedule.id;
      const result = await runSchedule(trx, schedule, { ...parts, now });
      if (result instanceof TooManyReports) {
        // It stays due, so that its run is delayed instead of lost.
        parts.onPutOff(scheduleId, result);
        return true;
      }
      if (typeof result !== 'string')
        parts.log.warn({ scheduleId, reason: result.message }, 'A schedule could not create its report');
      const { periodicity } = schedule;
      await updateSchedule(trx, scheduleId, { next_run_at: periodicity && nextRun(periodicity, scheduleNow(parts)) });
      return true;
    });
  } catch (error) {
    if (scheduleId === undefined) throw error;
    parts.onPutOff(scheduleId, error);
    return true;
  }
}
