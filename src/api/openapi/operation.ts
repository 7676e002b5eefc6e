import { ENGINES } from '../../checks/registry.ts';
import { ADDITIVE, PRO, UUID_EXAMPLE } from '../../domain/schemas.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { KEPT_HOURS } from '../../store/idempotency-keys.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { EVENTS_MEDIA_TYPE } from '../http/events.ts';
import { idempotencyKeyMaxCharacters } from '../http/limits.ts';
import { isOpenToLinks, LINK_TARGETS } from '../http/links.ts';
import { MEDIA_TYPE } from '../jsonapi/document.ts';
import { meaningOf, statusOf } from '../jsonapi/errors.ts';
import { envelopeOf, reference } from './envelopes.ts';
import type { JsonSchema, Operation, Parameter, Reference, Response } from './openapi.ts';

/** An operation, with the response components that it refers to. */
export interface DescribedOperation {
  readonly operation: Operation;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Context {
  /** An example of the response; null if it has no content. */
  readonly example: object | null;
  /** Returns the path of the list that contains the ids for a path parameter. */
  listOf(parameter: string): string | undefined;
}

export function describeEndpoint(endpoint: Endpoint, { example, listOf }: Context): DescribedOperation {
  const errors = errorResponses(errorCodes(endpoint));
  return {
    operation: {
      operationId: operationIdOf(endpoint),
      tags: [tagOf(endpoint)],
      summary: endpoint.summary,
      description: endpoint.description,
      ...(endpoint.pro ? PRO : {}),
      ...(endpoint.additive ? ADDITIVE : {}),
      parameters: [
        ...pathParametersOf(endpoint, listOf),
        ...queryParametersOf(endpoint),
        ...(endpoint.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
        ...(endpoint.answers.content === 'events' ? [LAST_EVENT_ID] : []),
      ],
      ...(endpoint.body === null ? {} : { requestBody: requestBodyOf(endpoint, endpoint.body) }),
      responses: { [endpoint.answers.status]: successOf(endpoint, example), ...errors.references },
    },
    responses: errors.responses,
  };
}

function singularOf(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

/** Returns a name made from the method and path: `list_report_web_pages`, `get_report_web_page`, `create_report`. */
function operationIdOf({ method, path, answers }: Endpoint): string {
  const nouns = path.split('/').flatMap((segment, index, segments) => {
    if (segment === '' || segment.startsWith('{')) return [];
    const parameter = /^\{(\w+)\}$/.exec(segments[index + 1] ?? '')?.[1];
    const isNew = answers.status === 201 && index === segments.length - 1;
    return [parameter !== undefined || isNew ? singularOf(segment) : segment];
  });
  if (method === 'POST' && answers.status !== 201) return [nouns.at(-1), ...nouns.slice(0, -1)].join('_');
  const verb = answers.content === 'list' ? 'list' : VERBS[method];
  // A member of a collection that has a name: `/devices/default`.
  const [, collection, member] = /^\/(\w+)s\/(\w+)$/.exec(path) ?? [];
  if (member !== undefined) return [verb, member, collection].join('_');
  return [verb, ...nouns].join('_');
}

const VERBS = { GET: 'get', POST: 'create', PATCH: 'update', DELETE: 'delete' } as const;

/** Returns the name of the resource that an endpoint is about: "Web page". */
export function tagOf({ answers, path }: Endpoint): string {
  const name = answers.of?.name ?? /\{(\w+)_id\}$/.exec(path)?.[1] ?? 'other';
  const words = wordsOf(name);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function wordsOf(name: string): string {
  const named = ENGINES.reduce((text, { kind, words }) => text.replace(kind, words), name);
  const words = named.replace('api_', 'API ');
  return words.replace(/_url\b/, ' URL').replaceAll('_', ' ');
}

function pathParametersOf({ params }: Endpoint, listOf: Context['listOf']): Parameter[] {
  return Object.entries(params.properties).map(([name, property]) => {
    const { description = '', ...schema }: JsonSchema = property;
    const list = listOf(name);
    const words =
      list === undefined ? description : `The \`id\` of the ${wordsOf(name.replace(/_id$/, ''))}. See \`GET ${list}\`.`;
    return { name, in: 'path', required: true, description: words, schema };
  });
}

function queryParametersOf({ query }: Endpoint): Parameter[] {
  return Object.entries(query.properties).map(([name, property]) => {
    const { description = '', ...schema }: JsonSchema = property;
    return { name, in: 'query', required: query.required?.includes(name) ?? false, description, schema };
  });
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  ...ADDITIVE,
  description:
    `A unique string for this request. Repeating the request with the same key and body within ${KEPT_HOURS} hours does ` +
    'nothing and returns the first response.',
  schema: { type: 'string', maxLength: idempotencyKeyMaxCharacters },
};

const LAST_EVENT_ID: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'The id of the last event you received. The stream begins with all changes since then, or with `reset` if they are ' +
    'no longer known, for example after a day.',
  schema: { type: 'string' },
};

const EVENTS: Response = {
  description: 'Events until you close the connection.',
  content: {
    [EVENTS_MEDIA_TYPE]: {
      schema: { type: 'string', description: 'Server-sent events, whose data is JSON.' },
      example: `event: web_pages\ndata: {"report_id":"${UUID_EXAMPLE}"}\n\n`,
    },
  },
};

function fileOf(mediaTypes: readonly string[]): Response {
  return {
    description: 'The file.',
    headers: {
      'Content-Disposition': { description: 'Contains the file name.', schema: { type: 'string' } },
    },
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: {} }])),
  };
}

