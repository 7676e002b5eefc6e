import Type from 'typebox';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import { COUNT } from '../jsonapi/schemas.ts';
import type { JsonSchema } from './openapi.ts';

/** Schemas of the envelopes in which resources and errors come. */

const ADDRESS = Type.String({ format: 'uri', examples: ['https://sitewarden.example/api/v1/...'] });

/** What every document uses. */
export const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  JsonApi: Type.Object({ version: Type.Literal('1.0') }),
  Relationship: Type.Object({ links: Type.Object({ related: ADDRESS }) }),
  ListLinks: Type.Object({
    self: ADDRESS,
    first: ADDRESS,
    prev: Type.Optional(ADDRESS),
    next: Type.Optional(ADDRESS),
    last: ADDRESS,
  }),
  ListMeta: Type.Object({
    total: Type.Integer({ minimum: 0, description: 'Resources in the whole list.' }),
    page: Type.Object({ number: COUNT, size: COUNT, pages: COUNT }),
  }),
};

function reference(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a resource type's schema: `WebPage` for `web_page`. */
export function schemaName(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function resourceSchema(type: ResourceType): JsonSchema {
  const relationships = Type.Object(
    Object.fromEntries(type.relationships.map((name) => [name, Type.Optional(reference('Relationship'))])),
  );
  const links = Type.Object({ self: ADDRESS });
  return Type.Object({
    type: Type.Literal(type.name),
    id: type.id,
    attributes: type.attributes,
    ...(type.relationships.length === 0 ? {} : { relationships: Type.Optional(relationships) }),
    ...(type.self === 'never' ? {} : { links: type.self === 'always' ? links : Type.Optional(links) }),
  });
}

export function singleSchema(type: ResourceType): JsonSchema {
  return Type.Object({ data: reference(schemaName(type.name)), jsonapi: reference('JsonApi') });
}

export function listSchema(type: ResourceType): JsonSchema {
  return Type.Object({
    data: Type.Array(reference(schemaName(type.name))),
    links: reference('ListLinks'),
    meta: reference('ListMeta'),
    jsonapi: reference('JsonApi'),
  });
}

/** The document of an error answer with one of these codes. */
export function errorSchema(status: number, codes: readonly string[]): JsonSchema {
  const source = Type.Union([
    Type.Object({ pointer: Type.String({ examples: ['/data/attributes/starting_url'] }) }),
    Type.Object({ parameter: Type.String() }),
  ]);
  const error = Type.Object({
    status: Type.Literal(String(status)),
    code: Type.Enum([...codes]),
    title: Type.String({ description: 'The short form.', examples: ['is invalid'] }),
    detail: Type.String({ description: 'A sentence that says what to do.', examples: ['Starting url is invalid'] }),
    ...(status === 500 ? { id: Type.String({ description: 'Under this id the log tells more.' }) } : {}),
    ...(status === 400 || status === 403 || status === 409 || status === 422 ? { source: Type.Optional(source) } : {}),
  });
  return Type.Object({ errors: Type.Array(error, { minItems: 1 }), jsonapi: reference('JsonApi') });
}
