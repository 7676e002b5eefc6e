import { shortened } from '../platform/shorten.ts';

/** Texts of sites and engines in files. Names end with the unit. */

/** Of the message of an issue. Ordinary ones have up to 500. */
export const messageMaxCharacters = 1_000;
/** Of markup, selectors and what to fix at a place. */
export const placeTextMaxCharacters = 500;
/** Of a cell in a table: Excel takes no more. */
export const cellMaxCharacters = 32_767;

/** What no file may contain: controls, noncharacters and halves of characters; and everything that breaks a line. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Cn}\u2028\u2029]+/gu;

/** Returns a text on one line, without control characters, and shortened. */
export function oneLine(text: string, maxCharacters: number): string {
  // Shortened first: foreign texts may be long.
  return shortened(text, maxCharacters).replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim();
}
