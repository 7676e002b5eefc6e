import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { SIGN_UPS, type SignUp } from '../../accounts/register.ts';
import { nullable } from '../../domain/schemas.ts';
import { commandLine } from '../../platform/invocation.ts';
import { VERSION } from '../../platform/version.ts';
import type { Database } from '../../store/database.ts';
import { canAnyoneSignIn } from '../../store/passwords.ts';
import { type OidcSettings, providerName } from '../auth/oidc-provider.ts';
import { sendDocument } from '../http/body.ts';
import { API_PREFIX } from '../http/links.ts';
import { type Resource, resource, single } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

/** Below `/api/v1`. Takes no token: programs read it before they have one. */
export const INSTALLATION_PATH = '/installation';

export const INSTALLATION = resourceType('installation', {
  description: 'This installation of sitewarden, as everybody sees it.',
  id: Type.String({ pattern: '^installation$', examples: ['installation'] }),
  attributes: Type.Object({
    sign_up: Type.Enum([...SIGN_UPS], {
      description: 'Who may create an account without the operator: anyone, invited people, or nobody.',
    }),
    version: Type.String({ description: 'The version of sitewarden.' }),
    command: Type.String({
      description: 'What begins a command of sitewarden where the service runs; the command follows after a space.',
      examples: ['npx sitewarden'],
    }),
    needs_owner: Type.Boolean({
      description: 'Whether nobody can sign in yet: the link that `sitewarden serve` prints is for the owner.',
    }),
    sends_mail: Type.Boolean({
      description: 'Whether it can send mails, which notification channels of the kind `email` require.',
    }),
    oidc: nullable(
      Type.Object({ name: Type.String({ description: 'What people call it.', examples: ['id.example.com'] }) }),
      'The OpenID Connect provider to sign in with; null if there is none.',
    ),
    schedule_time: Type.String({
      pattern: '^[0-2][0-9]:[0-5][0-9]$',
      description: 'The time of day at which schedules run, in UTC.',
      examples: ['00:00'],
    }),
  }),
  relationships: {},
  self: 'never',
});

export interface InstallationSettings extends Pick<OidcSettings, 'oidcIssuer' | 'oidcName'> {
  readonly signUp: SignUp;
  readonly mailFrom: string | null;
  /** Milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

/** Plugin for `GET /installation`. */
export function installation(
  server: FastifyInstance,
  { db, settings }: { readonly db: Database; readonly settings: InstallationSettings },
  done: () => void,
): void {
  server.get(API_PREFIX + INSTALLATION_PATH, async (_request, reply) => {
    const needsOwner = !(await canAnyoneSignIn(db));
    const name = providerName(settings);
    const attributes = {
      ...{
        sign_up: settings.signUp,
        version: VERSION,
        command: commandLine('').trimEnd(),
        needs_owner: needsOwner,
        sends_mail: settings.mailFrom !== null,
      },
      oidc: name === null ? null : { name },
      schedule_time: new Date(settings.scheduleTimeMs).toISOString().slice(11, 16),
    };
    return sendDocument(reply, 200, single(installationResource(attributes)));
  });
  done();
}

export function installationResource(attributes: AttributesOf<typeof INSTALLATION>): Resource {
  return resource(INSTALLATION, { id: 'installation', attributes });
}
