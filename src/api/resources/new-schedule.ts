import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Viewer } from '../../accounts/access.ts';
import { MONTHDAY_MAX, type Periodicity, WEEKDAYS } from '../../domain/periodicity.ts';
import { DEFAULT_DEFINITION } from '../../domain/report-definition.ts';
import type { ScheduleSettings } from '../../store/schedules.ts';
import { type Attributes, attributeProblems } from '../attributes.ts';
import { RequestError } from '../jsonapi/errors.ts';
import { nullable } from '../jsonapi/schemas.ts';
import { DEFINITION_ATTRIBUTES, maxPagesAttribute, readDefinition } from './new-report.ts';

/** What a new schedule is when nothing is said but its starting URL and periodicity (section 4.5 of the contract). */
const DEFAULTS: ScheduleSettings = {
  definition: { ...DEFAULT_DEFINITION, maxPages: 100 },
  periodicity: null,
  active: true,
};

const PERIODICITY = Type.Object(
  {
    every: Type.Enum(['deploy', 'month', 'week', 'day'], {
      description: 'deploy: only when the deploy hook is called.',
    }),
    monthday: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MONTHDAY_MAX, default: 1, description: 'With every month.' }),
    ),
    weekday: Type.Optional(Type.Enum([...WEEKDAYS], { default: 'monday', description: 'With every week.' })),
  },
  { additionalProperties: false },
);

/** The attributes of POST /schedules. */
export const NEW_SCHEDULE_ATTRIBUTES = Type.Object(
  {
    ...DEFINITION_ATTRIBUTES,
    max_pages: maxPagesAttribute(DEFAULTS.definition.maxPages),
    periodicity: PERIODICITY,
    active: Type.Optional(Type.Boolean({ default: true, description: 'Only active schedules run.' })),
  },
  { additionalProperties: false },
);

/** The attributes of PATCH: any of them. A periodicity is given as a whole, or as null, which is how `deploy` is shown. */
export const SCHEDULE_CHANGES = Type.Partial(
  Type.Object(
    { ...NEW_SCHEDULE_ATTRIBUTES.properties, periodicity: nullable(PERIODICITY) },
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
