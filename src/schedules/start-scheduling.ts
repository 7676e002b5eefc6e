import type { LimitsOfPlans } from '../accounts/plans.ts';
import { isPassing } from '../platform/database-errors.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import { TooManyReports } from '../reports/create-report.ts';
import type { CredentialStore } from '../store/credential-store.ts';
import type { Database } from '../store/database.ts';
import { lockDueSchedule, nextRunAfter, updateSchedule } from '../store/schedules.ts';
import { restAfterFaultMs, restWhilePassingMs, timerMaxMs } from './limits.ts';
import { nextRun, type ScheduleTime, scheduleNow } from './next-run.ts';
import { runSchedule } from './run-schedule.ts';

export interface SchedulingParts extends ScheduleTime {
  readonly db: Database;
  readonly worker: Worker;
  readonly planLimits: LimitsOfPlans;
  readonly credentialStore: CredentialStore;
  readonly log: Logger;
}

/**
 * Runs the schedules when their time comes, until stopped. Several processes may do so at a time. A timer waits for the
 * earliest of them; changes of schedules set it anew, and so does the worker now and then.
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
  /** Called with a schedule that met a fault of ours or TooManyReports; it is still due. */
  onPutOff(scheduleId: string, reason: unknown): void;
}

/**
 * Runs one schedule that is due. The report and the time of the next run are one transaction under the schedule's lock,
 * so every run happens once, whatever is killed and however many processes there are; runs that were missed, once in all.
 * @param leftOut ids of schedules that are to be left alone
 * @returns false when nothing is due, or other processes already work on all that are
 */
export async function runDueSchedule(parts: DueParts, leftOut: readonly string[]): Promise<boolean> {
  let scheduleId: string | undefined;
  try {
    return await parts.db.transaction().execute(async (trx) => {
      const now = parts.clock();
      const schedule = await lockDueSchedule(trx, scheduleNow(parts), leftOut);
      if (schedule === undefined) return false;
      scheduleId = schedule.id;
      const result = await runSchedule(trx, schedule, { ...parts, now });
      if (result instanceof TooManyReports) {
        // It stays due, so that its run is late and not lost.
        parts.onPutOff(scheduleId, result);
        return true;
      }
      if (typeof result !== 'string')
        parts.log.warn({ scheduleId, reason: result.message }, 'A schedule was passed over');
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
