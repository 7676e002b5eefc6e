/** The reasons why issues do not count, by the values of the API's filter, with the words for them. */
export const UNCOUNTED = {
  true: { choice: 'muted', note: 'all muted', these: 'are muted', none: 'No muted issues' },
  outside_standard: {
    choice: 'outside the standard',
    note: 'outside the standard',
    these: 'do not belong to the standard',
    none: 'All issues belong to the standard',
  },
  not_an_error: {
    choice: 'not an error',
    note: 'marked “not an error”',
    these: 'were marked “not an error”',
    none: 'No issues marked “not an error”',
  },
} as const;

export type Uncounted = keyof typeof UNCOUNTED;

export const UNCOUNTED_NAMES = ['true', 'outside_standard', 'not_an_error'] as const satisfies readonly Uncounted[];

/** Returns the reason that a text names; undefined if it names none. */
export function uncountedIn(text: string | undefined): Uncounted | undefined {
  return UNCOUNTED_NAMES.find((name) => name === text);
}
