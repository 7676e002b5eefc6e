/** Numbers, times and words for people. Times of the API are in UTC, without a zone. */

import { pageName } from 'sitewarden-client/marks';

const NUMBERS = new Intl.NumberFormat('en');
const DATES = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const TIMES = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const AVERAGES = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const ZONED = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
const WEEKDAYS = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a number with separators: `12,345`. */
export function count(number: number): string {
  return NUMBERS.format(number);
}

/** Formats an average with one decimal: `3.4`. `0` means exactly none, so less than 0.1 is `<0.1`. */
export function average(number: number): string {
  if (number === 0) return '0';
  return number < 0.1 ? '<0.1' : AVERAGES.format(number);
}

/** Formats a number with its noun: `1 page`, `12,345 pages`. */
export function plural(number: number, singular: string, many = `${singular}s`): string {
  return `${count(number)} ${number === 1 ? singular : many}`;
}

/** Parses a time of the API. */
export function timeOf(timestamp: string): Date {
  return new Date(/Z|[+-]\d\d:\d\d$/.test(timestamp) ? timestamp : `${timestamp}Z`);
}

/** Formats a time as date and time of day: `12 Feb 2026, 14:02`. */
export function dateTime(timestamp: string): string {
  const time = timeOf(timestamp);
  return `${DATES.format(time)}, ${TIMES.format(time)}`;
}

/** Formats the day of a time without the year, in the time zone of the browser: `12 Feb`. */
export function dayOf(timestamp: string): string {
  return DAYS.format(timeOf(timestamp));
}

/** Formats a time with the time zone of the browser: `Thu 12 Feb 2026, 14:02 CET`. */
export function zonedTime(timestamp: string): string {
  const time = timeOf(timestamp);
  return `${WEEKDAYS.format(time)} ${DATES.format(time)}, ${ZONED.format(time)}`;
}

/** Formats a past time: `now`, `5 min ago`, `Fri 14:02` within a week, otherwise the date. */
export function ago(timestamp: string, now: Date): string {
  const time = timeOf(timestamp);
  const elapsed = now.getTime() - time.getTime();
  if (elapsed < minute) return 'now';
  if (elapsed < hour) return `${Math.floor(elapsed / minute)} min ago`;
  if (elapsed < day) return `${Math.floor(elapsed / hour)} h ago`;
  if (elapsed < 6 * day) return `${WEEKDAYS.format(time)} ${TIMES.format(time)}`;
  return DATES.format(time);
}

/** Formats a future time: `within a minute`, `in 5 min`, `in 3 h`, `in 4 days` within two weeks, otherwise the date. */
export function ahead(timestamp: string, now: Date): string {
  const time = timeOf(timestamp);
  const left = time.getTime() - now.getTime();
  if (left < minute) return 'within a minute';
  if (left < hour) return `in ${Math.floor(left / minute)} min`;
  if (left < 2 * day) return `in ${Math.floor(left / hour)} h`;
  if (left < 14 * day) return `in ${Math.floor(left / day)} days`;
  return DATES.format(time);
}

/** Formats a duration: `41 s`, `1 min 41 s`, `2 h 5 min`. */
export function duration(from: string, to: string): string {
  const elapsed = Math.max(0, timeOf(to).getTime() - timeOf(from).getTime());
  const parts: (readonly [number, string])[] = [
    [Math.floor(elapsed / hour), 'h'],
    [Math.floor((elapsed % hour) / minute), 'min'],
    [Math.round((elapsed % minute) / second), 's'],
  ];
  const shown = parts.filter(([number]) => number > 0).slice(0, 2);
  return shown.length === 0 ? '0 s' : shown.map(([number, unit]) => `${number} ${unit}`).join(' ');
}

/** Returns a share as a whole percentage, which is 0 or 100 only if that is exact: 999 of 1,000 is 99. */
export function percent(part: number, whole: number): number {
  return percentages([part, whole - part])[0] ?? 0;
}

/** Returns the parts of a whole as percentages that add up to 100, by largest remainders. Only empty parts are 0. */
export function percentages(parts: readonly number[]): number[] {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (whole === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part * 100) / whole);
  const shown = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  const byRemainder = [...exact.keys()].sort(
    (one, other) => remainder(exact, shown, other) - remainder(exact, shown, one),
  );
  const missing = 100 - shown.reduce((sum, share) => sum + share, 0);
  for (const at of byRemainder.slice(0, Math.max(0, missing))) shown[at] = (shown[at] ?? 0) + 1;
  // Parts below 1% took their 1 from the largest.
  const largest = exact.indexOf(Math.max(...exact));
  if (missing < 0) shown[largest] = (shown[largest] ?? 0) + missing;
  return shown;
}

function remainder(exact: readonly number[], shown: readonly number[], at: number): number {
  return (exact[at] ?? 0) - (shown[at] ?? 0);
}

/**
 * Returns a URL without its scheme, for headings and tables: `bakery.example`, `bakery.example/bread/`; for a mark of a journey,
 * its name.
 */
export function shortUrl(url: string): string {
  return pageName(url)
    .replace(/^https?:\/\//, '')
    .replace(/^([^/?#]+)\/$/, '$1');
}

/** Returns the path of a URL with its query, or the text itself if it is not a URL; for a mark of a journey, its name. */
export function pathOf(url: string): string {
  const parsed = URL.parse(pageName(url));
  return parsed === null ? pageName(url) : parsed.pathname + parsed.search;
}

/** Returns why an action failed. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
