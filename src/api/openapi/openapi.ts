import type { ErrorCode } from '../../platform/errors.ts';

/** The parts of an OpenAPI 3.1 document that this API uses. */

/** The parts of a JSON Schema, dialect 2020-12, that this API's schemas use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Whether only accounts with Pro features may use it. */
  readonly 'x-pro'?: boolean;
  /** Whether sitewarden adds it to the contract. */
  readonly 'x-additive'?: boolean;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Server[];
  readonly security: readonly Security[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Server {
  readonly url: string;
}

type Security = Readonly<Record<string, readonly string[]>>;

export const METHODS = ['get', 'post', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export type PathItem = { readonly servers?: readonly Server[] } & { readonly [Key in Method]?: Operation };

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** Whether it is only for accounts with Pro features. */
  readonly 'x-pro'?: true;
  /** Whether sitewarden adds it to the contract. */
  readonly 'x-additive'?: true;
  readonly security?: readonly Security[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly 'x-additive'?: true;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly description: string;
  /** The codes of errors that it may contain. */
  readonly 'x-codes'?: readonly ErrorCode[];
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Content;
}

export interface Reference {
  readonly $ref: string;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

/**
 * Adds the type to enums, which are all strings: client generators read an enum without a type as any value. A replacer for
 * `JSON.parse`.
 */
export function withTypeOfEnum(_name: string, value: unknown): unknown {
  return value instanceof Object && 'enum' in value ? { type: 'string', ...value } : value;
}
