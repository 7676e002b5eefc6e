/** How often a schedule runs. */

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The last day that every month has. */
export const MONTHDAY_MAX = 28;

export type Periodicity =
  | { readonly every: 'day' }
  | { readonly every: 'week'; readonly weekday: Weekday }
  /** `monthday` is from 1 to `MONTHDAY_MAX`. */
  | { readonly every: 'month'; readonly monthday: number };
