import { mapForeignText } from '../domain/failures/failure.ts';
import { shortened } from '../platform/shorten.ts';

/** PostgreSQL's text holds neither NUL nor lone surrogates, which documents and messages about them may contain. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Characters of what a failure quotes, a page's address or another's error, which has no limit of its own. */
const quotedMaxCharacters = 800;

/**
 * The same for a failure, of which lists hold a hundred: what it quotes is shortened, and without control characters, each of
 * which would take six in JSON.
 */
export function storableFailure<Coded extends object>(failure: Coded): Coded {
  return mapForeignText(failure, (text) =>
    storable(shortened(text, quotedMaxCharacters)).replace(/[^\P{Cc}\n]/gu, '\uFFFD'),
  );
}
