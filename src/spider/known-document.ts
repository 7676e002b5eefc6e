import type { FetchedDocument } from '../domain/check.ts';
import type { HeaderPair } from '../egress/response-head.ts';

/** A valid entity tag (RFC 9110, 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
/** A document that changed twice within a second has the same `Last-Modified` (RFC 9110, 8.8.2.2). */
const MODIFIED_BEFORE_MS = 1_000;

/** Headers of a 304 that describe its transfer or the connection, not the stored document. */
const OF_THE_TRANSFER =
  /^(?:connection|keep-alive|proxy-\S+|te|trailer|transfer-encoding|upgrade|etag|content-(?:encoding|length|location|md5|range|type))$/;

/**
 * Returns the headers that request a document only if it has changed since it was fetched (RFC 9110, 13.1). Empty if the
 * document has no validator that is certain.
 */
export function conditionsFor({ httpStatus, headers }: FetchedDocument): Readonly<Record<string, string>> {
  if (httpStatus !== 200) return {};
  const tag = onlyValue(headers, 'etag');
  const modified = onlyValue(headers, 'last-modified');
  const age = Date.parse(onlyValue(headers, 'date')) - Date.parse(modified);
  return {
    ...(ENTITY_TAG.test(tag) ? { 'if-none-match': tag } : {}),
    ...(age >= MODIFIED_BEFORE_MS ? { 'if-modified-since': modified } : {}),
  };
}

/** Returns a stored document with the headers of a 304 merged into its own (RFC 9111, 3.2 and 4.3.4). */
export function confirmed(known: FetchedDocument, fresh: readonly HeaderPair[]): FetchedDocument {
  const updates = fresh.filter(([name]) => !OF_THE_TRANSFER.test(name));
  const updated = new Set(updates.map(([name]) => name));
  return { ...known, headers: [...known.headers.filter(([name]) => !updated.has(name)), ...updates] };
}

/** Returns the value of a header that occurs once, else an empty string. */
function onlyValue(headers: readonly HeaderPair[], name: string): string {
  const values = headers.filter(([key]) => key === name).map(([, value]) => value.trim());
  return values.length === 1 ? (values[0] ?? '') : '';
}
