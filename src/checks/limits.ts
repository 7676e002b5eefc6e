/** Limits that all checks share, the unit last. */

/**
 * Characters of the JSON of a raw check that is kept. Ordinary pages stay under 2 million; a page with ten thousands of
 * faults must fill neither the memory of whoever asks for it nor the database.
 */
export const rawCheckMaxCharacters = 16_777_216;
