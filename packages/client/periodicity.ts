import { localTime, momentOf } from './local-time.ts';

/** How often a schedule runs, and when next: for the service, and for clients that show it before it is saved. */

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The last day that every month has. */
export const MONTHDAY_MAX = 28;

export type Periodicity =
  | { readonly every: 'day' }
  | { readonly every: 'week'; readonly weekday: Weekday }
  /** `monthday` is from 1 to `MONTHDAY_MAX`. */
  | { readonly every: 'month'; readonly monthday: number };

/** When a schedule runs. */
export interface RunTimes {
  readonly periodicity: Periodicity;
  /** `07:30`. */
  readonly timeOfDay: string;
  /** The time zone of days and time of day: a name such as `Europe/Berlin`, or an offset. */
  readonly timeZone: string;
  /** How long after that time it starts: 0, or `spreadMinutes`. */
  readonly delayMinutes: number;
}

const MINUTE_MS = 60_000;

/**
 * Returns the first run after `after`. Each day of the periodicity has one run. If clocks are set back and its time occurs
 * twice, the first time counts. If clocks are set forward and skip its time, it runs at the moment after.
 * @throws RangeError for an unknown time zone
 */
export function nextRun({ periodicity, timeOfDay, timeZone, delayMinutes }: RunTimes, after: Date): Date {
  const delayMs = delayMinutes * MINUTE_MS;
  const start = after.getTime() - delayMs;
  const timeMs = timeOfDayMs(timeOfDay);
  // The runs of earlier days were before `start`, because the local time of `start` is later.
  let day = firstDay(periodicity, startOfDay(new Date(localTime(timeZone, start))));
  for (;;) {
    const run = momentOf(timeZone, day.getTime() + timeMs);
    if (run > start) return new Date(run + delayMs);
    day = firstDay(periodicity, onDay(day, day.getUTCDate() + 1));
  }
}

/** Returns the next times at which a schedule runs, from `first` on. */
export function nextRuns(times: RunTimes, first: Date, count: number): Date[] {
  const runs = [first];
  while (runs.length < count) runs.push(nextRun(times, runs.at(-1) ?? first));
  return runs;
}

/** Returns a time of day such as `03:30` in milliseconds after 00:00. */
function timeOfDayMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}

/** Spread schedules start within the hour after their time. */
export const SPREAD_MINUTES = 60;

/** Returns the delay of a spread schedule: evenly distributed, and always the same for one id, whose last digits are random. */
export function spreadMinutes(scheduleId: string): number {
  return Number.parseInt(scheduleId.slice(-8), 16) % SPREAD_MINUTES;
}

/** Returns the first day of the periodicity from a day on. Days are dates at 00:00 UTC, in any time zone. */
function firstDay(periodicity: Periodicity, from: Date): Date {
  const day = from.getUTCDate();
  switch (periodicity.every) {
    case 'day':
      return from;
    case 'week':
      return onDay(from, day + ((WEEKDAYS.indexOf(periodicity.weekday) - weekdayOf(from) + 7) % 7));
    case 'month': {
      const isPast = day > periodicity.monthday;
      return onDay(isPast ? firstOfNextMonth(from) : from, periodicity.monthday);
    }
  }
}

function startOfDay(date: Date): Date {
  return onDay(date, date.getUTCDate());
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
