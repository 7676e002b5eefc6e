import assert from 'node:assert/strict';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { METHODS, type OpenApiDocument, type Operation, type Response } from '../../src/api/openapi/openapi.ts';
import { errorResponse } from '../../src/api/openapi/operation.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';

/** Compares every response that a test receives with the OpenAPI document. */

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON of the body; null or undefined without content. */
  readonly document: unknown;
}

/** Its name in references. */
const DOCUMENT = 'document';

/** Undeclared members are errors here, although the document allows later ones. */
const document: OpenApiDocument = closed(openApiDocument(ENDPOINTS, ''));

/** What docs/sign-in.md and docs/metrics.md describe instead. */
const DESCRIBED_ELSEWHERE = /^\/(auth\/|metrics$)/;

/** What the document omits on purpose: plain text, HTML pages, and redirects to them. */
const UNDOCUMENTED = /^\/((invitations|share|latest)\/.*|(api(\/v1|\/docs\/?)?)?)$/;

/**
 * Components are compiled once for all responses: it takes as much processor time as many requests, and twice as much with
 * optimized code. `npm run openapi` compares the document with its schema.
 */
const ajv = new Ajv2020({
  formats: { uri: URL.canParse },
  meta: false,
  validateSchema: false,
  code: { optimize: false },
})
  .addVocabulary(['components', 'x-pro', 'x-additive'])
  .addSchema({ components: document.components }, DOCUMENT);
const compiled = new WeakMap<Response, ValidateFunction>();
/** By schema: most errors have the same. */
const compiledSchemas = new Map<string, ValidateFunction>();
const routes = Object.entries(document.paths)
  .map(([path, item]) => {
    const prefix = item.servers === undefined ? '/api/v1' : '';
    return { pattern: new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '[^/]+')}$`), path, item };
  })
  // A literal path goes before one with a parameter in the same place.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length);

/**
 * @param path as it was requested, with or without its query
 * @throws AssertionError if the document has no such response of this operation
 */
export function assertConforms(method: string, path: string, answered: Answered): void {
  const { status, headers } = answered;
  const pathname = path.replace(/[?#].*/s, '');
  if (DESCRIBED_ELSEWHERE.test(pathname)) return;
  const operation = operationAt(method, pathname);
  const isPage = String(headers['content-type']).startsWith('text/html');
  if (operation === undefined && UNDOCUMENTED.test(pathname) && (status < 400 || isPage)) return;
  const response = operation === undefined ? responseBeside(status) : responseOf(operation, status);
  const what = `${method} ${path.slice(0, 300)} answers ${status}`;
  // Messages are composed only for failures: a document can be large.
  if (response === undefined)
    assert.fail(`${what}, which the OpenAPI document does not know: ${JSON.stringify(answered.document)}`);
  for (const name of Object.keys(response.headers ?? {}))
    assert.ok(headers[name.toLowerCase()], `${what} lacks ${name}`);
  if (method === 'HEAD') return;
  const sent = String(headers['content-type']).split(';')[0];
  const allowed = Object.entries(response.content ?? {});
  const [mediaType, content] = allowed.find(([type]) => type === sent) ?? allowed[0] ?? [];
  if (mediaType === undefined || content === undefined) {
    assert.ok(answered.document === undefined || answered.document === null, `${what} has content`);
    return;
  }
  assert.equal(sent, mediaType, `${what}, not of the type in the OpenAPI document`);
  const validate = compiled.get(response) ?? compile(content.schema);
  compiled.set(response, validate);
  if (!validate(answered.document)) {
    const faults = (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`).join('\n');
    assert.fail(`${what}, not as the OpenAPI document says:\n${faults}\n${JSON.stringify(answered.document)}`);
  }
  const { 'x-codes': codes } = response;
  if (codes === undefined) return;
  for (const error of (answered.document as { errors: { status: string; code: ErrorCode }[] }).errors) {
    assert.ok(
      codes.includes(error.code),
      `${what} with the code ${error.code}, which the OpenAPI document does not know`,
    );
    assert.equal(error.status, String(status));
  }
}

function compile(schema: AnySchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiledSchemas.get(text) ?? ajv.compile(schema);
  compiledSchemas.set(text, validate);
  return validate;
}

function operationAt(method: string, pathname: string): Operation | undefined {
  const item = routes.find(({ pattern }) => pattern.test(pathname))?.item;
  const name = METHODS.find((candidate) => candidate === (method === 'HEAD' ? 'GET' : method).toLowerCase());
  return name === undefined ? undefined : item?.[name];
}

function responseOf(operation: Operation, status: number): Response | undefined {
  const response = operation.responses[status];
  return response !== undefined && '$ref' in response
    ? document.components.responses[response.$ref.split('/').at(-1) ?? '']
    : response;
}

/** Responses to requests without an operation. */
const BESIDE: Readonly<Record<number, Response>> = {
  400: closed(errorResponse(400, ['invalid_request'])),
  404: closed(errorResponse(404, ['not_found'])),
  405: closed(errorResponse(405, ['method_not_allowed'])),
};

function responseBeside(status: number): Response | undefined {
  return BESIDE[status];
}

/**
 * The same with object schemas that reject undeclared members; those that declare none stay open. References name the document.
 */
function closed<Schemas>(schemas: Schemas): Schemas {
  const isClosable = (value: { type?: unknown; properties?: object } | null): boolean =>
    value?.type === 'object' && Object.keys(value.properties ?? {}).length > 0;
  return JSON.parse(JSON.stringify(schemas), (key, value) => {
    if (key === '$ref') return `${DOCUMENT}${value}`;
    return isClosable(value) ? { additionalProperties: false, ...value } : value;
  });
}
