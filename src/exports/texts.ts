/** Limits of text of sites and engines in files. Names end with the unit. */

/** For the message of an issue. Ordinary messages have up to 500 characters. */
export const messageMaxCharacters = 1_000;
/** For a cell in a table: Excel accepts no more. */
export const cellMaxCharacters = 32_767;
