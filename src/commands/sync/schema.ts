import Type from 'typebox';
import { MONTHDAY_MAX, WEEKDAYS } from '../../../packages/client/periodicity.ts';
import { FAIL_ON, readFailOn } from '../../domain/fail-on.ts';
import { isTimeZone } from '../../domain/time-zone.ts';
import {
  commentMaxCharacters,
  mutingMessageMaxCharacters,
  siteNameMaxCharacters,
  siteNotesMaxCharacters,
  urlMatchMaxCharacters,
} from '../../reports/definition/limits.ts';
import { requestAttributes } from '../../reports/definition/request-attributes.ts';
import { SITE_ACCESS_OPTIONS } from '../site-access-options.ts';

/** Keys of a sync file. Settings of reports are validated on their own, with the limits of the plan. */

/** The settings of reports, without credentials. */
export const REPORT_KEYS = Object.keys(requestAttributes()).filter((name) => !Object.hasOwn(SITE_ACCESS_OPTIONS, name));

export const SITE_SCHEMA = Type.Object({
  name: Type.Optional(
    Type.Refine(
      Type.String({ maxLength: siteNameMaxCharacters }),
      (text) => text.trim() !== '',
      () => "can't be blank",
    ),
  ),
  notes: Type.Optional(Type.String({ maxLength: siteNotesMaxCharacters })),
  archived: Type.Optional(Type.Boolean()),
});

const FAIL_ON_SCHEMA = Type.Refine(
  Type.Union([Type.String(), Type.Array(Type.String())]),
  (given) => 'failOn' in readFailOn(given, FAIL_ON),
  (given) => {
    const reading = readFailOn(given, FAIL_ON);
    return 'problem' in reading ? reading.problem : '';
  },
);

export const SCHEDULE_SCHEMA = Type.Object({
  every: Type.Enum(['deploy', 'day', 'week', 'month']),
  weekday: Type.Optional(Type.Enum([...WEEKDAYS])),
  monthday: Type.Optional(Type.Integer({ minimum: 1, maximum: MONTHDAY_MAX })),
  time_of_day: Type.Optional(
    Type.Refine(
      Type.String(),
      (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text),
      () => 'must be a time such as 07:30',
    ),
  ),
  time_zone: Type.Optional(
    Type.Refine(Type.String(), isTimeZone, () => 'must be a time zone such as Europe/Berlin or UTC'),
  ),
  spread: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  fail_on: Type.Optional(FAIL_ON_SCHEMA),
});
export type ScheduleValues = Type.Static<typeof SCHEDULE_SCHEMA>;

export const MUTING_SCHEMA = Type.Object({
  url_match: Type.String({ minLength: 1, maxLength: urlMatchMaxCharacters }),
  message: Type.String({ minLength: 1, maxLength: mutingMessageMaxCharacters }),
  comment: Type.Optional(Type.String({ maxLength: commentMaxCharacters })),
  expires_at: Type.Optional(Type.String()),
});

export const SITE_KEYS = [...REPORT_KEYS, ...Object.keys(SITE_SCHEMA.properties)];
export const SCHEDULE_KEYS = Object.keys(SCHEDULE_SCHEMA.properties);
export const MUTING_KEYS = Object.keys(MUTING_SCHEMA.properties);
