/**
 * Whether bytes without a usable `Content-Type` are HTML (MIME Sniffing Standard, 7.1): after white space, one of the
 * tags that documents begin with, or a comment.
 */
export function looksLikeHtml(body: Uint8Array): boolean {
  const bytes = hasUtf8Mark(body) ? body.subarray(3) : body;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, sniffedBytes));
  return htmlStart.test(start.toString('latin1'));
}

/** The "resource header" of the standard. */
const sniffedBytes = 1_445;

const htmlStart =
  /^[\t\n\f\r ]*(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])/i;

function hasUtf8Mark(body: Uint8Array): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}
