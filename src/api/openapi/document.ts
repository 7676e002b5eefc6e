import Type from 'typebox';
import { VERSION } from '../../platform/version.ts';
import { DEPLOY_HOOK_PATH } from '../deploy-hook.ts';
import type { Endpoint } from '../endpoint.ts';
import { API_PREFIX } from '../links.ts';
import { deployHookItem } from './deploy-hook-path.ts';
import { resourceSchema, SHARED_SCHEMAS, schemaName } from './envelopes.ts';
import type { JsonSchema, Method, OpenApiDocument, Operation, PathItem, Response } from './openapi.ts';
import { describeEndpoint } from './operation.ts';

const DESCRIPTION = `Validates whole websites: a spider collects the pages, each gets an HTML check and, if asked for, an
accessibility check. The API is JSON over HTTP in the style of [JSON:API](https://jsonapi.org/).

- Every request below \`/api/v1\` carries an API token: \`Authorization: Bearer <API_TOKEN>\`. This document needs none.
- Bodies are \`application/vnd.api+json\` or \`application/json\`.
- Lists come in pages: \`page[number]\` from 1, \`page[size]\` up to 100. \`links.next\` leads on and is absent at the end.
- Timestamps are UTC without a zone, null when it has not happened.
- What is marked Pro (\`x-pro\`) is for accounts with a Pro or Enterprise plan.`;

/**
 * The whole API as an OpenAPI 3.1 document, made of the declarations that serve it.
 * @param base the public address of the service, without a trailing slash
 */
export function openApiDocument(endpoints: readonly Endpoint[], base: string): OpenApiDocument {
  const described = endpoints.map((endpoint) => ({ endpoint, ...describeEndpoint(endpoint) }));
  const types = endpoints.flatMap(({ answers }) => (answers.of === null ? [] : [answers.of]));
  const paths: Record<string, PathItem> = {};
  for (const { endpoint, operation } of described) {
    const method: Method = METHOD_NAMES[endpoint.method];
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: operation };
  }
  const tags = new Set([...described.map(({ operation }) => operation.tags[0]), SERVICE_TAG]);
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'sitewarden',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base + API_PREFIX }],
    security: [{ bearer: [] }],
    tags: [...tags].map((name) => ({ name })),
    paths: { ...paths, ...servicePaths(base) },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' } },
      schemas: {
        ...SHARED_SCHEMAS,
        ...Object.fromEntries(types.map((type) => [schemaName(type.name), resourceSchema(type)])),
      },
      responses: Object.assign({}, ...described.map(({ responses }) => responses)),
    },
  };
  // Schemas carry marks of their library that are no part of JSON.
  return JSON.parse(JSON.stringify(document));
}

const METHOD_NAMES = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;
const SERVICE_TAG = 'Service';

/** What is beside the resources: this document, and whether the service lives and is ready. */
function servicePaths(base: string): Record<string, PathItem> {
  const parts = Type.Record(Type.String(), Type.Boolean(), { description: 'Whether each part answers.' });
  const status = (...words: string[]) => ({ status: Type.Enum(words) });
  const ready = Type.Object({ ...status('ready'), parts });
  const notReady = Type.Object({ ...status('not_ready'), parts });
  const servers = [{ url: base === '' ? '/' : base }];
  return {
    [DEPLOY_HOOK_PATH]: deployHookItem(servers),
    '/openapi.json': {
      get: open('get_openapi', 'This document', { 200: json('OpenAPI 3.1.', { type: 'object' }) }),
    },
    '/health/live': {
      servers,
      get: open('get_health_live', 'Whether the service lives', {
        200: json('It does.', Type.Object(status('live'))),
      }),
    },
    '/health/ready': {
      servers,
      get: open('get_health_ready', 'Whether the service is ready for work', {
        200: json('It is.', ready),
        503: json('Some part does not answer.', notReady),
      }),
    },
  };
}

function open(operationId: string, summary: string, responses: Operation['responses']): Operation {
  return { operationId, tags: [SERVICE_TAG], summary, security: [], responses };
}

function json(description: string, schema: JsonSchema): Response {
  return { description, content: { 'application/json': { schema } } };
}
