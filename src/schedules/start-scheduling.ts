import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Worker } from '../queue/worker.ts';
import type { Database } from '../store/database.ts';
import { nextRunAfter } from '../store/schedules.ts';
import { restAfterFaultMs, timerMaxMs } from './limits.ts';
import { runDueSchedule } from './run-due-schedule.ts';

export interface SchedulingParts {
  readonly db: Database;
  readonly worker: Worker;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Runs the schedules when their time comes, until stopped. Several processes may do so at a time. A timer waits for the
 * earliest of them; changes of schedules set it anew, and so does the worker now and then.
 */
export function startScheduling({ db, worker, clock, log }: SchedulingParts): { stop(): Promise<void> } {
  const resting = new Set<string>();
  let isStopping = false;
  let isWoken = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const onFault = (scheduleId: string, error: unknown): void => {
    log.error({ err: error, scheduleId }, 'A schedule could not be run; will try again');
    resting.add(scheduleId);
    setTimeout(() => resting.delete(scheduleId), restAfterFaultMs).unref();
  };

  const runDue = async (): Promise<void> => {
    while (!isStopping && (await runDueSchedule({ db, clock, log, onFault }, [...resting])));
    const now = clock();
    const next = await nextRunAfter(db, now);
    clearTimeout(timer);
    if (next === null || isStopping) return;
    timer = setTimeout(pump, Math.min(next.getTime() - now.getTime(), timerMaxMs));
  };

  const pump = (): void => {
    if (isStopping) return;
    isWoken = running !== null;
    running ??= runDue()
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'Could not look for schedules; will try again'))
      .then(() => {
        running = null;
        if (isWoken) pump();
      });
  };
  const off = worker.onWork('schedule', pump);
  pump();

  return {
    async stop() {
      off();
      isStopping = true;
      await running;
      clearTimeout(timer);
    },
  };
}