function requestBodyOf(
  { method, answers }: Endpoint,
  body: NonNullable<Endpoint['body']>,
): NonNullable<Operation['requestBody']> {
  const type = answers.of?.name ?? '';
  const data: JsonSchema = {
    type: 'object',
    required: ['attributes'],
    properties: {
      type: { enum: [type, `${type}s`], description: 'Optional; singular or plural.' },
      ...(method === 'POST' ? {} : { id: { type: 'string', description: 'Optional; must be the `id` in the path.' } }),
      attributes: body.attributes,
    },
  };
  const media = {
    schema: { type: 'object', required: ['data'], properties: { data } },
    example: { data: { type, attributes: body.example } },
  };
  return { required: true, content: { [MEDIA_TYPE]: media, 'application/json': media } };
}

function successOf({ answers }: Endpoint, example: object | null): Response {
  if (answers.content === 'events') return EVENTS;
  if (answers.content === 'file') return fileOf(answers.mediaTypes ?? []);
  const envelope = envelopeOf(answers);
  if (answers.of === null || envelope === null) return { description: 'Success, without content.' };
  const location = {
    Location: { description: 'The URL of the new resource.', schema: { type: 'string', format: 'uri' } },
  };
  return {
    description: answers.content === 'list' ? 'A page of the list.' : `The ${wordsOf(answers.of.name)}.`,
    ...(answers.status === 201 && answers.of.self !== 'never' ? { headers: location } : {}),
    content: { [MEDIA_TYPE]: { schema: reference(envelope.name), ...(example === null ? {} : { example }) } },
  };
}

/** Returns the error codes of an endpoint: the codes implied by its declaration, and the codes that it lists. */
function errorCodes(endpoint: Endpoint): ErrorCode[] {
  const { body, method, params, query, pro, errors } = endpoint;
  const properties = [...Object.values(query.properties), ...Object.values(body?.attributes.properties ?? {})];
  const isPro = pro || properties.some((property) => 'x-pro' in property);
  const hasParams = Object.keys(params.properties).length > 0;
  const codes: ErrorCode[] = [
    'invalid_request',
    'invalid_parameter',
    'unauthorized',
    'invalid_token',
    'account_disabled',
    'rate_limited',
  ];
  if (body !== null) codes.push('invalid_json', 'conflict', 'payload_too_large', 'unsupported_media_type', 'invalid');
  // From the idempotency key, and from an unexpected body.
  if (method === 'POST') codes.push('invalid', 'payload_too_large');
  // A share link is refused, and so is a change with a session's cookie that another site has made the browser send.
  if (method !== 'GET') codes.push('read_only_token', 'forbidden');
  else if (!LINK_TARGETS.every((opens) => isOpenToLinks(endpoint.path, opens))) codes.push('forbidden');
  if (isPro) codes.push('pro_required');
  if (hasParams) codes.push('not_found');
  return [...codes, ...errors, 'unavailable', 'internal'];
}

/** Returns error responses by status. Responses with the same codes share a component. */
function errorResponses(codes: readonly ErrorCode[]): {
  readonly references: Readonly<Record<string, Reference>>;
  readonly responses: Readonly<Record<string, Response>>;
} {
  const references: Record<string, Reference> = {};
  const responses: Record<string, Response> = {};
  for (const [status, group] of Map.groupBy(new Set(codes), statusOf)) {
    const name = group.join('-or-');
    references[status] = { $ref: `#/components/responses/${name}` };
    responses[name] = errorResponse(status, group);
  }
  return { references, responses };
}

const RETRY_AFTER: Response['headers'] = {
  'Retry-After': { description: 'Number of seconds to wait.', schema: { type: 'integer' } },
};
const ERROR_HEADERS: Readonly<Record<number, Response['headers']>> = {
  401: { 'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

export function errorResponse(status: number, codes: readonly ErrorCode[]): Response {
  const headers = ERROR_HEADERS[status];
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join(' '),
    'x-codes': codes,
    ...(headers === undefined ? {} : { headers }),
    content: { [MEDIA_TYPE]: { schema: reference('ErrorDocument') } },
  };
}
