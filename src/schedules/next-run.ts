import { type Periodicity, WEEKDAYS } from '../domain/periodicity.ts';
import type { Clock } from '../platform/clock.ts';

/**
 * The moment by the clock that schedules go by, which shows 00:00 when they run: it is behind by their time of day.
 * `next_run_at` is kept by this clock, so that it names days, and another time of day concerns no schedule.
 */
export function scheduleNow({ clock, scheduleTimeMs }: ScheduleTime): Date {
  return new Date(clock().getTime() - scheduleTimeMs);
}

/** What tells when schedules run. */
export interface ScheduleTime {
  readonly clock: Clock;
  /** When they run on their days, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

/** The first 00:00 UTC after a moment that begins a day of the periodicity. */
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

/** From 0 for Monday. */
function weekdayOf(date: Date): number {
  return (date.getUTCDay() + 6) % 7;
}

function firstOfNextMonth(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}

/** A day of the date's month; past its end, one of the months after. */
function onDay(date: Date, day: number): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day));
}
