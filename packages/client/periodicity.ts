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
