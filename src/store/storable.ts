import { shortened } from '../platform/shorten.ts';

/** PostgreSQL's text holds neither NUL nor lone surrogates, which documents and messages about them may contain. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Characters of a sentence about what went wrong. What it quotes, a page's address or another's error, has no limit. */
const sentenceMaxCharacters = 1_000;

/**
 * The same for a sentence about what went wrong, of which lists hold a hundred: shortened to a thousand characters, and without
 * control characters, each of which would take six in JSON.
 */
export function storableSentence(text: string): string {
  return storable(shortened(text, sentenceMaxCharacters)).replace(/[^\P{Cc}\n]/gu, '\uFFFD');
}
