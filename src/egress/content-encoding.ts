import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { codeOf } from '../platform/errors.ts';
import { HttpFault } from './http-fault.ts';
import { contentEncodingsMax, zstdWindowLogMax } from './limits.ts';

/** The value of `Accept-Encoding`: the encodings that `decodeContent` supports. */
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
 * Decodes the content encodings of a body, the last applied one first. Stops after `maxBytes`, so that a small body cannot fill the
 * memory.
 * @param contentEncoding the value of the header, or an empty string
 * @throws HttpFault `body_too_large`; `body_undecodable` when the encoding is unknown or the body invalid
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
    // Like browsers, accept empty bodies with an encoding as empty pages.
    if (decoded.byteLength === 0) return decoded;
    decoded = await decompress(decoded, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      throw new HttpFault(isTooLarge(error) ? 'body_too_large' : 'body_undecodable', { cause: error });
    });
  }
  return decoded;
}

/** `deflate` means the zlib format (RFC 9110, section 8.4.1.2). Some servers send raw deflate, and browsers accept both. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function isTooLarge(error: unknown): boolean {
  return codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
}
