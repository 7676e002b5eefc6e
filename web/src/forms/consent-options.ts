/** The choices in consent banners, with their labels. */
export const CONSENT_OPTIONS = [
  ['reject', 'Reject everything optional'],
  ['accept', 'Accept everything'],
] as const;
