/** Time zones by name. The service can know more of them than this browser. */

/** The time zone of this browser. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the time zones to choose from in order, including the current one. */
export function timeZonesWith(used: string): readonly string[] {
  return [...new Set(['UTC', used, ...Intl.supportedValuesOf('timeZone')])].sort();
}

/** Whether this browser can show times of a time zone. */
export function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
