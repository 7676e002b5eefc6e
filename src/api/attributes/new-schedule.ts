import Type, { type TObject } from 'typebox';
import { Check } from 'typebox/schema';
import { MONTHDAY_MAX, type Periodicity, WEEKDAYS } from '../../../packages/client/periodicity.ts';
import type { Viewer } from '../../accounts/access.ts';
import { FAIL_ON, FAIL_ON_DEFAULT, type FailOn, readFailOn } from '../../domain/fail-on.ts';
import { REPORT_COLUMNS } from '../../domain/report-attributes.ts';
import { ADDITIVE, nullable, UUID } from '../../domain/schemas.ts';
import { NO_ACCESS } from '../../domain/site-access.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { measuredBy, readDefinitionChange, unsetMeasure } from '../../reports/definition/definition-change.ts';
import { NEW_REPORT } from '../../reports/definition/new-report.ts';
import { NOTATIONS } from '../../reports/definition/notations.ts';
import { requestAttributes } from '../../reports/definition/request-attributes.ts';
import type { CurrentSettings, ScheduleChange } from '../../schedules/save-schedule.ts';
import { type ScheduleSettings, START_TIME_DEFAULT } from '../../store/schedules/schedules.ts';
import type { Attributes } from '../jsonapi/attributes.ts';
import { invalid } from '../jsonapi/errors.ts';
import { GIVEN_SITE } from './definition-attributes.ts';
import { GIVEN_HOOK_SIGNATURE, readHookSigning } from './hook-signature-attributes.ts';
import { GIVEN_START_TIME, readStartTime } from './start-time-attributes.ts';

/** The defaults of a new schedule (docs/contract/resources.md#schedule). */
const DEFAULTS: CurrentSettings = {
  definition: { ...NEW_REPORT, max_pages: 100 },
  periodicity: null,
  startTime: START_TIME_DEFAULT,
  active: true,
  failOn: FAIL_ON_DEFAULT,
  hookSignature: null,
  signsIn: false,
  siteAccess: () => NO_ACCESS,
};

const MONTHDAYS = { minimum: 1, maximum: MONTHDAY_MAX };
const PERIODICITY = Type.Object(
  {
    every: Type.Enum(['deploy', 'month', 'week', 'day'], {
      description: 'How often it runs. With `deploy`, it only runs when its deploy hook is called.',
    }),
    monthday: Type.Optional(
      nullable(Type.Integer(MONTHDAYS), 'The day of the month, if `every` is `month`. The default is 1.'),
    ),
    weekday: Type.Optional(
      nullable(Type.Enum([...WEEKDAYS]), 'The day of the week, if `every` is `week`. The default is `monday`.'),
    ),
  },
  {
    additionalProperties: false,
    description:
      'The days on which it runs: in `time_zone` at `time_of_day`. Without `time_of_day`, at 00:00 UTC unless the operator has set another time.',
  },
);

export const SHOWN_PERIODICITY = nullable(
  Type.Object({
    every: Type.Enum(['day', 'week', 'month'], { description: 'How often it runs.' }),
    weekday: Type.Optional(
      Type.Enum([...WEEKDAYS], { description: 'The day of the week. Only if `every` is `week`.' }),
    ),
    monthday: Type.Optional(
      Type.Integer({ ...MONTHDAYS, description: 'The day of the month. Only if `every` is `month`.' }),
    ),
  }),
  'The days on which it runs; null if only its deploy hook runs it.',
  { examples: [{ every: 'week', weekday: 'friday' }] },
);

export const ACTIVE = Type.Boolean({ default: true, description: 'Only active schedules run.' });

const FAIL_ON_NAMES = FAIL_ON.map((name) => `\`${name}\``).join(', ');

export const SHOWN_FAIL_ON = Type.Array(Type.Enum([...FAIL_ON]), {
  description:
    'What makes a report of the schedule fail, as with `check --fail-on`. Each value includes anything worse: `error` (errors of all ' +
    'checks), `warning` (also warnings), `critical`, `serious`, `moderate` or `minor` (errors of that impact), `unchecked` (pages that could not be checked), `never`.',
  examples: [['critical', 'unchecked']],
  ...ADDITIVE,
});

const GIVEN_FAIL_ON = Type.Refine(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: `What makes a report of the schedule fail: ${FAIL_ON_NAMES}. Separated by commas, or an array.`,
    default: FAIL_ON_DEFAULT.join(','),
    examples: ['critical,unchecked', ['warning']],
    ...ADDITIVE,
  }),
  (given) => 'failOn' in readFailOn(given, FAIL_ON),
  (given) => problemOf(given),
);

