import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { viewportOf } from '../../browser/devices.ts';
import { DEFAULT_VIEWPORT } from '../../domain/check.ts';
import { type Journey, journeyActionOf } from '../../domain/journey.ts';
import { LOGIN_ACTIONS } from '../../domain/login.ts';
import { isUuid, UUID } from '../../domain/schemas.ts';
import { JOURNEY } from '../../domain/step-schema.ts';
import type { JourneyToTest } from '../../logins/try-steps.ts';
import { attributeFaults, faultsMax } from '../../platform/attribute-faults.ts';
import { fault } from '../../platform/fault.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { readJourneys } from '../../reports/definition/journey-attributes.ts';
import type { Refuse } from '../../reports/definition/login-attributes.ts';
import { requireResumed } from '../../store/pause.ts';
import type { SiteRow } from '../../store/reports/site-list.ts';
import { findSchedule } from '../../store/schedules/schedules.ts';
import { bodyEndpoint, type Call, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { invalid } from '../jsonapi/errors.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { ownSite } from './site.ts';
import { renderTried, triedAttributes } from './tried-steps.ts';

const JOURNEY_TEST = resourceType('journey_test', {
  description: 'The result of trying a journey. It is not stored.',
  id: UUID,
  attributes: Type.Object(
    triedAttributes([...LOGIN_ACTIONS, 'check'], {
      works: 'Whether the login of the site and all steps worked.',
      error: 'Step 3 of the journey (click “#menu”) failed: no element matched the selector within 10 seconds.',
    }),
  ),
  relationships: {},
  self: 'never',
});

const BODY = Type.Object(
  {
    journey: { ...JOURNEY, description: 'The journey to try.' },
    schedule_id: Type.Optional(
      Type.With(UUID, {
        description:
          'The id of a schedule of the site, whose starting URL, device, credentials and stored secrets are used instead.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const JOURNEY_TEST_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/sites/{site_id}/journey_tests',
    summary: 'Try a journey of a site',
    pro: true,
    ignoresKey: true,
    description:
      'Signs in to the site if it has a login, performs the steps in a browser, as reports do, and returns screenshots of the steps. Nothing is checked, and the journey is not stored; send `true` in place of a secret to use the stored secret of the journey with this name. Takes up to four minutes. An account can try only one login or journey at a time. An `Idempotency-Key` has no effect.',
    additive: true,
    params: Type.Object({ site_id: UUID }),
    answers: one(JOURNEY_TEST),
    errors: ['conflict', 'paused'],
    body: {
      attributes: BODY,
      example: {
        journey: { name: 'Menu', steps: [{ open: '/' }, { click: '#menu' }, { check: 'Open menu' }] },
      },
      parse: (attributes) => attributes,
    },
    subject: ownSite,
    async answer({ call, subject, body }) {
      await requireResumed(call.db);
      const { access, definition } = await ownerOfJourney(call, subject, body);
      const journey = readJourney(body, access.journeys ?? []);
      const { starting_url: startingUrl, device_id: device, device_rotated: isRotated } = definition;
      const viewport = viewportOf(device, isRotated) ?? DEFAULT_VIEWPORT;
      const test = await call.testJourney(call.viewer.accountId, { journey, access, startingUrl, viewport });
      const attributes: AttributesOf<typeof JOURNEY_TEST> = renderTried(test, journey.steps.map(journeyActionOf));
      return resource(JOURNEY_TEST, { id: randomUUID(), attributes });
    },
  }),
];

/** Returns the credentials and the settings of the site, or of one of its schedules. @throws RequestError */
async function ownerOfJourney(
  { db, credentialStore }: Call,
  { id, site_access: sealed, definition }: SiteRow,
  body: JsonObject,
): Promise<Pick<JourneyToTest, 'access'> & Pick<SiteRow, 'definition'>> {
  const { schedule_id: scheduleId } = body;
  if (scheduleId === undefined) return { access: credentialStore.open(sealed, `site ${id}`), definition };
  const schedule =
    typeof scheduleId === 'string' && isUuid(scheduleId) ? await findSchedule(db, scheduleId) : undefined;
  if (schedule === undefined || schedule.site_id !== id) {
    const faults = attributeFaults(BODY, body);
    faults.set('schedule_id', fault('schedule_id', 'is not the id of a schedule of the site'));
    throw invalid([...faults.values()]);
  }
  return {
    access: credentialStore.open(schedule.site_access, `schedule ${schedule.id}`),
    definition: schedule.definition,
  };
}

/** @throws RequestError */
function readJourney(body: JsonObject, stored: readonly Journey[]): Journey {
  const faults = attributeFaults(BODY, body);
  // The faults of single steps are more exact than the fault of the whole list.
  const { journey: given } = body;
  if (isObject(given) && Array.isArray(given['steps'])) faults.delete('journey/steps');
  const refuse: Refuse = ([, ...path], message) => {
    const whole = ['journey', ...path];
    if (faults.size < faultsMax && !faults.has(whole.join('/'))) faults.set(whole.join('/'), fault(whole, message));
  };
  const [journey] = readJourneys([given], refuse, stored);
  if (faults.size > 0 || journey === undefined) throw invalid([...faults.values()]);
  return journey;
}
