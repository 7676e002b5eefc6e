/** Limits of journeys. Names end with the unit. */

/** One attempt at a journey, without waits for one-time passwords and for pages to settle. */
export const journeyTimeoutMs = 600_000;
/** Attempts at a journey that has not changed anything, if the browser failed or the session of the report ended. */
export const journeyAttemptsMax = 2;
/**
 * The maximum size of all marks of a journey together, compressed: they are in memory until the journey ends. Ordinary marks take
 * 50 to 500 kB. As many journeys are performed at a time as the browser has pages for them.
 */
export const journeyMaxBytes = 32_000_000;
/** Characters of the serialized DOM at a mark. */
export const domMaxCharacters = 5_000_000;
