import Type from 'typebox';
import { Check } from 'typebox/schema';
import { ADDITIVE, nullable } from '../../domain/schemas.ts';
import type { StartTime } from '../../store/schedules/schedules.ts';
import type { Attributes } from '../jsonapi/attributes.ts';
import { givenTimeZone, shownTimeZone } from './time-zone.ts';

export const SHOWN_START_TIME = {
  time_of_day: nullable(
    Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['07:30'] }),
    'The time at which it runs, from `00:00` to `23:59` in `time_zone`. When clocks change, it runs once on that day: right after the change if the time is skipped, and the first time if it is repeated. Null: `schedule_time` of the installation, in UTC.',
    { default: null, examples: ['07:30', null], ...ADDITIVE },
  ),
  time_zone: Type.With(shownTimeZone('The time zone of `time_of_day` and of the days on which it runs'), ADDITIVE),
  spread: Type.Boolean({
    default: false,
    description:
      'Whether it starts within the hour after its time, always at the same minute, so that many schedules with the same time do not start together. `next_run_at` includes that minute.',
    ...ADDITIVE,
  }),
};

const GIVEN_TIME_ZONE = givenTimeZone(SHOWN_START_TIME.time_zone);

export const GIVEN_START_TIME = {
  time_of_day: Type.Optional(SHOWN_START_TIME.time_of_day),
  time_zone: Type.Optional(GIVEN_TIME_ZONE),
  spread: Type.Optional(SHOWN_START_TIME.spread),
};

/** Reads valid attributes. @param current the values of attributes that are absent */
export function readStartTime(attributes: Attributes, current: StartTime): StartTime {
  const { time_of_day: timeOfDay, time_zone: timeZone, spread } = attributes;
  return {
    timeOfDay: Check(SHOWN_START_TIME.time_of_day, timeOfDay) ? timeOfDay : current.timeOfDay,
    timeZone: Check(GIVEN_TIME_ZONE, timeZone) ? timeZone : current.timeZone,
    isSpread: typeof spread === 'boolean' ? spread : current.isSpread,
  };
}
