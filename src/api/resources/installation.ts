import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { SIGN_UPS, type SignUp } from '../../accounts/register.ts';
import { nullable } from '../../domain/schemas.ts';
import { commandLine } from '../../platform/invocation.ts';
import { VERSION } from '../../platform/version.ts';
import { canAnyoneSignIn } from '../../store/accounts/passwords.ts';
import type { Database } from '../../store/database.ts';
import { pausedSince } from '../../store/pause.ts';
import { type OidcSettings, providerName } from '../auth/oidc-provider.ts';
import { sendDocument } from '../http/body.ts';
import { API_PREFIX } from '../http/links.ts';
import { type Resource, resource, single } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

/** Below `/api/v1`. Requires no token: programs read it before they have a token. */
export const INSTALLATION_PATH = '/installation';

export const INSTALLATION = resourceType('installation', {
  description: 'Public information about this installation of sitewarden.',
  id: Type.String({ pattern: '^installation$', examples: ['installation'] }),
  attributes: Type.Object({
    sign_up: Type.Enum([...SIGN_UPS], {
      description: 'Who can create an account without the operator: anyone (`open`), invited people, or no one.',
    }),
    version: Type.String({ description: 'The version of sitewarden.' }),
    command: Type.String({
      description: 'How to run sitewarden commands where the service runs. Append a space and the command.',
      examples: ['npx sitewarden'],
    }),
    needs_owner: Type.Boolean({
      description: 'Whether no one can sign in yet. The owner signs in with the link that `sitewarden serve` prints.',
    }),
    sends_mail: Type.Boolean({
      description: 'Whether the installation can send emails, which notification channels of the kind `email` require.',
    }),
    oidc: nullable(
      Type.Object({
        name: Type.String({ description: 'The display name of the provider.', examples: ['id.example.com'] }),
      }),
      'The OpenID Connect provider to sign in with; null if there is none.',
    ),
    paused: Type.Boolean({
      description:
        'Whether the operator has paused the installation: its schedules, notifications and work are paused, and no reports are created.',
    }),
    unavailable_parts: Type.Array(Type.String({ examples: ['browser'] }), {
      description:
        'Parts that are not working in the process that responded, such as `browser`, `validator`, or `writable` if the database accepts no changes. Work that needs them waits.',
    }),
    schedule_time: Type.String({
      pattern: '^[0-2][0-9]:[0-5][0-9]$',
      description: 'The time of day, in UTC, at which schedules without a `time_of_day` run.',
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

/** Returns for each part that the service needs whether it works. */
export type Ready = () => Promise<Readonly<Record<string, boolean>>>;

/** Plugin for `GET /installation`. */
export function installation(
  server: FastifyInstance,
  { db, ready, settings }: { readonly db: Database; readonly ready: Ready; readonly settings: InstallationSettings },
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
      paused: (await pausedSince(db)) !== null,
      unavailable_parts: Object.entries(await ready()).flatMap(([part, isReady]) => (isReady ? [] : part)),
      schedule_time: new Date(settings.scheduleTimeMs).toISOString().slice(11, 16),
    };
    return sendDocument(reply, 200, single(installationResource(attributes)));
  });
  done();
}

export function installationResource(attributes: AttributesOf<typeof INSTALLATION>): Resource {
  return resource(INSTALLATION, { id: 'installation', attributes });
}
