/** Maps the `Content-Type` of a document to a request to the validator. */

const XML_TYPES = new Set(['application/xhtml+xml', 'application/xml', 'text/xml']);

/**
 * The schemas of the validator's preset for XHTML. Without them, it selects schemas by the root element, adds a message about that,
 * and fails for a root without a namespace. All three are built in, so nothing is fetched.
 */
const XHTML_SCHEMAS = [
  'http://s.validator.nu/xhtml5-all.rnc',
  'http://s.validator.nu/html5/assertions.sch',
  'http://c.validator.nu/all/',
].join(' ');

const HTML_PATH = '/?out=json';
const XHTML_PATH = `/?${new URLSearchParams({ out: 'json', parser: 'xml', schema: XHTML_SCHEMAS })}`;

export interface VnuRequest {
  /** Path and query, relative to the validator's base URL. */
  readonly path: string;
  readonly contentType: string;
}

/**
 * Returns how to post a document so that the result is the same as that of the validator's command line for a `.html` file (or
 * `.xhtml` for XML types):
 * - HTML documents without a charset in the header are UTF-8, like files on the command line.
 * - As in browsers, a known charset in the header applies, unless there is a byte order mark
 *   (https://encoding.spec.whatwg.org/#decode).
 * - The XML parser parses the three XML types, and the HTML parser everything else: the document is known to be a page.
 */
export function vnuRequest(contentType: string, body: Uint8Array): VnuRequest {
  const charset = charsetOf(contentType);
  if (isXml(contentType)) {
    const parameter = charset === null ? '' : `; charset=${charset}`;
    return { path: XHTML_PATH, contentType: `application/xhtml+xml${parameter}` };
  }
  const mark = charset === null ? null : encodingOfByteOrderMark(body);
  return { path: HTML_PATH, contentType: `text/html; charset=${mark ?? charset ?? 'utf-8'}` };
}

/** Returns whether the validator uses its XML parser. */
export function isXml(contentType: string): boolean {
  return XML_TYPES.has(essenceOf(contentType));
}

function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns the first charset parameter in lower case if browsers support that encoding; otherwise null. */
function charsetOf(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(contentType);
  const label = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim().toLowerCase();
  // The label becomes part of a header again.
  if (!/^[a-z0-9._:()+-]+$/.test(label)) return null;
  try {
    new TextDecoder(label);
    return label;
  } catch {
    return null;
  }
}

/** Returns the encoding of the byte order mark, which the validator ignores when the header has a charset. */
function encodingOfByteOrderMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return null;
}
