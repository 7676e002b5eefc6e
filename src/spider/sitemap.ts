import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Failure } from '../domain/failures/failure.ts';
import type { Sitemap } from '../domain/fetched-page.ts';
import { declaredEncoding } from './decode-document.ts';
import { discoveredTextMaxBytes, sitemapMaxBytes } from './limits.ts';
import {
  type FaultInSitemap,
  type Findings,
  readUrlList,
  readXmlSitemap,
  SitemapFault,
  type UrlReader,
} from './sitemap-readers.ts';
import { normaliseUrl } from './url.ts';

export interface SitemapSource {
  /** Its URL, against which relative URLs in it are resolved. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Bytes at the start that determine the kind of a body. A long comment may precede the root element. */
const sniffedBytes = 4_096;
/** Bytes read at a time, so that a large sitemap does not block the process. */
const sliceBytes = 256 * 1_024;

/** The root elements, by local name, of sitemaps and of the feeds that the protocol allows as sitemaps. */
const ROOTS: ReadonlyMap<string, Sitemap['lists']> = new Map([
  ['urlset', 'pages'],
  ['sitemapindex', 'sitemaps'],
  ['rss', 'pages'],
  ['rdf', 'pages'],
  ['feed', 'pages'],
]);

/**
 * Reads a sitemap (sitemaps.org): XML, an index, RSS or Atom, or a text with one URL per line; gzipped or not. The content
 * determines the format, because servers send many content types. What can be read of a broken sitemap is returned.
 *
 * @param urlsMax URLs to read; the rest is ignored
 * @returns null if the body is no sitemap
 */
export async function readSitemap(source: SitemapSource, urlsMax: number): Promise<Sitemap | null> {
  const urls = new Set<string>();
  const budget = createUrlBudget(urlsMax);
  let problem: Failure | null = null;
  const findings: Findings = {
    add(raw) {
      const url = raw.trim() === '' || budget.isFull() ? null : normaliseUrl(raw.trim(), source.url);
      if (url === null || urls.has(url)) return;
      urls.add(url);
      budget.take(url);
    },
    report(fault) {
      problem ??= failureAfter(urls.size, fault);
    },
  };
  let reading: Reading | null = null;
  try {
    for await (const slice of slicesOf(source.body)) {
      reading ??= beginReading(slice, source.contentType, findings);
      if (reading === null) return null;
      reading.reader.write(reading.decoder.decode(slice, { stream: true }));
      if (budget.isFull()) break;
      await nextTurn();
    }
    if (!budget.isFull()) reading?.reader.end();
  } catch (error) {
    if (!(error instanceof SitemapFault)) throw error;
    findings.report(error.fault);
  }
  if (reading === null && problem === null) return null;
  return { lists: reading?.lists ?? 'pages', urls: [...urls], problem };
}

function failureAfter(urls: number, fault: FaultInSitemap): Failure {
  switch (fault.code) {
    case 'sitemap_too_large':
      return { code: fault.code, params: { mebibytes: fault.mebibytes, urls } };
    case 'sitemap_gzip_broken':
      return { code: fault.code, params: { urls } };
    default:
      return { code: fault.code, params: { line: fault.line, urls } };
  }
}

/** A sitemap that is being read. */
interface Reading {
  readonly lists: Sitemap['lists'];
  readonly decoder: TextDecoder;
  readonly reader: UrlReader;
}

/** @returns null if it does not begin like a sitemap */
function beginReading(start: Uint8Array, contentType: string, findings: Findings): Reading | null {
  const text = textOf(start.subarray(0, sniffedBytes), contentType);
  const decoder = new TextDecoder(declaredEncoding(start, contentType) ?? 'utf-8');
  const lists = rootOf(text);
  if (lists !== null) return { lists, decoder, reader: readXmlSitemap(findings) };
  return isUrlList(text) ? { lists: 'pages', decoder, reader: readUrlList(findings) } : null;
}

/** Whether a body with the content type of HTML is a sitemap. */
export function isSitemapCalledHtml(body: Uint8Array, contentType: string): boolean {
  const text = textOf(body.subarray(0, sniffedBytes), contentType);
  return isGzip(body) || rootOf(text) !== null || (isUrlList(text) && !text.includes('<'));
}

function textOf(start: Uint8Array, contentType: string): string {
  return new TextDecoder(declaredEncoding(start, contentType) ?? 'utf-8').decode(start);
}

/** Returns what the root element of an XML sitemap lists; null if the text is no sitemap. */
function rootOf(text: string): Sitemap['lists'] | null {
  const prolog = /^(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\][^>]*)?>)*/is.exec(text)?.[0] ?? '';
  const root = /^<(?:[\w.-]+:)?([a-z]+)[\s/>]/i.exec(text.slice(prolog.length))?.[1]?.toLowerCase();
  return (root === undefined ? undefined : ROOTS.get(root)) ?? null;
}

function isUrlList(text: string): boolean {
  return /^\s*https?:\/\/[^\s<]+\s*?(?:[\r\n]|$)/i.test(text);
}

function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** Yields the body in slices, decompressed if it is a gzip file. */
async function* slicesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const slice of isGzip(body) ? decompressed(body) : cut(body)) {
    bytes += slice.byteLength;
    if (bytes > sitemapMaxBytes)
      throw new SitemapFault({ code: 'sitemap_too_large', mebibytes: sitemapMaxBytes / 1_048_576 });
    yield slice;
  }
}

function* cut(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += sliceBytes) yield body.subarray(start, start + sliceBytes);
}

async function* decompressed(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: sliceBytes });
  // End the input only after its output was read: the error for a missing end would discard the rest.
  const endWhenTaken = (): void => {
    if (gunzip.writableLength === 0 && gunzip.readableLength === 0) gunzip.end();
  };
  gunzip.write(body, endWhenTaken);
  try {
    for await (const slice of gunzip) {
      yield slice;
      endWhenTaken();
    }
  } catch (cause) {
    throw new SitemapFault({ code: 'sitemap_gzip_broken' }, { cause });
  }
}

/** Limits the URLs of one or more sitemaps to what a report can keep. */
interface UrlBudget {
  isFull(): boolean;
  take(url: string): void;
}

export function createUrlBudget(urlsMax: number): UrlBudget {
  let urls = 0;
  let textBytes = 0;
  return {
    isFull: () => urls >= urlsMax || textBytes >= discoveredTextMaxBytes,
    take(url) {
      urls += 1;
      textBytes += url.length;
    },
  };
}
