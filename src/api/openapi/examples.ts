import type { TObject } from 'typebox';
import type { Endpoint } from '../http/endpoint.ts';
import { list, type Resource, resource, single } from '../jsonapi/document.ts';
import { pageLinks } from '../jsonapi/query.ts';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import type { JsonSchema } from './openapi.ts';

/**
 * Makes documents with which endpoints may answer, of the examples in their schemas.
 * @param address that of the API, without a trailing slash
 */
export function exampleMaker(endpoints: readonly Endpoint[], address: string): (endpoint: Endpoint) => object | null {
  const ids = new Map<string, string>();
  for (const { params } of endpoints) for (const [name, id] of idsOf(params)) ids.set(name, id);
  const at = (path: string): string => address + path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? name);

  const selfOf = (type: ResourceType, { method, path, answers }: Endpoint): string | undefined => {
    if (type.self === 'never') return undefined;
    if (method === 'GET' && answers.content === 'one') return at(path);
    const own = endpoints.find(
      (other) => other.method === 'GET' && other.answers.content === 'one' && other.answers.of?.name === type.name,
    );
    return own && at(own.path);
  };
  const resourceOf = (type: ResourceType, endpoint: Endpoint): Resource => {
    const self = selfOf(type, endpoint);
    const related = Object.entries(type.relationships).map(([name, { path }]) => [name, at(path)] as const);
    return resource(type, {
      id: String(exampleOf(type.id)),
      attributes: exampleOf(type.attributes) as Record<string, unknown>,
      related: Object.fromEntries(related),
      ...(self === undefined ? {} : { self }),
    });
  };
  return (endpoint) => {
    const { of, content, meta: more } = endpoint.answers;
    if (of === null) return null;
    const data = resourceOf(of, endpoint);
    if (content === 'one') return single(data);
    const { links, meta } = pageLinks(at(endpoint.path), [], { number: 1, size: 25 }, 1);
    return list([data], links, { ...meta, ...(more && Object(exampleOf(more))) });
  };
}

function idsOf({ properties }: TObject): [name: string, id: string][] {
  return Object.entries(properties).map(([name, schema]) => [name, String(exampleOf(schema))]);
}

/** A value that a schema allows: what the schema itself gives as an example, else the plainest one. */
function exampleOf(schema: JsonSchema): unknown {
  const { examples, anyOf, properties, items, enum: values } = schema;
  if (examples !== undefined) return examples[0];
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (values !== undefined) return values[0];
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0]);
  if (properties !== undefined) {
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property)]));
  }
  if (items !== undefined) return [exampleOf(items)];
  return PLAIN[schema.type ?? ''] ?? schema.minimum ?? 0;
}

const PLAIN: Readonly<Record<string, unknown>> = { boolean: false, string: 'text', object: {}, array: [], null: null };
