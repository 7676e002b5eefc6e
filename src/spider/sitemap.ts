import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { declaredEncoding } from './decode-document.ts';
import { sitemapMaxBytes } from './limits.ts';
import { SitemapFault } from './sitemap-fault.ts';
import { readUrlList, readXmlSitemap, type UrlReader } from './sitemap-readers.ts';
import { normaliseUrl } from './url.ts';
import { createUrlRoom } from './url-room.ts';

/** What a sitemap lists: pages, or further sitemaps. Normalised URLs in document order, each once. */
export interface Sitemap {
  readonly lists: 'pages' | 'sitemaps';
  readonly urls: readonly string[];
}

export interface SitemapSource {
  /** Where it was found; relative URLs in it are resolved against this. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Bytes at the start that tell what a body is: room for a long comment before the root element. */
const sniffedBytes = 4_096;
/** Bytes read in one go, so that a large sitemap does not hold up everything else in this process. */
const sliceBytes = 256 * 1_024;

/** Root elements, by local name, of the sitemap protocol and of the feeds that it allows as sitemaps. */
const ROOTS: ReadonlyMap<string, Sitemap['lists']> = new Map([
  ['urlset', 'pages'],
  ['sitemapindex', 'sitemaps'],
  ['rss', 'pages'],
  ['rdf', 'pages'],
  ['feed', 'pages'],
]);

/**
 * Reads a sitemap (sitemaps.org): XML, an index, RSS or Atom, or a text with a URL a line; gzipped or not. The content
 * tells which it is, since servers name all sorts of types. Broken XML gives what can be read of it.
 *
 * @param urlsMax URLs that are wanted; the rest is not read
 * @returns null when the body is nothing of the kind
 * @throws SitemapFault when it is too large, nested too deep, or its compression is broken
 */
export async function readSitemap(source: SitemapSource, urlsMax: number): Promise<Sitemap | null> {
  const urls = new Set<string>();
  const room = createUrlRoom(urlsMax);
  const add = (raw: string): void => {
    const url = raw.trim() === '' || room.isFull() ? null : normaliseUrl(raw.trim(), source.url);
    if (url === null || urls.has(url)) return;
    urls.add(url);
    room.take(url);
  };
  let reading: { readonly decoder: TextDecoder; readonly reader: UrlReader; readonly lists: Sitemap['lists'] } | null =
    null;
  for await (const slice of slicesOf(source.body)) {
    if (reading === null) {
      const text = textOf(slice.subarray(0, sniffedBytes), source.contentType);
      const lists = rootOf(text) ?? (isUrlList(text) ? 'pages' : null);
      if (lists === null) return null;
      const decoder = new TextDecoder(declaredEncoding(slice, source.contentType) ?? 'utf-8');
      reading = { decoder, lists, reader: rootOf(text) === null ? readUrlList(add) : readXmlSitemap(add) };
    }
    reading.reader.write(reading.decoder.decode(slice, { stream: true }));
    if (room.isFull()) break;
    await nextTurn();
  }
  reading?.reader.end();
  return reading === null ? null : { lists: reading.lists, urls: [...urls] };
}

/** Whether a body that its server calls HTML is an XML sitemap all the same. */
export function isSitemapCalledHtml(body: Uint8Array, contentType: string): boolean {
  return rootOf(textOf(body.subarray(0, sniffedBytes), contentType)) !== null;
}

function textOf(start: Uint8Array, contentType: string): string {
  return new TextDecoder(declaredEncoding(start, contentType) ?? 'utf-8').decode(start);
}

/** What the root element of an XML sitemap lists; null when the text is no sitemap. */
function rootOf(text: string): Sitemap['lists'] | null {
  const prolog = /^(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?[^>]*>)*/is.exec(text)?.[0] ?? '';
  const root = /^<(?:[\w.-]+:)?([a-z]+)[\s/>]/i.exec(text.slice(prolog.length))?.[1]?.toLowerCase();
  return (root === undefined ? undefined : ROOTS.get(root)) ?? null;
}

function isUrlList(text: string): boolean {
  return /^\s*https?:\/\/[^\s<]+\s*?(?:[\r\n]|$)/i.test(text);
}

/** The body in slices; decompressed where it is a gzip file. */
async function* slicesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  let bytes = 0;
  for await (const slice of isGzip ? decompressed(body) : cut(body)) {
    bytes += slice.byteLength;
    if (bytes > sitemapMaxBytes)
      throw new SitemapFault(`The sitemap is larger than ${sitemapMaxBytes / 1_048_576} MiB`);
    yield slice;
  }
}

function* cut(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += sliceBytes) yield body.subarray(start, start + sliceBytes);
}

async function* decompressed(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: sliceBytes });
  gunzip.end(body);
  try {
    yield* gunzip;
  } catch (cause) {
    throw new SitemapFault("The sitemap's gzip compression is broken", { cause });
  }
}
