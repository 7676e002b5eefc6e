import { UUID } from '../../domain/schemas.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { MEDIA_TYPE } from '../jsonapi/document.ts';
import { statusOf } from '../jsonapi/errors.ts';
import { REPORT } from '../resources/report-resource.ts';
import { reference, schemaName } from './envelopes.ts';
import type { PathItem } from './openapi.ts';
import { errorResponse } from './operation.ts';

const ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'credits_exhausted',
  'pro_required',
  'not_found',
  'conflict',
  'payload_too_large',
  'unavailable',
  'too_many_reports',
  'internal',
];

/** The deploy hook of a schedule: an endpoint beside the others, which takes no token and any body. */
export function deployHookItem(servers: NonNullable<PathItem['servers']>, example: object | null): PathItem {
  const errors = [...Map.groupBy(ERRORS, statusOf)].map(([status, codes]) => [status, errorResponse(status, codes)]);
  return {
    servers,
    post: {
      operationId: 'fire_schedule',
      tags: ['Schedule'],
      summary: 'Run a schedule at once',
      description:
        'Takes no token, because the address is the secret, and any body or none. Calls within 10 seconds after the one that made a report get the same report. A conflict where the schedule is inactive.',
      security: [],
      parameters: [
        {
          name: 'schedule_id',
          in: 'path',
          required: true,
          description: 'The `id` of the schedule, as `GET /schedules` lists it.',
          schema: UUID,
        },
        {
          name: 'hook_secret',
          in: 'path',
          required: true,
          description: 'What stands before `/fire` in the `deploy_hook_url` of the schedule.',
          schema: { type: 'string', examples: ['CtCjvqLc0RPl'] },
        },
      ],
      responses: {
        202: {
          description: 'The report.',
          content: { [MEDIA_TYPE]: { schema: reference(`${schemaName(REPORT)}Document`), example } },
        },
        ...Object.fromEntries(errors),
      },
    },
  };
}
