import Type, { type TSchema } from 'typebox';
import { Errors } from 'typebox/schema';

/** Returns what a schema requires, worded to follow the value's name: "must be true or false". Refined schemas have their own messages. */
export function expectation(schema: TSchema, value: unknown): string {
  const refused = Errors(schema, value)[1].find(({ keyword }) => keyword === '~refine');
  return refused?.message ?? `must be ${expected(schema)}`;
}

function expected(schema: TSchema): string {
  if (Type.IsInteger(schema)) {
    const { minimum, maximum } = boundsOf(schema);
    const from = minimum === undefined ? '' : ` from ${minimum}`;
    return `a whole number${from}${maximum === undefined ? '' : ` to ${maximum}`}`;
  }
  if (Type.IsBoolean(schema)) return 'true or false';
  if (Type.IsString(schema))
    return 'maxLength' in schema ? `a string of at most ${schema.maxLength} characters` : 'a string';
  if (Type.IsArray(schema)) return 'an array of strings';
  if (Type.IsObject(schema)) return 'an object';
  if (Type.IsNull(schema)) return 'null';
  if (Type.IsLiteral(schema)) return JSON.stringify(schema.const);
  if (Type.IsEnum(schema)) return `one of ${schema.enum.join(', ')}`;
  if (Type.IsUnion(schema)) return schema.anyOf.map(expected).join(' or ');
  return 'something else';
}

function boundsOf(schema: object): { minimum: unknown; maximum: unknown } {
  return {
    minimum: 'minimum' in schema ? schema.minimum : undefined,
    maximum: 'maximum' in schema ? schema.maximum : undefined,
  };
}
