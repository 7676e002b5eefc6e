import { type Periodicity, WEEKDAYS } from '../domain/periodicity.ts';
import type { Clock } from '../platform/clock.ts';

/**
 * Returns the current time shifted so that schedules run at 00:00. `next_run_at` is stored in this shifted time, so it names days
 * and remains valid when `SITEWARDEN_SCHEDULE_TIME` changes.
 */
export function scheduleNow({ clock, scheduleTimeMs }: ScheduleTime): Date {
  return new Date(clock().getTime() - scheduleTimeMs);
}

/** The clock of schedules. */
export interface ScheduleTime {
  readonly clock: Clock;
  /** The time of day at which they run, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

/** Returns the first 00:00 UTC after `after` on a day of the periodicity. */
export function nextRun(periodicity: Periodicity, after: Date): Date {
  const tomorrow = new Date(after);
  tomorrow.setUTCHours(24, 0, 0, 0);
  const day = tomorrow.getUTCDate();
  switch (periodicity.every) {
    case 'day':
      return tomorrow;
    case 'week':
      return onDay(tomorrow, day + ((WEEKDAYS.indexOf(periodicity.weekday) - weekdayOf(tomorrow) + 7) % 7));
    case 'month': {
      const isPast = day > periodicity.monthday;
      return onDay(isPast ? firstOfNextMonth(tomorrow) : tomorrow, periodicity.monthday);
    }
  }
}

/** Returns the next times at which a schedule runs, from `first` on. */
export function nextRuns(periodicity: Periodicity, first: Date, count: number): Date[] {
  const runs = [first];
  while (runs.length < count) runs.push(nextRun(periodicity, runs.at(-1) ?? first));
  return runs;
}

/** From 0 for Monday. */
function weekdayOf(date: Date): number {
  return (date.getUTCDay() + 6) % 7;
}

function firstOfNextMonth(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

/** Returns a day of the date's month; days past its end fall in the next month. */
function onDay(date: Date, day: number): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day));
}
