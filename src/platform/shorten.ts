/**
 * Shortens text that is longer than `maxCharacters` to its start and end with an ellipsis between them, so that a sentence with a
 * long quotation stays readable. Never splits a surrogate pair.
 */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const endCharacters = Math.floor(maxCharacters / 3);
  const start = text.slice(0, maxCharacters - 1 - endCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - endCharacters).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start}…${end}`;
}

/**
 * Characters that no file and no message may contain: control characters, noncharacters and lone surrogates; and all line breaks.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Cn}\u2028\u2029]+/gu;
/** Characters that override or isolate the direction of text, which also affects the text after them. */
const DIRECTIONS = /[\u202A-\u202E\u2066-\u2069]/g;

/** Returns text on one line, without control characters and changes of direction, and shortened. */
export function oneLine(text: string, maxCharacters: number): string {
  // Shortened first: foreign text may be long.
  return shortened(text, maxCharacters).replace(DIRECTIONS, '').replace(UNSAFE, ' ').replace(/ {2,}/g, ' ').trim();
}
