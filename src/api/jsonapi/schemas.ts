import Type, { type TNull, type TSchema, type TUnion } from 'typebox';

/** Schemas of values that the attributes of several resources have in common. */

export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

export const UUID = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  examples: ['6f9619ff-8b86-4011-b42d-00c04fc964ff'],
});

/** A decimal id. Fifteen digits are more than there will be, and exact as a number. */
export const DECIMAL_ID = Type.String({ pattern: '^[1-9][0-9]{0,14}$', examples: ['4711'] });

export const GUEST_TOKEN = Type.String({
  pattern: '^G[0-9A-F]{9}$',
  description: 'Id of a guest account.',
  examples: ['G1A2B3C4D5'],
});

export const TIMESTAMP = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$',
  description: 'UTC, without zone and fraction.',
  examples: ['2026-01-31T23:59:59'],
});

/** A number of things. */
export const COUNT = Type.Integer({ minimum: 0 });

export const WEB_ADDRESS = Type.String({ description: 'An absolute URL.', examples: ['https://example.com/'] });

export const TAGS = Type.Array(Type.String());
