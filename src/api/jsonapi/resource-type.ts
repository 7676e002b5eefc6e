import type { Static, TObject, TString } from 'typebox';

/** What resources of one type look like in answers; what renders them and what documents them are held to it. */
export interface ResourceType<Schema extends TObject = TObject, Relationship extends string = string> {
  /** In the singular: `web_page`. */
  readonly name: string;
  readonly id: TString;
  readonly attributes: Schema;
  /** Names of the relationships that a resource may have. */
  readonly relationships: readonly Relationship[];
  /** Whether a resource has an address of its own; `sometimes` is for those who may follow it alone. */
  readonly self: 'always' | 'sometimes' | 'never';
}

/** The attributes of a resource as they are rendered. */
export type AttributesOf<Type extends ResourceType> = Static<Type['attributes']>;

export function resourceType<Schema extends TObject, const Relationship extends string = never>(
  name: string,
  parts: {
    readonly id: TString;
    readonly attributes: Schema;
    readonly relationships?: readonly Relationship[];
    readonly self?: ResourceType['self'];
  },
): ResourceType<Schema, Relationship> {
  return { name, relationships: [], self: 'always', ...parts };
}
