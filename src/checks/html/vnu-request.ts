/** What of a document's `Content-Type` reaches the validator. */

const XML_TYPES = new Set(['application/xhtml+xml', 'application/xml', 'text/xml']);

/**
 * The schemas of the validator's preset for XHTML. Named here because otherwise it chooses them by the root element,
 * says so in a message of its own, and gives up on a root without namespace. All three are built in: nothing is fetched.
 */
const XHTML_SCHEMAS = [
  'http://s.validator.nu/xhtml5-all.rnc',
  'http://s.validator.nu/html5/assertions.sch',
  'http://c.validator.nu/all/',
].join(' ');

const HTML_PATH = '/?out=json';
const XHTML_PATH = `/?${new URLSearchParams({ out: 'json', parser: 'xml', schema: XHTML_SCHEMAS })}`;

export interface VnuRequest {
  /** Path and query, from the validator's base URL on. */
  readonly path: string;
  readonly contentType: string;
}

/**
 * How to post a document, so that the validator says what its command line says of the same bytes in a `.html` (or, for
 * XML types, `.xhtml`) file:
 * - An HTML document without a charset in its header is UTF-8, as files are to the command line.
 * - A charset in the header counts, as in browsers; an unknown one does not, and a byte order mark wins over it
 *   (https://encoding.spec.whatwg.org/#decode).
 * - The XML parser takes the three XML types, the HTML parser everything else, since what is here was found to be a page.
 */
export function vnuRequest(contentType: string, body: Uint8Array): VnuRequest {
  const charset = charsetOf(contentType);
  if (isXml(contentType)) {
    const parameter = charset === null ? '' : `; charset=${charset}`;
    return { path: XHTML_PATH, contentType: `application/xhtml+xml${parameter}` };
  }
  const mark = charset === null ? null : encodingOfMark(body);
  return { path: HTML_PATH, contentType: `text/html; charset=${mark ?? charset ?? 'utf-8'}` };
}

/** Whether the validator reads a document with its XML parser. */
export function isXml(contentType: string): boolean {
  return XML_TYPES.has(essenceOf(contentType));
}

function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The first charset parameter's label when it names an encoding that browsers know, in lower case; else null. */
function charsetOf(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(contentType);
  const label = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim().toLowerCase();
  // The label travels in a header again.
  if (!/^[a-z0-9._:()+-]+$/.test(label)) return null;
  try {
    new TextDecoder(label);
    return label;
  } catch {
    return null;
  }
}

/** The encoding that a byte order mark declares. The validator does not look for one once it was told a charset. */
function encodingOfMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return null;
}
