import type { FetchedDocument } from '../domain/check.ts';
import type { HeaderPair } from '../egress/response-head.ts';

/** What a tag of a document is made of (RFC 9110, 8.8.3). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
/** A document that changed twice within a second has the same `Last-Modified` (RFC 9110, 8.8.2.2). */
const MODIFIED_BEFORE_MS = 1_000;

/** Of these, a 304 tells nothing of the document that is at hand: they go with its bytes, or with the connection. */
const OF_THE_TRANSFER =
  /^(?:connection|keep-alive|proxy-\S+|te|trailer|transfer-encoding|upgrade|etag|content-(?:encoding|length|location|md5|range|type))$/;

/**
 * The headers with which a document that was fetched before is requested only if it has changed (RFC 9110, 13.1). Empty
 * where the document has nothing by which its server could tell that for certain.
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

/** The document at hand with the headers that its server now gives it (RFC 9111, 3.2 and 4.3.4). */
export function confirmed(known: FetchedDocument, fresh: readonly HeaderPair[]): FetchedDocument {
  const updates = fresh.filter(([name]) => !OF_THE_TRANSFER.test(name));
  const updated = new Set(updates.map(([name]) => name));
  return { ...known, headers: [...known.headers.filter(([name]) => !updated.has(name)), ...updates] };
}

/** The value of a header that is there once; else an empty string. */
function onlyValue(headers: readonly HeaderPair[], name: string): string {
  const values = headers.filter(([key]) => key === name).map(([, value]) => value.trim());
  return values.length === 1 ? (values[0] ?? '') : '';
}
