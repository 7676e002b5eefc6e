/** Whether a text is a time zone: a name of the IANA database, such as `Europe/Berlin`, or an offset. */
export function isTimeZone(text: string): boolean {
  try {
    // Stricter than `Temporal`, which also accepts a whole time with a zone in it.
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
