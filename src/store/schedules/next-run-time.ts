import { type RawBuilder, sql } from 'kysely';

/**
 * Selects when a row of `schedules` runs next. `next_run_at` is a moment if the schedule has a time of day. Otherwise it is
 * stored as if `scheduleTimeMs` were 0, so it remains valid when the time of the installation changes.
 * @param scheduleTimeMs the installation's time for schedules, in milliseconds after 00:00 UTC
 */
export function nextRunTime(scheduleTimeMs: number): RawBuilder<Date | null> {
  const time = sql`make_interval(secs => ${scheduleTimeMs / 1_000})`;
  return sql<Date | null>`(next_run_at + CASE WHEN time_of_day IS NULL THEN ${time} ELSE '0' END)`;
}
