import { isDeepStrictEqual } from 'node:util';
import {
  nextRun,
  nextRuns,
  type Periodicity,
  type RunTimes,
  spreadMinutes,
} from '../../packages/client/periodicity.ts';
import type { Clock } from '../platform/clock.ts';
import { type Schedule, type StartTime, startTimeOf } from '../store/schedules/schedules.ts';

/** The clock and the default time of day of schedules. */
export interface ScheduleTime {
  readonly clock: Clock;
  /** The time of day for schedules without one of their own, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

/** What decides when a schedule runs. */
interface Timing {
  /** Null: only when its deploy hook is called. */
  readonly periodicity: Periodicity | null;
  readonly startTime: StartTime;
}

/** Returns the next run of a schedule as it is stored (`nextRunTime`); null if it does not run by itself. */
export function storedNextRun(id: string, timing: Timing, { clock, scheduleTimeMs }: ScheduleTime): Date | null {
  const times = storedTimes(id, timing);
  return times && nextRun(times, new Date(clock().getTime() - shiftMs(timing.startTime, scheduleTimeMs)));
}

/** Returns the next runs of a schedule; null if it does not run by itself. */
export function upcomingRuns(schedule: Schedule, scheduleTimeMs: number, count: number): Date[] | null {
  const { id, periodicity, next_run_at: first } = schedule;
  const startTime = startTimeOf(schedule);
  const times = storedTimes(id, { periodicity, startTime });
  if (times === null || first === null) return null;
  const shift = shiftMs(startTime, scheduleTimeMs);
  return nextRuns(times, first, count).map((run) => new Date(run.getTime() + shift));
}

/** Whether two schedules run at the same times. A time zone without a time of day has no effect. */
export function isSameTiming(one: Timing, other: Timing): boolean {
  const effective = ({ periodicity, startTime: { timeOfDay, timeZone, isSpread } }: Timing) => [
    ...[periodicity, timeOfDay, timeOfDay === null ? null : timeZone, isSpread],
  ];
  return isDeepStrictEqual(effective(one), effective(other));
}

function storedTimes(id: string, { periodicity, startTime }: Timing): RunTimes | null {
  if (periodicity === null) return null;
  const { timeOfDay, timeZone, isSpread } = startTime;
  const delayMinutes = isSpread ? spreadMinutes(id) : 0;
  return timeOfDay === null
    ? { periodicity, timeOfDay: '00:00', timeZone: 'UTC', delayMinutes }
    : { periodicity, timeOfDay, timeZone, delayMinutes };
}

/** How much later than the stored time a schedule runs. */
function shiftMs({ timeOfDay }: StartTime, scheduleTimeMs: number): number {
  return timeOfDay === null ? scheduleTimeMs : 0;
}
