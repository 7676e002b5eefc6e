import Type, { type TObject } from 'typebox';
import { count, PRO } from '../../domain/schemas.ts';
import { ERROR_CODES } from '../../platform/errors.ts';
import type { Endpoint, Success } from '../http/endpoint.ts';
import { list, type Resource, resource, single } from '../jsonapi/document.ts';
import { meaningOf } from '../jsonapi/errors.ts';
import { pageLinks } from '../jsonapi/query.ts';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import type { JsonSchema } from './openapi.ts';

/** Schemas and examples of the documents that contain resources and errors. */

const address = (description: string) => Type.String({ format: 'uri', description });

const LIST_META = Type.Object(
  {
    total: count('Total number of resources in the list.'),
    page: Type.Object(
      {
        number: count('The number of this page, from 1.'),
        size: count('Maximum number of resources per page.'),
        pages: count('Total number of pages in the list.'),
      },
      { description: 'The position of this page in the list.' },
    ),
  },
  { description: 'The length of the list.' },
);

const ERROR = Type.Object(
  {
    status: Type.String({ description: 'The HTTP status.', examples: ['422'] }),
    code: Type.Enum(
      ERROR_CODES.filter((code) => meaningOf(code) !== ''),
      { description: 'A stable code for the type of error.', examples: ['invalid'] },
    ),
    title: Type.String({ description: 'A short description.', examples: ["can't be blank"] }),
    detail: Type.String({
      description: 'A sentence that describes the problem.',
      examples: ["Starting url can't be blank"],
    }),
    id: Type.Optional(Type.String({ description: 'Only with `internal`: the id of the request.' })),
    source: Type.Optional(
      Type.Object(
        {
          pointer: Type.Optional(
            Type.String({
              description: 'A JSON pointer into the body.',
              examples: ['/data/attributes/starting_url'],
            }),
          ),
          parameter: Type.Optional(
            Type.String({ description: 'The name of a query parameter.', examples: ['page[size]'] }),
          ),
        },
        {
          description:
            'The part of the request with the problem: a pointer or a parameter. Absent if the problem concerns more than one part.',
        },
      ),
    ),
  },
  { description: 'A problem with a request.' },
);

/** Schemas that documents of several types use. */
export const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  JsonApi: Type.Object(
    { version: Type.Literal('1.0', { description: 'The version of JSON:API.' }) },
    { description: 'The version of the format, in every document.' },
  ),
  Relationship: Type.Object(
    {
      links: Type.Object(
        { related: address('The URL of the related resources.') },
        { description: 'The only link of the relationship.' },
      ),
    },
    { description: 'A link to related resources.' },
  ),
  ListLinks: Type.Object(
    {
      self: address('This page.'),
      first: address('The first page.'),
      prev: Type.Optional(address('The previous page; absent on the first.')),
      next: Type.Optional(address('The next page; absent on the last.')),
      last: address('The last page.'),
    },
    { description: 'Other pages of the list, with all other parameters of the request.' },
  ),
  ListMeta: LIST_META,
  Error: ERROR,
  ErrorDocument: Type.Object(
    {
      errors: Type.Array(reference('Error'), { minItems: 1, description: 'One error for each problem.' }),
      jsonapi: reference('JsonApi'),
      meta: Type.Optional(
        Type.Object(
          {
            request_id: Type.String({ description: 'The id of the request, which is also in the log of the server.' }),
          },
          { description: 'Absent if the request could not be read as HTTP.' },
        ),
      ),
    },
    { description: 'All problems with a request.' },
  ),
};

export function reference(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a resource type's schema: `WebPage` for `web_page`. */
export function schemaName({ name, schema = name }: ResourceType): string {
  return schema.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function resourceSchema(type: ResourceType): JsonSchema {
  const entries = Object.entries(type.relationships).map(([name, { description, pro }]) => {
    const marks = { description, ...(pro === true ? PRO : {}) };
    return [name, Type.Optional({ ...reference('Relationship'), ...marks })] as const;
  });
  const relationships = Type.Object(Object.fromEntries(entries), { description: 'Links to related resources.' });
  const links = Type.Object({ self: address('The URL of this resource.') });
  return Type.Object(
    {
      type: Type.Literal(type.name),
      id: type.id,
      attributes: type.attributes,
      ...(entries.length === 0 ? {} : { relationships: Type.Optional(relationships) }),
      ...(type.self === 'never' ? {} : { links: type.self === 'always' ? links : Type.Optional(links) }),
    },
    { description: type.description },
  );
}

/** Returns the schema of an endpoint's document and its name, `WebPageDocument` or `WebPageList`; null if it has none. */
export function envelopeOf({
  content,
  of,
  meta,
}: Success): { readonly name: string; readonly schema: JsonSchema } | null {
  if (of === null || (content !== 'one' && content !== 'list')) return null;
  const name = schemaName(of);
  return content === 'list'
    ? { name: `${name}List`, schema: listSchema(of, meta) }
    : { name: `${name}Document`, schema: singleSchema(of) };
}

function singleSchema(type: ResourceType): JsonSchema {
  const description = `A resource of the type \`${type.name}\`.`;
  return Type.Object({ data: reference(schemaName(type)), jsonapi: reference('JsonApi') }, { description });
}

/** @param meta additional members of the list's `meta` */
function listSchema(type: ResourceType, meta?: TObject): JsonSchema {
  return Type.Object(
    {
      data: Type.Array(reference(schemaName(type)), { description: 'The resources on this page.' }),
      links: reference('ListLinks'),
      meta:
        meta === undefined
          ? reference('ListMeta')
          : Type.Object(
              { ...LIST_META.properties, ...meta.properties },
              { description: 'The length of the list, and totals.' },
            ),
      jsonapi: reference('JsonApi'),
    },
    { description: `A page of a list of the type \`${type.name}\`.` },
  );
}

/**
 * Returns a function that creates the example document of an endpoint from the examples in its schemas.
 * @param address the URL of the API, without a trailing slash
 */
export function exampleMaker(endpoints: readonly Endpoint[], address: string): (endpoint: Endpoint) => object | null {
  const ids = new Map(endpoints.flatMap(({ params }) => idsOf(params)));
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
    return resource(type, {
      id: String(exampleOf(type.id)),
      attributes: exampleOf(type.attributes) as Record<string, unknown>,
      related: Object.fromEntries(Object.entries(type.relationships).map(([name, { path }]) => [name, at(path)])),
      self: selfOf(type, endpoint),
    });
  };
  return (endpoint) => {
    const { of, content, meta: more } = endpoint.answers;
    if (of === null || (content !== 'one' && content !== 'list')) return null;
    const data = resourceOf(of, endpoint);
    if (content === 'one') return single(data);
    const { links, meta } = pageLinks(at(endpoint.path), [], { number: 1, size: 25 }, 1);
    return list([data], links, { ...meta, ...(more && Object(exampleOf(more))) });
  };
}

function idsOf({ properties }: TObject): [name: string, id: string][] {
  return Object.entries(properties).map(([name, schema]) => [name, String(exampleOf(schema))]);
}

/** Returns a value that a schema allows: its example, or else the simplest value. */
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
