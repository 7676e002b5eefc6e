/** Texts of sites and engines in files. Names end with the unit. */

/** Of the message of an issue. Ordinary ones have up to 500. */
export const messageMaxCharacters = 1_000;
/** Of a cell in a table: Excel takes no more. */
export const cellMaxCharacters = 32_767;
