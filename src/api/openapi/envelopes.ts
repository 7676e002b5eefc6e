import Type, { type TObject } from 'typebox';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import { count } from '../jsonapi/schemas.ts';
import { PRO } from '../pro.ts';
import type { JsonSchema } from './openapi.ts';

/** Schemas of the envelopes in which resources and errors come. */

const address = (description: string) => Type.String({ format: 'uri', description });

const LIST_META = Type.Object(
  {
    total: count('Resources in the whole list.'),
    page: Type.Object(
      {
        number: count('Which page this is, from 1.'),
        size: count('Resources on a page.'),
        pages: count('Pages in the whole list.'),
      },
      { description: 'Where in the list this page is.' },
    ),
  },
  { description: 'How long a list is.' },
);

/** What every document uses. */
export const SHARED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  JsonApi: Type.Object(
    { version: Type.Literal('1.0', { description: 'The version of JSON:API.' }) },
    { description: 'What every document has.' },
  ),
  Relationship: Type.Object(
    {
      links: Type.Object({ related: address('Where to get what it leads to.') }, { description: 'Its one link.' }),
    },
    { description: 'Where a relationship leads.' },
  ),
  ListLinks: Type.Object(
    {
      self: address('This page.'),
      first: address('The first page.'),
      prev: Type.Optional(address('The page before; absent on the first.')),
      next: Type.Optional(address('The page after; absent on the last.')),
      last: address('The last page.'),
    },
    { description: 'The pages of a list, with every other parameter of the request.' },
  ),
  ListMeta: LIST_META,
};

function reference(name: string): { readonly $ref: string } {
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
  const relationships = Type.Object(Object.fromEntries(entries), { description: 'Where to find what belongs to it.' });
  const links = Type.Object({ self: address('Where to get this resource.') });
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

export function singleSchema(type: ResourceType): JsonSchema {
  return Type.Object({ data: reference(schemaName(type)), jsonapi: reference('JsonApi') });
}

/** @param meta what the list's `meta` holds beside what every list has */
export function listSchema(type: ResourceType, meta?: TObject): JsonSchema {
  return Type.Object({
    data: Type.Array(reference(schemaName(type))),
    links: reference('ListLinks'),
    meta: meta === undefined ? reference('ListMeta') : Type.Object({ ...LIST_META.properties, ...meta.properties }),
    jsonapi: reference('JsonApi'),
  });
}

/** The document of an error answer with one of these codes. */
export function errorSchema(status: number, codes: readonly string[]): JsonSchema {
  const source = Type.Union([
    Type.Object({
      pointer: Type.String({
        description: 'A JSON pointer into the body.',
        examples: ['/data/attributes/starting_url'],
      }),
    }),
    Type.Object({
      parameter: Type.String({ description: 'The name of a query parameter.', examples: ['page[size]'] }),
    }),
  ]);
  const error = Type.Object({
    status: Type.Literal(String(status), { description: 'The HTTP status.' }),
    code: Type.Enum([...codes], { description: 'What is wrong, in a word that stays the same.' }),
    title: Type.String({ description: 'The short form.', examples: ['is invalid'] }),
    detail: Type.String({ description: 'A sentence that says what to do.', examples: ['Starting url is invalid'] }),
    ...(status === 500 ? { id: Type.String({ description: 'Under this id the log tells more.' }) } : {}),
    ...(status === 400 || status === 403 || status === 409 || status === 422 ? { source: Type.Optional(source) } : {}),
  });
  return Type.Object({ errors: Type.Array(error, { minItems: 1 }), jsonapi: reference('JsonApi') });
}
