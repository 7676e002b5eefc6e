/**
 * Parses a time in ISO 8601, `2026-01-31T23:59:59`, in UTC unless it has a zone. A date alone means its last second in UTC. Null
 * stays null. A problem is worded to follow the name of the value.
 */
export function readTime(text: string | null): { readonly value: Date | null; readonly problem: string | null } {
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
