/** Whether a string is a time zone: a name in the IANA database, such as `Europe/Berlin`, or an offset. */
export function isTimeZone(text: string): boolean {
  try {
    // Stricter than `Temporal`, which also accepts a whole time with a zone in it.
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
