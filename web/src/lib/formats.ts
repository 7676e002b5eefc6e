/** Numbers, times and words as people read them. Times of the API are in UTC, without a zone. */

const NUMBERS = new Intl.NumberFormat('en');
const DATES = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const TIMES = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const WEEKDAYS = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a number with separators: `12,345`. */
export function count(number: number): string {
  return NUMBERS.format(number);
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

/** Formats a time as people say it: `now`, `5 min ago`, `Fri 14:02` within a week, else the date. */
export function ago(timestamp: string, now: Date): string {
  const time = timeOf(timestamp);
  const elapsed = now.getTime() - time.getTime();
  if (elapsed < minute) return 'now';
  if (elapsed < hour) return `${Math.floor(elapsed / minute)} min ago`;
  if (elapsed < day) return `${Math.floor(elapsed / hour)} h ago`;
  if (elapsed < 6 * day) return `${WEEKDAYS.format(time)} ${TIMES.format(time)}`;
  return DATES.format(time);
}

/** Formats a time to come: `within a minute`, `in 5 min`, `Fri 01:00` within a week, else the date with its time. */
export function ahead(timestamp: string, now: Date): string {
  const time = timeOf(timestamp);
  const left = time.getTime() - now.getTime();
  if (left < minute) return 'within a minute';
  if (left < hour) return `in ${Math.floor(left / minute)} min`;
  if (left < 6 * day) return `${WEEKDAYS.format(time)} ${TIMES.format(time)}`;
  return dateTime(timestamp);
}

/** Formats how long something took: `41 s`, `1 min 41 s`, `2 h 5 min`. */
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

/** Returns a share as a whole percentage, which is 0 or 100 only if exactly so: 999 of 1,000 is 99. */
export function percent(part: number, whole: number): number {
  if (whole === 0) return 0;
  const rounded = Math.round((part / whole) * 100);
  if (part > 0 && rounded === 0) return 1;
  return part < whole && rounded === 100 ? 99 : rounded;
}

/** Returns a URL without its scheme, for headings and tables: `bakery.example`, `bakery.example/bread/`. Its path stays as it is. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/^([^/?#]+)\/$/, '$1');
}

/** Returns the path of a URL with its query, or the URL if it is none. */
export function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

/** Returns why something failed. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
