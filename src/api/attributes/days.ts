import Type from 'typebox';

/** Days in UTC as parameters. */

export const DAY_MS = 86_400_000;

/** A filter for a day in UTC. */
export function dayFilter(description: string, example: string) {
  return Type.Optional(
    Type.Refine(
      Type.String({ description, examples: [example] }),
      (text) => startOf(text) !== null,
      () => 'must be a day, such as 2026-02-14',
    ),
  );
}

/** Returns the time at which a day such as `2026-02-14` starts in UTC; null if there is no such day. */
export function startOf(day: string): number | null {
  const time = /^[1-9]\d{3}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? time : null;
}