function problemOf(given: string | readonly string[]): string {
  const reading = readFailOn(given, FAIL_ON);
  return 'problem' in reading ? reading.problem : '';
}

/** The attributes of POST /schedules without a site. */
const NEW_WITHOUT_SITE = Type.Object(
  {
    ...requestAttributes(DEFAULTS.definition),
    site_id: GIVEN_SITE,
    periodicity: PERIODICITY,
    ...GIVEN_START_TIME,
    active: Type.Optional(ACTIVE),
    fail_on: Type.Optional(GIVEN_FAIL_ON),
    ...GIVEN_HOOK_SIGNATURE,
  },
  { additionalProperties: false },
);

const { schema: URL_SCHEMA, about: URL_NOTATION } = NOTATIONS.url;

/** The attributes of POST /schedules. */
export const NEW_SCHEDULE_ATTRIBUTES = Type.Object(
  {
    ...NEW_WITHOUT_SITE.properties,
    starting_url: Type.Optional(
      Type.With(URL_SCHEMA, {
        description: `${REPORT_COLUMNS.starting_url.about} ${URL_NOTATION} Required without \`site_id\`. With it, the starting URL of the site, which is the default.`,
        examples: [...(REPORT_COLUMNS.starting_url.examples ?? [])],
      }),
    ),
  },
  { additionalProperties: false },
);

/** The attributes of PATCH, all optional. A periodicity must be complete, or null, which is how schedules show `deploy`. */
export const SCHEDULE_CHANGES = Type.Partial(
  Type.Object(
    {
      ...NEW_WITHOUT_SITE.properties,
      periodicity: nullable(
        PERIODICITY,
        'The whole periodicity, with all of its attributes. Null is the same as `deploy`.',
      ),
    },
    { additionalProperties: false },
  ),
);

/**
 * Parses the attributes of a new schedule.
 * @throws RequestError invalid, with every problem
 */
export function parseNewSchedule(attributes: Attributes, viewer: Viewer): ScheduleSettings {
  const schema = Object.hasOwn(attributes, 'site_id') ? NEW_SCHEDULE_ATTRIBUTES : NEW_WITHOUT_SITE;
  const settings = readSettings(schema, attributes, viewer, measuredBy(viewer, DEFAULTS));
  return { ...settings, unset: unsetMeasure(attributes) };
}

/** Parses a change to a schedule. Applying it throws like `parseNewSchedule`. */
export function parseScheduleChange(attributes: Attributes, viewer: Viewer): ScheduleChange {
  return {
    siteId: siteIn(attributes),
    apply: (current, siteUrl) => {
      const complete = { ...(siteUrl !== undefined && { starting_url: siteUrl }), ...attributes };
      return readSettings(SCHEDULE_CHANGES, complete, viewer, current);
    },
  };
}

function siteIn({ site_id: id }: Attributes): string | undefined {
  return Check(UUID, id) ? id : undefined;
}

function readSettings(
  schema: TObject,
  attributes: Attributes,
  viewer: Viewer,
  current: CurrentSettings,
): ScheduleSettings {
  const faults = attributeFaults(schema, attributes);
  const changed = readDefinitionChange(attributes, faults, viewer.limits, current);
  const hookSigning = readHookSigning(attributes, faults, current.hookSignature);
  const { periodicity, active, fail_on: given } = attributes;
  if (faults.size > 0) throw invalid([...faults.values()]);
  return {
    ...changed,
    siteId: siteIn(attributes),
    periodicity: Check(PERIODICITY, periodicity)
      ? toPeriodicity(periodicity)
      : periodicity === null
        ? null
        : current.periodicity,
    startTime: readStartTime(attributes, current.startTime),
    active: typeof active === 'boolean' ? active : current.active,
    failOn: Check(GIVEN_FAIL_ON, given) ? failOnOf(given) : current.failOn,
    hookSigning,
  };
}

function failOnOf(given: string | readonly string[]): readonly FailOn[] {
  const reading = readFailOn(given, FAIL_ON);
  return 'failOn' in reading ? reading.failOn : FAIL_ON_DEFAULT;
}

/** Ignores days that do not belong to `every`, since forms and client libraries send all fields. */
function toPeriodicity(given: Type.Static<typeof PERIODICITY>): Periodicity | null {
  const { every } = given;
  const weekday = given.weekday ?? 'monday';
  const monthday = given.monthday ?? 1;
  switch (every) {
    case 'deploy':
      return null;
    case 'day':
      return { every };
    case 'week':
      return { every, weekday };
    case 'month':
      return { every, monthday };
  }
}
