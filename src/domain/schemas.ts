import Type, { type TNull, type TSchema, type TSchemaOptions, type TUnion } from 'typebox';

/** Schemas that attributes of several resources share. */

/** Marks an attribute, a parameter or an endpoint that sitewarden adds to the API, which existing clients ignore. */
export const ADDITIVE = { 'x-additive': true } as const;

/** Marks attributes that require a plan with Pro features. */
export const PRO = { 'x-pro': true } as const;

/** A value or null. */
export function nullable<Schema extends TSchema>(
  schema: Schema,
  description: string,
  options: TSchemaOptions = {},
): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], { description, ...options });
}

/** The code of a failure whose sentence is in `attribute`. */
export function failureCode(attribute: string) {
  const description = `The code of \`${attribute}\`, which stays the same when its wording changes; null if \`${attribute}\` is null.`;
  return nullable(Type.String(), description, { examples: [null, 'error_status'], ...ADDITIVE });
}

export const UUID_EXAMPLE = '6f9619ff-8b86-4011-b42d-00c04fc964ff';
const UUID_TEXT = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
export const UUID_PATTERN = UUID_TEXT.source;
export const UUID = Type.String({
  pattern: UUID_PATTERN,
  examples: [UUID_EXAMPLE],
});

/** Whether a string is a UUID, as ids of accounts, reports, sites and schedules are. */
export function isUuid(text: string): boolean {
  return UUID_TEXT.test(text);
}

/** A decimal id. Fifteen digits suffice, and are exact as a number. */
export const DECIMAL_ID = Type.String({ pattern: '^[1-9][0-9]{0,14}$', examples: ['4711'] });

/** An identity across reports: 16 bytes in hexadecimal. */
export function fingerprint(of: string, options: TSchemaOptions = {}) {
  return Type.String({
    description: `Identifies ${of} in all reports.`,
    examples: ['0f3a5b8c1d2e4f60718293a4b5c6d7e8'],
    ...options,
  });
}

/** The id of a guest account. */
export function guestToken(description: string) {
  return Type.String({ pattern: '^G[0-9A-F]{9}$', description, examples: ['G1A2B3C4D5'] });
}

const TIME = { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$', examples: ['2026-01-31T23:59:59'] };

/** A time in UTC, without zone and fraction. */
export const TIMESTAMP = Type.String(TIME);

/** When a resource was created and last changed. */
export const LIFE = {
  inserted_at: Type.String({ ...TIME, description: 'When it was created.', examples: ['2026-01-31T23:30:00'] }),
  updated_at: Type.String({ ...TIME, description: 'When it last changed.' }),
};

export function count(description: string, options: TSchemaOptions = {}) {
  return Type.Integer({ minimum: 0, description, ...options });
}

export function issueType(options: TSchemaOptions = {}) {
  const description = 'The certainty: an `error` is a definite problem, a `warning` requires review.';
  return Type.Enum(['error', 'warning'], { description, ...options });
}

export function webAddress(description: string, options: TSchemaOptions = {}) {
  return Type.String({ description, examples: ['https://example.com/'], ...options });
}

export function flag(description: string, options: TSchemaOptions = {}) {
  return Type.Boolean({ description, ...options });
}

export function texts(description: string, options: TSchemaOptions = {}) {
  return Type.Array(Type.String(), { description, ...options });
}
