/** Returns a time in UTC to the second, as the API, exports and commands show it: `2026-02-06T08:15:00`. Null stays null. */
export function utcTime(time: Date): string;
export function utcTime(time: Date | null): string | null;
export function utcTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString().slice(0, 19);
}
