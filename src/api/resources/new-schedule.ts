import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Viewer } from '../../accounts/access.ts';
import { MONTHDAY_MAX, type Periodicity, WEEKDAYS } from '../../domain/periodicity.ts';
import { DEFAULT_DEFINITION } from '../../domain/report-definition.ts';
import type { ScheduleSettings } from '../../store/schedules.ts';
import { type Attributes, attributeProblems } from '../attributes.ts';
import { RequestError } from '../jsonapi/errors.ts';
import { nullable } from '../jsonapi/schemas.ts';
import { DEFINITION_ATTRIBUTES, maxPagesAttribute } from './definition-attributes.ts';
import { readDefinition } from './new-report.ts';

/** What a new schedule is when nothing is said but its starting URL and periodicity (section 4.5 of the contract). */
const DEFAULTS: ScheduleSettings = {
  definition: { ...DEFAULT_DEFINITION, maxPages: 100 },
  periodicity: null,
  active: true,
};

const EVERY = { description: 'How often it runs; `deploy` is only when its deploy hook is called.' };
const MONTHDAY = Type.Integer({
  minimum: 1,
  maximum: MONTHDAY_MAX,
  default: 1,
  description: 'On which day of the month, with `every` month.',
});
const WEEKDAY = Type.Enum([...WEEKDAYS], { default: 'monday', description: 'On which day, with `every` week.' });
const PERIODICITY = Type.Object(
  {
    every: Type.Enum(['deploy', 'month', 'week', 'day'], EVERY),
    monthday: Type.Optional(MONTHDAY),
    weekday: Type.Optional(WEEKDAY),
  },
  {
    additionalProperties: false,
    description: 'On which days it runs: at 00:00 UTC, unless the operator has set another time.',
  },
);

/** How a schedule shows on which days it runs. */
export const SHOWN_PERIODICITY = nullable(
  Type.Union([
    Type.Object({ every: Type.Literal('day', EVERY) }),
    Type.Object({ every: Type.Literal('week', EVERY), weekday: WEEKDAY }),
    Type.Object({ every: Type.Literal('month', EVERY), monthday: MONTHDAY }),
  ]),
  'On which days it runs; null where only its deploy hook runs it.',
  { examples: [{ every: 'week', weekday: 'friday' }] },
);

export const ACTIVE = Type.Boolean({ default: true, description: 'Only active schedules run.' });

/** The attributes of POST /schedules. */
export const NEW_SCHEDULE_ATTRIBUTES = Type.Object(
  {
    ...DEFINITION_ATTRIBUTES,
    max_pages: maxPagesAttribute(DEFAULTS.definition.maxPages),
    periodicity: PERIODICITY,
    active: Type.Optional(ACTIVE),
  },
  { additionalProperties: false },
);

/** The attributes of PATCH: any of them. A periodicity is given as a whole, or as null, which is how `deploy` is shown. */
export const SCHEDULE_CHANGES = Type.Partial(
  Type.Object(
    {
      ...NEW_SCHEDULE_ATTRIBUTES.properties,
      periodicity: nullable(PERIODICITY, 'The whole of it, or null, which is how `deploy` is shown.'),
    },
    { additionalProperties: false },
  ),
);

/**
 * A new schedule from the attributes of a request.
 * @throws RequestError invalid, with all invalid attributes at once
 */
export function parseNewSchedule(attributes: Attributes, viewer: Viewer): ScheduleSettings {
  return readSettings(NEW_SCHEDULE_ATTRIBUTES, attributes, viewer, DEFAULTS);
}

/** What becomes of a schedule by the attributes of a request; the result throws as `parseNewSchedule` does. */
export function parseScheduleChange(
  attributes: Attributes,
  viewer: Viewer,
): (current: ScheduleSettings) => ScheduleSettings {
  return (current) => readSettings(SCHEDULE_CHANGES, attributes, viewer, current);
}

function readSettings(
  schema: typeof NEW_SCHEDULE_ATTRIBUTES | typeof SCHEDULE_CHANGES,
  attributes: Attributes,
  viewer: Viewer,
  current: ScheduleSettings,
): ScheduleSettings {
  const problems = attributeProblems(schema, attributes);
  const definition = readDefinition(attributes, problems, viewer, current.definition);
  const { periodicity, active } = attributes;
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  return {
    definition,
    periodicity: Value.Check(PERIODICITY, periodicity)
      ? toPeriodicity(periodicity)
      : periodicity === null
        ? null
        : current.periodicity,
    active: typeof active === 'boolean' ? active : current.active,
  };
}

/** A part that does not go with `every` is without effect: client libraries send every attribute they know. */
function toPeriodicity({
  every,
  weekday = 'monday',
  monthday = 1,
}: Type.Static<typeof PERIODICITY>): Periodicity | null {
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
