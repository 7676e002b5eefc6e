/** When a channel gets its daily digest. */
export interface DigestTime {
  /** 0 to 23. */
  readonly hour: number;
  /** A name from the IANA database, such as `Europe/Berlin`, or an offset. */
  readonly timeZone: string;
}

/**
 * Returns the first moment after `now` at which it is that hour in the time zone. On days without that hour, the following hour
 * is used.
 */
export function nextDigest({ hour, timeZone }: DigestTime, now: Date): Date {
  const here = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const today = here.withPlainTime({ hour });
  const isPast = Temporal.ZonedDateTime.compare(today, here) <= 0;
  return new Date((isPast ? here.add({ days: 1 }).withPlainTime({ hour }) : today).epochMilliseconds);
}
