/** Returns a time in UTC to the second, as the API, exports and commands show it: `2026-02-06T08:15:00`. */
export function utcTime(time: Date): string {
  return time.toISOString().slice(0, 19);
}
