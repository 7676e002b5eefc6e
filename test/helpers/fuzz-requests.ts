import type { JsonSchema, Operation, Parameter } from '../../src/api/openapi/openapi.ts';
import { type Draft, type FuzzRequest, faultsOf, pair, SUCCESS, segmentFault, segmentGone } from './fuzz-faults.ts';
import type { Values } from './one-of-each.ts';
import { fc } from './random.ts';
import { validAttributes, validText } from './valid-values.ts';

/** Requests generated from an operation of the OpenAPI document: valid requests, and requests with a single fault. */

export interface Target {
  readonly method: string;
  /** As in the document, below its server. */
  readonly path: string;
  readonly operation: Operation;
  /** The response to a valid request, if it is not a success. */
  readonly whenValid?: RegExp | undefined;
}

/** A request to the operation: one in six is valid, the others have a fault that the response must name. */
export function requestsTo(target: Target, values: Values): fc.Arbitrary<FuzzRequest> {
  const { operation, method } = target;
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const segments = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
  const body = attributesOf(operation);
  const faults = faultsOf(method, { segments, queries, body });
  const kept = fc.constant((draft: Draft): Draft => draft);
  // A valid DELETE would remove what other requests require.
  const valid = method === 'DELETE' ? segmentFault(segments) : kept;
  return fc
    .tuple(
      draftOf(target, values, queries, body),
      fc.oneof({ weight: 1, arbitrary: valid }, { weight: 5, arbitrary: fc.oneof(...faults) }),
    )
    .map(([draft, spoil]) => {
      const made = method === 'DELETE' ? segmentGone(spoil(draft), segments) : spoil(draft);
      return finished(made, target.path);
    });
}

/** Some of the query parameters and attributes, valid by their schemas. */
function draftOf(
  { method, operation, whenValid = SUCCESS }: Target,
  values: Values,
  queries: readonly Parameter[],
  body: JsonSchema | undefined,
): fc.Arbitrary<Draft> {
  const [required, optional] = [true, false].map((is) => queries.filter((parameter) => parameter.required === is));
  const query = fc
    .subarray(optional ?? [], { maxLength: Math.min(3, optional?.length ?? 0) })
    .map((chosen) => [...(required ?? []), ...chosen])
    .chain((chosen) =>
      fc.tuple(...chosen.map(({ name, schema }) => validText(schema).map((text) => pair(name, text)))),
    );
  const attributes = body === undefined ? fc.constant(undefined) : validAttributes(body);
  return fc.record({ query, attributes }).map((parts) => ({
    what: 'valid',
    method,
    segments: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
    query: parts.query,
    token: 'owner',
    headers: body === undefined ? {} : { 'content-type': 'application/vnd.api+json' },
    body: body === undefined ? undefined : envelope(operation, parts.attributes),
    expected: [whenValid],
  }));
}

function finished({ segments, query, ...draft }: Draft, template: string): FuzzRequest {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segments[name] ?? name);
  return { ...draft, path: `/api/v1${path}${query.length === 0 ? '' : `?${query.join('&')}`}` };
}

function attributesOf(operation: Operation): JsonSchema | undefined {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  return content?.schema.properties?.['data']?.properties?.['attributes'];
}

function envelope(operation: Operation, attributes: unknown): string {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const type = content?.schema.properties?.['data']?.properties?.['type']?.enum?.[0];
  return JSON.stringify({ data: { type, attributes } });
}
