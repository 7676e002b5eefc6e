/** What an answer says of its type, as the rest of a sentence. */
export function typeInWords(contentType: string): string {
  return contentType === '' ? 'names no content type' : `has the content type ${contentType}`;
}
