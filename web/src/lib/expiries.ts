const dayMs = 86_400_000;

/** How long something may last, as people choose it. */
export const EXPIRIES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'never'],
] as const;

/** Returns the time after some days as the API spells it, in UTC; null for an empty text. */
export function timeAfter(days: string, now: Date): string | null {
  return days === '' ? null : new Date(now.getTime() + Number(days) * dayMs).toISOString().slice(0, 19);
}
