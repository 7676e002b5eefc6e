/** PostgreSQL's text holds neither NUL nor lone surrogates, which documents and messages about them may contain. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
