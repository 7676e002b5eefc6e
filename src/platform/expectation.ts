import Type, { type TSchema } from 'typebox';
import { Errors } from 'typebox/schema';

/**
 * Returns what a schema requires, worded to follow the value's name: "must be true or false". Refined schemas have their own
 * messages.
 */
export function expectation(schema: TSchema, value: unknown): string {
  const refused = Errors(schema, value)[1].find(({ keyword }) => keyword === '~refine');
  return refused?.message ?? `must be ${expected(schema)}`;
}

function expected(schema: TSchema): string {
  if (Type.IsInteger(schema)) {
    const range = rangeOf(schema, 'minimum', 'maximum').trimEnd();
    if (range === '') return 'a whole number';
    return `a whole number ${'minimum' in schema && 'maximum' in schema ? 'from' : 'of'} ${range}`;
  }
  if (Type.IsBoolean(schema)) return 'true or false';
  if (Type.IsString(schema)) return expectedText(schema);
  if (Type.IsArray(schema)) {
    const items = Type.IsObject(schema.items) ? 'objects' : 'strings';
    return `an array of ${rangeOf(schema, 'minItems', 'maxItems')}${items}`;
  }
  if (Type.IsObject(schema)) return 'an object';
  if (Type.IsNull(schema)) return 'null';
  if (Type.IsLiteral(schema)) return JSON.stringify(schema.const);
  // An empty string, where it is allowed, means that nothing is chosen.
  if (Type.IsEnum(schema)) return `one of ${schema.enum.filter((value) => value !== '').join(', ')}`;
  if (Type.IsUnion(schema)) return schema.anyOf.map(expected).join(' or ');
  return 'something else';
}

function expectedText(schema: object): string {
  const [example]: readonly unknown[] = 'examples' in schema && Array.isArray(schema.examples) ? schema.examples : [];
  if ('pattern' in schema && example !== undefined) return `a string such as ${example}`;
  const characters = rangeOf(schema, 'minLength', 'maxLength');
  return characters === '' ? 'a string' : `a string of ${characters}characters`;
}

/** `at most 200 `, `1 to 200 `, `at least 1 `, or nothing if any number is allowed. */
function rangeOf(schema: object, least: string, most: string): string {
  const [minimum, maximum]: readonly unknown[] = [least, most].map((name) => Reflect.get(schema, name));
  if (minimum === undefined) return maximum === undefined ? '' : `at most ${maximum} `;
  return maximum === undefined ? `at least ${minimum} ` : `${minimum} to ${maximum} `;
}
