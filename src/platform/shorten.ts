/**
 * Shortens a text that is longer than `maxCharacters` to its start and end with an ellipsis between them, so that a sentence with a
 * long quotation stays readable. Never splits a surrogate pair.
 */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const endCharacters = Math.floor(maxCharacters / 3);
  const start = text.slice(0, maxCharacters - 1 - endCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - endCharacters).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start}…${end}`;
}
