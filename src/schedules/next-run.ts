import { type Periodicity, WEEKDAYS } from '../domain/periodicity.ts';

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
