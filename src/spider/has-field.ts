import { Parser } from 'htmlparser2';
import type { FetchedDocument } from '../domain/check.ts';
import { decodeDocument } from './decode-document.ts';

/** Returns whether a document has a field with one of these names; fields without a name are known by their id. */
export function hasField(document: FetchedDocument, names: readonly string[]): boolean {
  // Few documents have such a field, so most need no parsing.
  const { buffer, byteOffset, byteLength } = document.body;
  const body = Buffer.from(buffer, byteOffset, byteLength);
  if (!names.some((name) => body.includes(name))) return false;
  let found = false;
  const parser = new Parser({
    onopentag(tag, { name = '', id = '' }) {
      found ||= (tag === 'input' || tag === 'textarea') && names.includes(name || id);
    },
  });
  parser.end(decodeDocument(document.body, document.contentType));
  return found;
}
