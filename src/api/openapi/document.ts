import Type from 'typebox';
import { ENGINES } from '../../checks/registry.ts';
import { ADDITIVE, UUID } from '../../domain/schemas.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { RESPONSE_ENCODINGS } from '../http/limits.ts';
import { API_PREFIX } from '../http/links.ts';
import { SESSION_COOKIE } from '../http/session-cookie.ts';
import { MEDIA_TYPE, single } from '../jsonapi/document.ts';
import { statusOf } from '../jsonapi/errors.ts';
import { DEPLOY_HOOK_PATH } from '../resources/deploy-hook.ts';
import { INSTALLATION, INSTALLATION_PATH, installationResource } from '../resources/installation.ts';
import { REPORT } from '../resources/report-resource.ts';
import { envelopeOf, exampleMaker, reference, resourceSchema, SHARED_SCHEMAS, schemaName } from './envelopes.ts';
import {
  type JsonSchema,
  type Method,
  type OpenApiDocument,
  type Operation,
  type PathItem,
  type Response,
  withTypeOfEnum,
} from './openapi.ts';
import { describeEndpoint, errorResponse, tagOf } from './operation.ts';
import { REPORT_SCHEMA_NAME } from './report-schema.ts';

const CHECKS = new Intl.ListFormat('en-GB').format(ENGINES.map(({ words }) => words));
const ENCODINGS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  RESPONSE_ENCODINGS.map(({ words }) => words),
);

const DESCRIPTION = `Validates whole websites: a spider collects the pages, and each page gets the checks that the report requests: ${CHECKS}
checks. The API follows [JSON:API](https://jsonapi.org/).

- Every request under \`/api/v1\` requires an API token, \`Authorization: Bearer <API_TOKEN>\`, except for this description of the
  API, \`GET /installation\` and \`GET /schemas/…\`. Browsers that have signed in send the cookie of their session instead, and readers of a shared
  report send the secret of its link.
- Send bodies as \`{"data": {"attributes": {…}}}\`, with the type \`application/json\` or \`application/vnd.api+json\`. Responses
  have the latter type. Their \`data\` is a resource with \`id\`, \`type\`, \`attributes\` and \`relationships\`, or a list of resources.
- Lists are paged: \`page[number]\` starts at 1, and \`page[size]\` is at most 100. \`links.next\` is the next page, and is absent on
  the last one.
- Lists can be filtered, and some sorted: \`?filter[url]=shop&sort=html_errors-desc\`. A \`filter\`, \`page\` or \`sort\` that a list does
  not support is an error; other unknown parameters are ignored.
- Timestamps are in UTC, without a zone. They are null if the event has not happened.
- A token with the scope \`read\` cannot change anything or see secrets, such as
  \`deploy_hook_url\`, \`share_url\` and \`webhook_url\`: they are absent.
- Everything marked Pro (\`x-pro\`) requires the plan \`pro\` or \`enterprise\`. On the plan \`free\`, such attributes can only have their
  default values, and accessibility checks are not shown.
- Everything marked Additive (\`x-additive\`) is an addition by sitewarden. Clients written for other services with this API ignore it.
- An error response lists all problems in \`errors\`. Each error has a \`code\`, which does not change.
- Responses are compressed with ${ENCODINGS} if \`Accept-Encoding\` allows it.`;

/**
 * Creates the OpenAPI 3.1 document of the API from the declarations of its endpoints.
 * @param base the public URL of the service, without a trailing slash
 */
export function openApiDocument(endpoints: readonly Endpoint[], base: string): OpenApiDocument {
  const example = exampleMaker(endpoints, base + API_PREFIX);
  const listOf = listFinder(endpoints);
  const described = endpoints.map((endpoint) => ({
    endpoint,
    ...describeEndpoint(endpoint, { example: example(endpoint), listOf }),
  }));
  const newReport = endpoints.find(({ method, path }) => method === 'POST' && path === '/reports');
  const types = endpoints.flatMap(({ answers }) => (answers.of === null ? [] : [answers.of]));
  const envelopes = endpoints.flatMap(({ answers }) => envelopeOf(answers) ?? []);
  const paths: Record<string, PathItem> = {};
  for (const { endpoint, operation } of described) {
    const method: Method = METHOD_NAMES[endpoint.method];
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: operation };
  }
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'sitewarden',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base + API_PREFIX }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [...tagsOf(endpoints), SERVICE],
    paths: { ...paths, ...servicePaths(base, newReport === undefined ? null : example(newReport)) },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or the secret of a share link.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session of a signed-in browser, with the prefix `__Host-` over https. Changes must come from pages of this service.',
        },
      },
      schemas: {
        ...SHARED_SCHEMAS,
        ...Object.fromEntries(types.map((type) => [schemaName(type), resourceSchema(type)])),
        ...Object.fromEntries(envelopes.map(({ name, schema }) => [name, schema])),
      },
      responses: Object.assign({}, ...described.map(({ responses }) => responses)),
    },
  };
  // Drops the symbols of the schema library.
  return JSON.parse(JSON.stringify(document), withTypeOfEnum);
}

/** Returns a function that finds the first list of the resource that a parameter such as `web_page_id` names. */
function listFinder(endpoints: readonly Endpoint[]): (parameter: string) => string | undefined {
  const lists = endpoints.filter(({ answers }) => answers.content === 'list');
  return (parameter) => lists.find(({ answers }) => `${answers.of?.name}_id` === parameter)?.path;
}

