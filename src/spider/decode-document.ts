import { isUtf8 } from 'node:buffer';

/** Bytes at the start of a document in which it may name its encoding (HTML Standard, "prescan a byte stream"). */
const prescanBytes = 1_024;

/**
 * Decodes an HTML document. The encoding is determined in the order of the HTML Standard: byte order mark, the charset of
 * the `Content-Type` header, a `meta` element in the first 1,024 bytes. Without any of them, it is UTF-8 if the bytes are
 * valid UTF-8, else windows-1252.
 */
export function decodeDocument(body: Uint8Array, contentType: string): string {
  return new TextDecoder(encodingOf(body, contentType)).decode(body);
}

/** Returns the encoding with which `decodeDocument` decodes a document, as the Encoding Standard names it. */
export function encodingOf(body: Uint8Array, contentType: string): string {
  return declaredEncoding(body, contentType) ?? (isUtf8(body) ? 'utf-8' : 'windows-1252');
}

/** Whether browsers parse a document as XML. */
export function isXhtml(contentType: string): boolean {
  return contentType.trimStart().toLowerCase().startsWith('application/xhtml+xml');
}

/** Whether a body is an HTML or XHTML document. Without a valid type, the content decides. */
export function isHtmlDocument(body: Uint8Array, contentType: string): boolean {
  const kind = mediaKind(contentType);
  return kind === 'html' || (kind === 'unknown' && looksLikeHtml(body));
}

/** Whether a response with a content type may be an HTML or XHTML document. */
export function mayBeHtml(contentType: string): boolean {
  return mediaKind(contentType) !== 'other';
}

/** `unknown` is a missing or invalid type, for which the content decides. */
function mediaKind(contentType: string): 'html' | 'other' | 'unknown' {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html';
  return /^[^/\s]+\/[^/\s]+$/.test(essence) ? 'other' : 'unknown';
}

/**
 * Whether bytes without a usable `Content-Type` are HTML (MIME Sniffing Standard, 7.1): after white space, one of the
 * tags that documents begin with, or a comment.
 */
function looksLikeHtml(body: Uint8Array): boolean {
  const bytes = byteOrderMark(body) === 'utf-8' ? body.subarray(3) : body;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, sniffedBytes));
  return htmlStart.test(start.toString('latin1'));
}

/** The "resource header" of the standard. */
const sniffedBytes = 1_445;

const htmlStart =
  /^[\t\n\f\r ]*(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;

/** Returns the encoding that the byte order mark, the `Content-Type` header or the document names; null without one. */
export function declaredEncoding(body: Uint8Array, contentType: string): string | null {
  return byteOrderMark(body) ?? known(charsetOf(contentType)) ?? known(encodingInDocument(body));
}

function byteOrderMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return null;
}

/** The `charset` parameter of a Content-Type, or null. */
function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(contentType)?.slice(1).find(Boolean) ?? null;
}

function encodingInDocument(body: Uint8Array): string | null {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, prescanBytes)).toString('latin1');
  if (start.startsWith('<\0?\0x\0')) return 'utf-16le';
  if (start.startsWith('\0<\0?\0x')) return 'utf-16be';
  const text = start.replace(/<!--.*?-->/gs, '');
  for (const [tag] of text.matchAll(/<meta[\s/][^>]*/gi)) {
    const isDeclaration = /[\s/"']charset\s*=/i.test(tag) || /http-equiv\s*=\s*["']?content-type/i.test(tag);
    const label = isDeclaration ? /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(tag)?.[1] : undefined;
    if (label !== undefined) return readableEncoding(label.toLowerCase());
  }
  const declared = /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']+)/.exec(text)?.[1];
  return declared === undefined ? null : readableEncoding(declared.toLowerCase());
}

/** A declaration that is readable as ASCII is not in UTF-16, regardless of its claim (HTML Standard, prescan, last steps). */
function readableEncoding(label: string): string {
  if (/^(utf-?16(le|be)?|ucs-2|unicode|csunicode|iso-10646-ucs-2|unicodefeff|unicodefffe)$/.test(label)) return 'utf-8';
  return label === 'x-user-defined' ? 'windows-1252' : label;
}

/** Returns the encoding of the Encoding Standard that a label names, or null. */
function known(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
