/** Limits of all kinds of checks. */

/**
 * Maximum length of the JSON of a stored raw check, in characters. Ordinary pages stay under 2 million. Pages with tens of
 * thousands of issues must not fill the database, or the memory of clients.
 */
export const rawCheckMaxCharacters = 16_777_216;

/**
 * Maximum length of an issue's message, in characters. The validator's own words take at most 500; the rest quotes the page.
 */
export const messageMaxCharacters = 4_096;

/**
 * Characters of the markup, extract and selector of an occurrence where occurrences of several pages are shown: in lists, which
 * have a hundred, in files and in fix plans.
 */
export const occurrenceTextMaxCharacters = 500;
