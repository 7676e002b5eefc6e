import Type from 'typebox';
import { canReceiveEmail } from '../../domain/email-address.ts';
import {
  CHANNEL_KINDS,
  DEFAULT_EVENTS,
  DIGESTS,
  NOTIFICATION_EVENTS,
  type NotificationEvent,
  WORSE_REASONS,
} from '../../domain/notifications.ts';
import { UUID } from '../../domain/schemas.ts';
import type { ChannelChanges, NewChannel } from '../../notifications/channels.ts';
import { startingUrlMaxCharacters } from '../../reports/definition/limits.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { channelNameMaxCharacters, channelSchedulesMax } from './limits.ts';
import { givenTimeZone, shownTimeZone } from './time-zone.ts';

/** The attributes of notification channels in requests. */

export const NAME = { description: 'A name to recognize it by.', examples: ['Web team'] };
export const WEBHOOK_URL = {
  description:
    'The http or https URL that messages are posted to. Absent for the kind `email`, if it was encrypted with another key, and for read-only tokens, because Slack and Teams URLs are secrets.',
  examples: ['https://hooks.example.com/sitewarden'],
};
export const ACTIVE = Type.Boolean({
  default: true,
  description: 'Whether notifications are sent. Only test messages are sent to an inactive channel.',
});

const EVENTS = `\`report.finished\` and \`report.failed\` (a report ended for the first time), \`schedule.got_worse\` (see \`worse_when\`), \`schedule.out_of_credits\` (a schedule created no report, or its report ended early), \`guest.near_limit\` (a guest has used 80% of a month's credits; sent to the host and the guest), \`channel.paused\` (another channel was paused because its deliveries kept failing or its receiver returned 410), \`backup.failed\` and \`backup.recovered\` (scheduled backups of the installation fail, or work again; sent to operators only).`;

const DIGEST_HOUR_DEFAULT = 7;

export const SHOWN_DIGEST = {
  digest: Type.Enum([...DIGESTS], {
    default: 'none',
    description:
      'With `daily`, all events since the last digest are sent in one message, the worst first. Test messages are sent immediately.',
  }),
  digest_hour: Type.Integer({
    minimum: 0,
    maximum: 23,
    default: DIGEST_HOUR_DEFAULT,
    description: 'The hour at which a daily digest is sent.',
  }),
  time_zone: shownTimeZone('The time zone of `digest_hour`'),
};

const SETTINGS = {
  name: Type.Optional(Type.String({ ...NAME, maxLength: channelNameMaxCharacters, default: '' })),
  events: Type.Optional(
    wordsOf(NOTIFICATION_EVENTS, {
      description: `The events to send: ${EVENTS}`,
      default: [...DEFAULT_EVENTS],
    }),
  ),
  worse_when: Type.Optional(
    wordsOf(WORSE_REASONS, {
      description:
        'What makes a report of a schedule worse than the previous report: `new_critical` (new or regressed critical errors), `new_errors` (new or regressed errors of any impact), `broken_pages` (pages that can no longer be checked), `fail_on` (it fails according to the `fail_on` of the schedule, but the previous report passed).',
      default: [...WORSE_REASONS],
    }),
  ),
  schedule_ids: Type.Optional(
    Type.Array(UUID, {
      maxItems: channelSchedulesMax,
      description:
        'The schedules to notify about. Empty: all reports and schedules. Events without a schedule are always sent.',
      default: [],
    }),
  ),
  active: Type.Optional(ACTIVE),
  digest: Type.Optional(SHOWN_DIGEST.digest),
  digest_hour: Type.Optional(SHOWN_DIGEST.digest_hour),
  time_zone: Type.Optional(givenTimeZone(SHOWN_DIGEST.time_zone)),
};

const URL_SCHEMA = Type.Refine(
  Type.String(WEBHOOK_URL),
  (text) => urlProblem(text) === null,
  (text) => urlProblem(text) ?? '',
);

const EMAIL_SCHEMA = Type.Refine(
  Type.String({
    description:
      'The address that emails are sent to. Only for the kind `email`. If it is not the address of your account, its owner must confirm it first.',
    examples: ['web-team@example.com'],
  }),
  (text) => canReceiveEmail(text.trim()),
  () => 'must be an email address, without a name',
);

