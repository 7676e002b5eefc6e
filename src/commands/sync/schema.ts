import Type from 'typebox';
import { MONTHDAY_MAX, WEEKDAYS } from '../../../packages/client/periodicity.ts';
import { canReceiveEmail } from '../../domain/email-address.ts';
import { FAIL_ON, readFailOn } from '../../domain/fail-on.ts';
import { CHANNEL_KINDS, DIGESTS, NOTIFICATION_EVENTS, WORSE_REASONS } from '../../domain/notifications.ts';
import { isTimeZone } from '../../domain/time-zone.ts';
import {
  commentMaxCharacters,
  mutingMessageMaxCharacters,
  selectorMaxCharacters,
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

const TIME_ZONE = Type.Refine(Type.String(), isTimeZone, () => 'must be a time zone such as Europe/Berlin or UTC');

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
  time_zone: Type.Optional(TIME_ZONE),
  spread: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  fail_on: Type.Optional(FAIL_ON_SCHEMA),
});
export type ScheduleValues = Type.Static<typeof SCHEDULE_SCHEMA>;

export const MUTING_SCHEMA = Type.Object({
  url_match: Type.String({ minLength: 1, maxLength: urlMatchMaxCharacters }),
  message: Type.String({ minLength: 1, maxLength: mutingMessageMaxCharacters }),
  selector: Type.Optional(Type.String({ minLength: 1, maxLength: selectorMaxCharacters })),
  comment: Type.Optional(Type.String({ maxLength: commentMaxCharacters })),
  retroactive: Type.Optional(Type.Boolean()),
  expires_at: Type.Optional(Type.String()),
});

function wordsOf(words: readonly string[]) {
  return Type.Refine(
    Type.Array(Type.String()),
    (given) => given.length > 0 && given.every((word) => words.includes(word)),
    () => `must be a list of ${words.join(', ')}`,
  );
}

/** The file cannot limit a channel to certain schedules, because schedules have no names. */
export const CHANNEL_SCHEMA = Type.Object({
  name: Type.Refine(
    Type.String({ maxLength: siteNameMaxCharacters }),
    (text) => text.trim() !== '',
    () => "can't be blank",
  ),
  kind: Type.Enum([...CHANNEL_KINDS]),
  email: Type.Optional(
    Type.Refine(
      Type.String(),
      (text) => canReceiveEmail(text.trim()),
      () => 'must be an email address, without a name',
    ),
  ),
  webhook_url_env: Type.Optional(Type.String({ minLength: 1 })),
  events: Type.Optional(wordsOf(NOTIFICATION_EVENTS)),
  worse_when: Type.Optional(wordsOf(WORSE_REASONS)),
  active: Type.Optional(Type.Boolean()),
  digest: Type.Optional(Type.Enum([...DIGESTS])),
  digest_hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  time_zone: Type.Optional(TIME_ZONE),
});

/** The settings of sites: a login names environment variables in place of secrets. */
export const SITE_REPORT_KEYS = [...REPORT_KEYS, 'login'];
export const SITE_KEYS = [...SITE_REPORT_KEYS, ...Object.keys(SITE_SCHEMA.properties)];
export const SCHEDULE_KEYS = Object.keys(SCHEDULE_SCHEMA.properties);
export const MUTING_KEYS = Object.keys(MUTING_SCHEMA.properties);
export const CHANNEL_KEYS = Object.keys(CHANNEL_SCHEMA.properties);
