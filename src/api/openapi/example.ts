import type { JsonSchema } from './openapi.ts';

/** A value that a schema allows: what the schema itself gives as an example, else the plainest one. */
export function exampleOf(schema: JsonSchema): unknown {
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
