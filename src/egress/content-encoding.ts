import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { codeOf } from '../platform/errors.ts';
import { HttpFault } from './http-fault.ts';
import { contentEncodingsMax, zstdWindowLogMax } from './limits.ts';

/** What we say in `Accept-Encoding`: everything that `decodeContent` undoes. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

type Decompressor = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzipAsync = promisify(gunzip);
const inflateAsync = promisify(inflate);
const inflateRawAsync = promisify(inflateRaw);
const brotliAsync = promisify(brotliDecompress);
const zstdAsync = promisify(zstdDecompress);

const decompressors: Readonly<Record<string, Decompressor>> = {
  gzip: gunzipAsync,
  'x-gzip': gunzipAsync,
  deflate: (body, options) => (hasZlibHeader(body) ? inflateAsync(body, options) : inflateRawAsync(body, options)),
  br: brotliAsync,
  zstd: (body, options) =>
    zstdAsync(body, { ...options, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
};

/**
 * Undoes the content encodings of a body, the last applied first. Stops as soon as more than `maxBytes` have come out,
 * so that a small body cannot fill the memory.
 *
 * @param contentEncoding the header's value, or an empty string
 * @throws HttpFault `body_too_large`, or `body_undecodable` when the encoding is unknown or the body broken
 */
export async function decodeContent(body: Uint8Array, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const encodings = contentEncoding
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  if (encodings.length > contentEncodingsMax) throw new HttpFault('body_undecodable');
  let decoded = body;
  for (const encoding of encodings.reverse()) {
    const decompress = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined;
    if (decompress === undefined) throw new HttpFault('body_undecodable');
    // Servers send empty bodies with an encoding's name; browsers take them for empty pages.
    if (decoded.byteLength === 0) return decoded;
    decoded = await decompress(decoded, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      throw new HttpFault(isTooLarge(error) ? 'body_too_large' : 'body_undecodable', { cause: error });
    });
  }
  return decoded;
}

/** `deflate` means the zlib format (RFC 9110, 8.4.1.2), yet some servers send the raw one, and browsers take both. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
}
