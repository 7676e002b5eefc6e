/**
 * Local times of time zones, over `Intl` alone: not every browser that opens the dashboard has `Temporal`. A local time is a
 * number: the milliseconds since 1970 that a UTC clock would show.
 */

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** Formats are expensive to create. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(timeZone, format);
  return format;
}

/** Returns the local time at a moment, without milliseconds. @throws RangeError for an unknown time zone */
export function localTime(timeZone: string, moment: number): number {
  if (timeZone === 'UTC') return moment;
  // In `en-US`: `11/25/2026, 07:30:00`.
  const [month = 0, day = 0, year = 0, ...time] = formatOf(timeZone).format(moment).split(/\D+/).map(Number);
  const [hour = 0, minute = 0, second = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * Returns the first moment at which the local time has come: the first of two when clocks are set back, and the moment of the
 * change when they skip it. It is found by the offsets of a day before and a day after, since no zone changes its clock twice
 * in that time.
 */
export function momentOf(timeZone: string, local: number): number {
  const byEarlier = local - offsetAt(timeZone, local - DAY_MS);
  if (localTime(timeZone, byEarlier) === local) return byEarlier;
  const byLater = local - offsetAt(timeZone, local + DAY_MS);
  if (localTime(timeZone, byLater) === local) return byLater;
  // The clock skips this time. Its change is after `byLater`, which uses the larger offset, and not after `byEarlier`.
  let [before, after] = [byLater, byEarlier];
  while (after - before > SECOND_MS) {
    const middle = Math.floor((before + after) / 2 / SECOND_MS) * SECOND_MS;
    if (localTime(timeZone, middle) < local) before = middle;
    else after = middle;
  }
  return after;
}

/** Returns how far local time is ahead of UTC, in milliseconds. */
function offsetAt(timeZone: string, moment: number): number {
  return localTime(timeZone, moment) - moment;
}
