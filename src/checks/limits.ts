/** Limits that all checks share, the unit last. */

/**
 * Characters of the JSON of a raw check that is kept. Ordinary pages stay under 2 million; a page with ten thousands of
 * faults must fill neither the memory of whoever asks for it nor the database.
 */
export const rawCheckMaxCharacters = 16_777_216;

/**
 * Characters of a message that are kept of an issue and looked at: the longest of the validator's own have 500, the rest is
 * what they quote out of the page.
 */
export const messageMaxCharacters = 4_096;
