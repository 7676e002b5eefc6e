import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { viewportOf } from '../../browser/devices.ts';
import { DEFAULT_VIEWPORT } from '../../domain/check.ts';
import { actionOf, LOGIN_ACTIONS, type Login } from '../../domain/login.ts';
import { nullable, UUID } from '../../domain/schemas.ts';
import type { LoginTest } from '../../logins/test-login.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { LOGIN_ATTRIBUTE } from '../../reports/definition/login-attributes.ts';
import { readSiteAccess } from '../../reports/definition/site-access-attributes.ts';
import { requireResumed } from '../../store/pause.ts';
import type { SiteRow } from '../../store/reports/site-list.ts';
import { bodyEndpoint, type Call, one } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { invalid } from '../jsonapi/errors.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { ownSite } from './site.ts';
import { renderTried, triedAttributes } from './tried-steps.ts';

const OPEN_TO_STRANGERS =
  'The last page looks the same to signed-out visitors, so an ended session cannot be detected. Set signed_in to something that only signed-in users see.';

const LOGIN_TEST = resourceType('login_test', {
  description: 'The result of trying a login. It is not stored.',
  id: UUID,
  attributes: Type.Object({
    ...triedAttributes(LOGIN_ACTIONS, {
      works: 'Whether reports can sign in with it.',
      error:
        'The login did not work: step 3 (click “#menu”) failed: no element matched the selector within 10 seconds.',
    }),
    warning: nullable(
      Type.String(),
      'A problem with a login that works; null if there is none. For example, if the last page looks the same to signed-out visitors, an ended session cannot be detected.',
      { examples: [null, OPEN_TO_STRANGERS] },
    ),
  }),
  relationships: {},
  self: 'never',
});

const BODY = Type.Object({ login: LOGIN_ATTRIBUTE }, { additionalProperties: false });

export const LOGIN_TEST_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/sites/{site_id}/login_tests',
    summary: 'Try the login of a site',
    ignoresKey: true,
    description:
      'Signs in to the site in a browser, as its reports do, and returns screenshots of the steps. With `login`, tries these steps instead of the stored ones, without storing them; send `true` in place of a secret to use the stored one. Takes up to four minutes. An account can try only one login or journey at a time. An `Idempotency-Key` has no effect.',
    additive: true,
    params: Type.Object({ site_id: UUID }),
    answers: one(LOGIN_TEST),
    errors: ['conflict', 'paused'],
    body: {
      attributes: BODY,
      example: {
        login: {
          steps: [
            { open: 'https://example.com/login' },
            { fill: '#password', secret: 'correct horse battery staple' },
            { press: 'Enter' },
          ],
        },
      },
      parse: (attributes) => attributes,
    },
    subject: ownSite,
    async answer({ call, subject, body }) {
      await requireResumed(call.db);
      const { access, login } = accessFor(call, subject, body);
      if (login === null) return render(NO_LOGIN, []);
      const { starting_url: startingUrl, device_id: device, device_rotated: isRotated } = subject.definition;
      const viewport = viewportOf(device, isRotated) ?? DEFAULT_VIEWPORT;
      const owner = { id: randomUUID(), access: { ...access, login }, startingUrl, siteUrl: null, viewport };
      return render(await call.testLogin(call.viewer.accountId, owner), login.steps);
    },
  }),
];

/** Returns the credentials of a site with the login to try. @throws AppError conflict, RequestError */
function accessFor({ credentialStore }: Call, { id, site_access: sealed }: SiteRow, body: JsonObject) {
  const stored = credentialStore.open(sealed, `site ${id}`);
  const faults = attributeFaults(BODY, body);
  const access = readSiteAccess(body, faults, () => stored) ?? stored;
  if (faults.size > 0) throw invalid([...faults.values()]);
  return { access, login: access.login ?? null };
}

const NO_LOGIN: LoginTest = {
  failure: { code: 'login_missing', params: {} },
  ...{ failedStep: null, screenshots: [], isOpenToStrangers: false },
};

function render(test: LoginTest, steps: Login['steps']): Resource {
  const attributes: AttributesOf<typeof LOGIN_TEST> = {
    ...renderTried(test, steps.map(actionOf)),
    warning: test.isOpenToStrangers ? OPEN_TO_STRANGERS : null,
  };
  return resource(LOGIN_TEST, { id: randomUUID(), attributes });
}