/** The attributes of POST /notification_channels. */
export const NEW_CHANNEL = Type.Object(
  {
    kind: Type.Enum([...CHANNEL_KINDS], {
      description:
        'The form of the messages: `webhook` for programs, `slack` and `teams` for the incoming webhooks of Slack and the workflows of Microsoft Teams, `email` for emails. `email` requires that the operator has set up a mail server.',
    }),
    webhook_url: Type.Optional(URL_SCHEMA),
    email: Type.Optional(EMAIL_SCHEMA),
    ...SETTINGS,
  },
  { additionalProperties: false },
);

/** The attributes of PATCH, all optional. */
export const CHANNEL_CHANGES = Type.Object(
  { webhook_url: Type.Optional(URL_SCHEMA), ...SETTINGS },
  { additionalProperties: false },
);

/** @throws RequestError invalid, with every problem */
export function parseNewChannel(attributes: Attributes): NewChannel {
  const given = readAttributes(NEW_CHANNEL, attributes);
  const { name = '', schedule_ids: scheduleIds = [], active = true } = given;
  const events = known(NOTIFICATION_EVENTS, given.events) ?? [...DEFAULT_EVENTS];
  const worseWhen = known(WORSE_REASONS, given.worse_when) ?? [...WORSE_REASONS];
  const { digest = 'none', digest_hour: digestHour = DIGEST_HOUR_DEFAULT, time_zone: timeZone = 'UTC' } = given;
  const settings = { name: name.trim(), events, worseWhen, scheduleIds, active, digest, digestHour, timeZone };
  const { kind, webhook_url: url, email } = given;
  if (kind === 'email') {
    if (url !== undefined) throw problemWith('webhook_url', 'must be absent for the kind email');
    if (email === undefined) throw problemWith('email', "can't be blank");
    return { kind, email: email.trim(), settings };
  }
  if (email !== undefined) throw problemWith('email', `must be absent for the kind ${kind}`);
  if (url === undefined) throw problemWith('webhook_url', "can't be blank");
  return { kind, url: url.trim(), settings };
}

function problemWith(attribute: string, title: string): RequestError {
  return new RequestError('invalid', [attributeProblem(attribute, title)]);
}

/** @throws RequestError invalid, with every problem */
export function parseChannelChanges(attributes: Attributes): ChannelChanges {
  const given = readAttributes(CHANNEL_CHANGES, attributes);
  const { name, schedule_ids: scheduleIds, active, webhook_url: url, digest, digest_hour: digestHour } = given;
  const { time_zone: timeZone } = given;
  const events: readonly NotificationEvent[] | undefined = known(NOTIFICATION_EVENTS, given.events);
  const worseWhen = known(WORSE_REASONS, given.worse_when);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(events !== undefined && { events }),
    ...(worseWhen !== undefined && { worseWhen }),
    ...(scheduleIds !== undefined && { scheduleIds }),
    ...(active !== undefined && { active }),
    ...(url !== undefined && { url: url.trim() }),
    ...(digest !== undefined && { digest }),
    ...(digestHour !== undefined && { digestHour }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** Returns the given words, each once, in the order in which they are documented. */
function known<Word extends string>(words: readonly Word[], given: readonly string[] | undefined) {
  return given && words.filter((word) => given.includes(word));
}

/** Returns the schema of a list of at least one of some words. */
function wordsOf(words: readonly string[], options: { readonly description: string; readonly default: string[] }) {
  const problem = (given: readonly string[]): string | null => {
    const unknown = given.find((word) => !words.includes(word));
    if (unknown !== undefined)
      return `has the unknown value ${JSON.stringify(unknown.slice(0, 100))}: use ${words.join(', ')}`;
    return given.length === 0 ? 'must not be empty' : null;
  };
  return Type.Refine(
    Type.Array(Type.String(), { ...options, examples: [options.default] }),
    (given) => problem(given) === null,
    (given) => problem(given) ?? '',
  );
}

/** Returns what is wrong with the URL of a channel; null if it is valid. */
function urlProblem(text: string): string | null {
  const given = text.trim();
  if (given === '') return "can't be blank";
  if (given.length > startingUrlMaxCharacters) return `must have at most ${startingUrlMaxCharacters} characters`;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return url.username === '' && url.password === '' ? null : 'must not contain a username or password';
}
