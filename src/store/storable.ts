import { mapForeignText } from '../domain/failures/failure.ts';
import { shortened } from '../platform/shorten.ts';

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store, and which documents and messages about them may contain. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** PostgreSQL replaces lone surrogates in texts but refuses them in JSON. */
export function storableJson(value: object): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'string' ? storable(part) : part));
}

/** Maximum length of text that a failure quotes, such as a URL or an error message from another program. */
const quotedMaxCharacters = 800;

/**
 * The same for a failure. Shortens the text that it quotes and replaces control characters, which each take six characters in
 * JSON: a list may contain a hundred failures.
 */
export function storableFailure<Coded extends object>(failure: Coded): Coded {
  return mapForeignText(failure, (text) =>
    storable(shortened(text, quotedMaxCharacters)).replace(/[^\P{Cc}\n]/gu, '\uFFFD'),
  );
}
