import Type from 'typebox';
import { readTime } from '../../domain/read-time.ts';
import { nullable } from '../../domain/schemas.ts';

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

/** Returns what is wrong with an expiry time; null if it is valid. */
function expiryProblem(text: string | null): string | null {
  const { value, problem } = readTime(text);
  return value !== null && value.getTime() <= Date.now() ? 'is in the past' : problem;
}
