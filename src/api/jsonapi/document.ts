import type { AttributesOf, ResourceType } from './resource-type.ts';

/** The envelopes of responses (docs/contract/protocol.md#envelopes). */

export const MEDIA_TYPE = 'application/vnd.api+json';

/** The absolute URLs of relationships by name. A relationship that does not apply is undefined or absent. */
type Related<Type extends ResourceType> = {
  readonly [Name in keyof Type['relationships']]?: string | undefined;
};

export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: object;
  readonly relationships?: Readonly<Record<string, { readonly links: { readonly related: string } }>>;
  readonly links?: { readonly self: string };
}

/** Links of a list. `prev` and `next` are absent at the ends, since client libraries follow every key that exists. */
export interface ListLinks {
  readonly self: string;
  readonly first: string;
  readonly prev?: string;
  readonly next?: string;
  readonly last: string;
}

export interface ListMeta {
  readonly total: number;
  readonly page: { readonly number: number; readonly size: number; readonly pages: number };
}

const JSONAPI = { version: '1.0' } as const;

export function resource<Type extends ResourceType>(
  type: Type,
  parts: {
    readonly id: string | number;
    readonly attributes: AttributesOf<Type>;
    readonly related?: Related<Type>;
    /** The resource's own URL; absent if a resource can only be listed. */
    readonly self?: string | undefined;
  },
): Resource {
  const relationships = Object.entries<string | undefined>(parts.related ?? {}).flatMap(([name, related]) =>
    related === undefined ? [] : [[name, { links: { related } }] as const],
  );
  return {
    type: type.name,
    id: String(parts.id),
    attributes: parts.attributes,
    ...(relationships.length === 0 ? {} : { relationships: Object.fromEntries(relationships) }),
    ...(parts.self === undefined ? {} : { links: { self: parts.self } }),
  };
}

export function single(data: Resource) {
  return { data, jsonapi: JSONAPI };
}

export function list(data: readonly Resource[], links: ListLinks, meta: ListMeta) {
  return { data, links, meta, jsonapi: JSONAPI };
}
