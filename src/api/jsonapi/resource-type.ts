import type { Static, TObject, TString } from 'typebox';

/** The form of a type's resources in responses, for rendering and documentation. */
export interface ResourceType<Schema extends TObject = TObject, Relationship extends string = string> {
  /** In the singular: `web_page`. */
  readonly name: string;
  /** The name of its schema, if another has the same type. */
  readonly schema?: string;
  /** Describes the resource in a sentence, for users. */
  readonly description: string;
  readonly id: TString;
  readonly attributes: Schema;
  /** The relationships that a resource may have. */
  readonly relationships: Readonly<Record<Relationship, Related>>;
  /** Whether a resource has a URL of its own; with `sometimes`, only viewers who can follow it see it. */
  readonly self: 'always' | 'sometimes' | 'never';
}

/** The target of a relationship. */
export interface Related {
  /** Describes the target, and when the relationship is absent. */
  readonly description: string;
  /** Below `/api/v1`, with a query if it has one: `/reports/{report_id}/web_pages`. */
  readonly path: string;
  /** Present if only accounts with Pro features have it. */
  readonly pro?: true;
}

/** The attributes of a resource as they are rendered. */
export type AttributesOf<Type extends ResourceType> = Static<Type['attributes']>;

export function resourceType<Schema extends TObject, const Relationship extends string>(
  name: string,
  parts: Omit<ResourceType<Schema, Relationship>, 'name' | 'self'> & { readonly self?: ResourceType['self'] },
): ResourceType<Schema, Relationship> {
  return { name, self: 'always', ...parts };
}
