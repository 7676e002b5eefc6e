import type { Static, TObject, TString } from 'typebox';

/** What resources of one type look like in answers; what renders them and what documents them are held to it. */
export interface ResourceType<Schema extends TObject = TObject, Relationship extends string = string> {
  /** In the singular: `web_page`. */
  readonly name: string;
  /** The name of its schema, where there is another of the same type. */
  readonly schema?: string;
  /** What such a resource is, in a sentence for readers. */
  readonly description: string;
  readonly id: TString;
  readonly attributes: Schema;
  /** The relationships that a resource may have. */
  readonly relationships: Readonly<Record<Relationship, Related>>;
  /** Whether a resource has an address of its own; `sometimes` is for those who may follow it alone. */
  readonly self: 'always' | 'sometimes' | 'never';
}

/** Where a relationship leads. */
export interface Related {
  /** What is there, and when the relationship is absent. */
  readonly description: string;
  /** In the contract's words, with a query where there is one: `/reports/{report_id}/web_pages`. */
  readonly path: string;
  /** Whether it is there only for accounts with Pro features. */
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
