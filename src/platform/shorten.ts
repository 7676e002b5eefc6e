/**
 * The start and the end of a text that is longer than `maxCharacters`, with an ellipsis between them: a sentence that
 * quotes something endless keeps what it says before and after it. No surrogate pair is cut in two.
 */
export function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const endCharacters = Math.floor(maxCharacters / 3);
  const start = text.slice(0, maxCharacters - 1 - endCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - endCharacters).replace(/^[\uDC00-\uDFFF]/, '');
  return `${start}…${end}`;
}
