/** How pages of a report are checked, as the list of pages is filtered. */
export const SEEN_AS = ['signed_in', 'stranger', 'journey', 'states', 'banner_dismissed', 'banner_kept'] as const;
export type SeenAs = (typeof SEEN_AS)[number];

/** How a page was checked. */
export interface SeenPage {
  readonly signed_in: 'login' | 'credentials' | null;
  readonly signed_in_as: string | null;
  readonly journey: string | null;
  /** Null at the end of a journey, too. */
  readonly journey_step: string | null;
  /** Of its accessibility check; null or absent if nothing was to be opened or dismissed. */
  readonly opened_states?: number | null | undefined;
  readonly consent?: 'dismissed' | 'kept' | 'none' | null | undefined;
}

/**
 * Returns who a page was checked as, and in what state: `signed in as ada`, `3 states opened`, `consent banner dismissed`.
 */
export function seenWords(page: SeenPage): string[] {
  const { journey, journey_step: step, opened_states: opened } = page;
  const who = whoWords(page);
  return [
    ...(who === null ? [] : [who]),
    ...(journey === null ? [] : [`at the ${step === null ? 'end' : `mark “${step}”`} of the journey “${journey}”`]),
    ...(opened == null ? [] : [`${opened} ${opened === 1 ? 'state' : 'states'} opened`]),
    ...bannerWords(page),
  ];
}

/** Returns who a page was checked as; null if that is unknown, as in a journey without a login. */
export function whoWords({
  signed_in: signedIn,
  signed_in_as: name,
  journey,
}: Pick<SeenPage, 'signed_in' | 'signed_in_as' | 'journey'>): string | null {
  if (signedIn === null) return journey === null ? 'not signed in' : null;
  return name === null ? 'signed in' : `signed in as ${name}`;
}

/** Returns whether the consent banner of a page was dismissed, if it had one. */
export function bannerWords({ consent }: Pick<SeenPage, 'consent'>): string[] {
  if (consent === 'dismissed') return ['consent banner dismissed'];
  return consent === 'kept' ? ['with its consent banner'] : [];
}
