import type { Clock } from '../platform/clock.ts';

/**
 * Returns the current time shifted so that schedules run at 00:00. `next_run_at` is stored in this shifted time, so it names days
 * and remains valid when `SITEWARDEN_SCHEDULE_TIME` changes.
 */
export function scheduleNow({ clock, scheduleTimeMs }: ScheduleTime): Date {
  return new Date(clock().getTime() - scheduleTimeMs);
}

/** The clock of schedules. */
export interface ScheduleTime {
  readonly clock: Clock;
  /** The time of day at which they run, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}