const METHOD_NAMES = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;
const SERVICE = { name: 'Service', description: 'Endpoints about the service itself. They require no token.' };

/** Returns a tag for each resource, in the order of the endpoints. */
function tagsOf(endpoints: readonly Endpoint[]): OpenApiDocument['tags'] {
  const tags = new Map<string, string>();
  for (const endpoint of endpoints) {
    const { of } = endpoint.answers;
    if (of !== null && !tags.has(tagOf(endpoint))) tags.set(tagOf(endpoint), of.description);
  }
  return [...tags].map(([name, description]) => ({ name, description }));
}

/** Describes the endpoints that are not about resources: deploy hooks, this document, and the health of the service. */
function servicePaths(base: string, report: object | null): Record<string, PathItem> {
  const parts = Type.Record(Type.String(), Type.Boolean(), { description: 'Whether each part of the service works.' });
  const status = (...words: string[]) => ({ status: Type.Enum(words, { description: 'The state of the service.' }) });
  const paused = Type.Boolean({ description: 'Whether the operator has paused the installation.' });
  const ready = Type.Object({ ...status('ready', 'degraded'), parts, paused });
  const notReady = Type.Object({ ...status('not_ready'), parts });
  const servers = [{ url: base === '' ? '/' : base }];
  return {
    [DEPLOY_HOOK_PATH]: deployHookItem(servers, report),
    [INSTALLATION_PATH]: { get: installationOperation() },
    '/openapi.json': {
      get: open(['get_openapi', 'Get this document', 'A description of the whole API for programs.'], {
        200: json('OpenAPI 3.1.', { type: 'object' }),
      }),
    },
    [`/schemas/${REPORT_SCHEMA_NAME}`]: {
      get: {
        ...open(
          ['get_report_schema', 'Get the schema of exported reports', 'The JSON Schema of reports exported as `json`.'],
          { 200: json('JSON Schema 2020-12.', { type: 'object' }) },
        ),
        ...ADDITIVE,
      },
    },
    '/health/live': {
      servers,
      get: open(
        ['get_health_live', 'Check that the service is running', 'Responds as soon as the service is listening.'],
        {
          200: json('The service is running.', Type.Object(status('live'))),
        },
      ),
    },
    '/health/ready': {
      servers,
      get: open(
        [
          'get_health_ready',
          'Check that the service is ready',
          'The service is ready when the API can serve requests, which requires the database. `degraded` means that another part does not work, so checks are delayed.',
        ],
        {
          200: json('The API can serve requests.', ready),
          503: json('The database does not respond.', notReady),
        },
      ),
    },
  };
}

function installationOperation(): Operation {
  const example = installationResource({
    ...{ sign_up: 'closed', version: VERSION, command: 'npx sitewarden', needs_owner: false, sends_mail: true },
    ...{ oidc: null, paused: false, unavailable_parts: [], schedule_time: '00:00' },
  });
  const schema = Type.Object({ data: resourceSchema(INSTALLATION), jsonapi: reference('JsonApi') });
  const description = 'Returns the version of the installation and how to get an account. Requires no token.';
  return {
    ...open(['get_installation', 'Get the installation', description], {
      200: {
        description: 'The installation.',
        content: { [MEDIA_TYPE]: { schema, example: single(example) } },
      },
      503: errorResponse(503, ['unavailable']),
    }),
    ...ADDITIVE,
  };
}

/** Error codes of deploy hooks. */
const DEPLOY_HOOK_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'credits_exhausted',
  'pro_required',
  'account_disabled',
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'unavailable',
  'paused',
  'too_many_reports',
  'internal',
];

/** Describes the deploy hook of a schedule, which takes no token and any body. */
function deployHookItem(servers: NonNullable<PathItem['servers']>, example: object | null): PathItem {
  const errors = [...Map.groupBy(DEPLOY_HOOK_ERRORS, statusOf)].map(([status, codes]) => [
    status,
    errorResponse(status, codes),
  ]);
  return {
    servers,
    post: {
      operationId: 'fire_schedule',
      tags: ['Schedule'],
      summary: 'Run a schedule now',
      description:
        'Requires no token, because the URL is the secret. If the schedule has a `deploy_hook_signature`, the call must also be signed; otherwise the body is ignored. Calls within 10 seconds of a call that created a report return the same report. Returns 409 if the schedule is inactive.',
      security: [],
      parameters: [
        {
          name: 'schedule_id',
          in: 'path',
          required: true,
          description: 'The `id` of the schedule. See `GET /schedules`.',
          schema: UUID,
        },
        {
          name: 'hook_secret',
          in: 'path',
          required: true,
          description: 'The segment before `/fire` in the `deploy_hook_url` of the schedule.',
          schema: { type: 'string', examples: ['CtCjvqLc0RPl'] },
        },
      ],
      responses: {
        202: {
          description: 'The report.',
          content: { [MEDIA_TYPE]: { schema: reference(`${schemaName(REPORT)}Document`), example } },
        },
        204: { description: 'The signed call reports that nothing has been deployed yet. No report was created.' },
        ...Object.fromEntries(errors),
      },
    },
  };
}

function open(
  words: readonly [id: string, summary: string, description: string],
  responses: Operation['responses'],
): Operation {
  const [operationId, summary, description] = words;
  return { operationId, tags: [SERVICE.name], summary, description, security: [], responses };
}

function json(description: string, schema: JsonSchema): Response {
  return { description, content: { 'application/json': { schema } } };
}
