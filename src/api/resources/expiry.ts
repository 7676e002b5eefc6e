import Type from 'typebox';
import { nullable } from '../../domain/schemas.ts';
import type { Reading } from './notations.ts';

/** `expires_at` of new tokens and mutings. */

/** Returns the schema of a time in the future, or null for never. */
export function expirySchema(description: string) {
  return Type.Refine(
    nullable(
      Type.String(),
      `${description} ISO 8601, in UTC unless you give a time zone. A date without a time means the end of that day. Null means never.`,
      { examples: ['2199-12-31T23:59:59', '2199-12-31T23:59:59+01:00', '2199-12-31', null] },
    ),
    (text) => expiryProblem(text) === null,
    (text) => expiryProblem(text) ?? '',
  );
}

/** Returns what is wrong with an expiry; null if it is valid. */
function expiryProblem(text: string | null): string | null {
  const { value, problem } = readTime(text);
  return value !== null && value.getTime() <= Date.now() ? 'is in the past' : problem;
}

/**
 * Parses a time in ISO 8601, `2026-01-31T23:59:59`, in UTC unless it has a zone. A date alone means its last second in UTC.
 * Null stays null.
 */
export function readTime(text: string | null): Reading<Date | null> {
  if (text === null) return { value: null, problem: null };
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59` : text;
  const [, moment = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(whole) ?? [];
  const value = new Date(moment + zone);
  // Date accepts impossible dates, such as 30 February, as later ones.
  const isReal = value.getUTCFullYear() <= 9_999 && new Date(`${moment}Z`).toISOString().startsWith(moment);
  return isReal
    ? { value, problem: null }
    : { value: null, problem: 'must be a time such as 2026-01-31T23:59:59, or a date' };
}
