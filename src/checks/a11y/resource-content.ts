import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { UNUSED_AFTER_ERROR } from '../../browser/page-load/load-record.ts';
import type { LoadedResource } from '../../domain/loaded-resource.ts';
import { resourceMaxBytes } from './limits.ts';

/** A response, with the names of its headers in lower case. */
export interface ResourceHead {
  readonly type: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that affect how browsers use a response, in addition to its content. */
const COMPARED_HEADERS = [
  'content-type',
  'content-disposition',
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'link',
  'location',
  'permissions-policy',
  'referrer-policy',
  'refresh',
];
/** Types of requests made by scripts, which can also read all other headers. */
const OF_SCRIPTS = new Set(['fetch', 'xhr']);
/** Headers that describe the transfer and its time. */
const TRANSFER_HEADERS =
  /^(?:date|age|expires|etag|server|via|vary|connection|keep-alive|transfer-encoding|content-(?:encoding|length)|accept-ranges|cache-control|alt-svc|x-cache|x-cache-hits|x-served-by|x-timer|x-request-id|cf-ray|cf-cache-status|nel|report-to|set-cookie)$/;
/** Maximum length of the value of a header: longer values are stored as hashes. */
const VALUE_CHARACTERS = 100;
const BINARY =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:font|x-font|octet-stream|wasm|vnd\.ms-fontobject))/i;
const UTF_8 = /;\s*charset\s*=\s*"?utf-?8\b|^application\/(?:[\w.+-]+\+)?json\b/i;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

/** Returns the headers that affect how browsers use a response. */
export function comparedHeaders({ type, headers }: Omit<ResourceHead, 'status'>): Readonly<Record<string, string>> {
  const readable = Object.keys(headers).filter((name) => !TRANSFER_HEADERS.test(name));
  const names = OF_SCRIPTS.has(type) ? readable.toSorted() : COMPARED_HEADERS;
  return Object.fromEntries(
    names.flatMap((name) => {
      // The browser separates repeated headers by line breaks, the HTTP client by commas.
      const value = headers[name]?.trim().replaceAll('\n', ', ');
      return value === undefined ? [] : [[name, value.length > VALUE_CHARACTERS ? sha256(value) : value]];
    }),
  );
}

/** Returns the length of what is stored about a resource. Servers can send headers of any length, and scripts can read them. */
export function storedCharacters(resource: LoadedResource): number {
  return JSON.stringify(resource).length;
}

/** Whether the content of a response has no effect, as in redirects, and in errors that make a resource useless. */
export function isWithoutContent({ type, status }: Pick<ResourceHead, 'type' | 'status'>): boolean {
  return (status >= 300 && status < 400) || (status >= 400 && UNUSED_AFTER_ERROR.has(type));
}

/**
 * Identifies the content of a response as `LoadedResource.content`: the same value means that browsers use it in the same way.
 * Null for content that is too large, and for text whose encoding the browser takes from elsewhere.
 * @param content decoded text in UTF-8 or bytes, as the browser has it; or the bytes that the server sent
 */
export function contentOf({ type, status, headers }: ResourceHead, content: Uint8Array): string | null {
  const contentType = headers['content-type'] ?? '';
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const text = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
  if (status >= 400 && type === 'image' && isHtml(contentType, text)) return '';
  if (bytes.length > resourceMaxBytes) return null;
  const isCertain = BINARY.test(contentType) || UTF_8.test(contentType) || isAscii(text);
  return isCertain ? sha256(text) : null;
}

/** Whether an error page was sent instead of an image. No image format begins like this, unless the type says so. */
function isHtml(contentType: string, text: Buffer): boolean {
  return /^text\/html\b/i.test(contentType) && /^\s*</.test(text.toString('latin1', 0, 1_000));
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
