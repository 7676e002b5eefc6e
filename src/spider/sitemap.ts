import { createGunzip } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { FetchedDocument } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { Sitemap } from '../domain/fetched-page.ts';
import { nextTurn } from '../platform/slices.ts';
import { declaredEncoding } from './decode-document.ts';
import { discoveredTextMaxBytes, sitemapMaxBytes, urlMaxCharacters } from './limits.ts';
import { normaliseUrl } from './url.ts';

/** Relative URLs in the sitemap are resolved against its own URL. */
export type SitemapSource = Pick<FetchedDocument, 'url' | 'contentType' | 'body'>;

/** How much of a sitemap to read. */
export interface SitemapLimit {
  /** URLs to read; the rest is ignored. */
  readonly urlsMax: number;
  /** Whether a normalized URL counts toward `urlsMax`. Up to `urlsMax` other URLs are read in addition. */
  readonly counts: (url: string) => boolean;
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
 * Reads a sitemap (sitemaps.org): XML, an index, RSS or Atom, or text with one URL per line; gzipped or not. The content
 * determines the format, because servers send many content types. For a broken sitemap, the readable part is returned.
 *
 * @returns null if the body is not a sitemap
 */
export async function readSitemap(source: SitemapSource, { urlsMax, counts }: SitemapLimit): Promise<Sitemap | null> {
  const urls = new Set<string>();
  const wanted = createUrlBudget(urlsMax);
  const others = createUrlBudget(urlsMax);
  let problem: Failure | null = null;
  const findings: Findings = {
    add(raw) {
      const url = raw.trim() === '' || wanted.isFull() ? null : normaliseUrl(raw.trim(), source.url);
      if (url === null || urls.has(url)) return;
      const budget = counts(url) ? wanted : others;
      if (budget.isFull()) return;
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
      if (wanted.isFull()) break;
      await nextTurn();
    }
    if (!wanted.isFull()) reading?.reader.end();
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

/** Returns what the root element of an XML sitemap lists; null if the text is not a sitemap. */
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
  // End the input only after the output has been read: the error for a missing end would discard the rest.
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

/** Reads the text of a sitemap in pieces. */
interface UrlReader {
  write(text: string): void;
  /** Reads the rest, such as a last line without a line break. */
  end(): void;
}

/** Receives the results of a reader. */
interface Findings {
  /** Called with each unresolved URL. */
  add(raw: string): void;
  /** Called with each fault of the sitemap. Reading continues. */
  report(fault: FaultInSitemap): void;
}

/** A fault of a sitemap. */
type FaultInSitemap =
  | { readonly code: 'sitemap_xml_broken' | 'sitemap_too_deep'; readonly line: number }
  | { readonly code: 'sitemap_too_large'; readonly mebibytes: number }
  | { readonly code: 'sitemap_gzip_broken' };

/** A fault after which the rest of a sitemap cannot be read. */
class SitemapFault extends Error {
  override readonly name = 'SitemapFault';
  readonly fault: FaultInSitemap;

  constructor(fault: FaultInSitemap, options?: { cause?: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}

/** The greatest depth of elements: more than any real sitemap or feed has. */
const elementDepthMax = 64;
/** Characters of a location that are kept, with surrounding white space. Longer locations give no valid URL. */
const locationMaxCharacters = 2 * urlMaxCharacters;

/** The element that contains the URL of an entry, by local names: sitemap, sitemap index, RSS, Atom. */
const LOCATIONS: ReadonlyMap<string, string> = new Map([
  ['url', 'loc'],
  ['sitemap', 'loc'],
  ['item', 'link'],
  ['entry', 'link'],
]);

/** An element's name: the prefix with its colon, empty without one, and the local name in lower case. */
interface Name {
  readonly prefix: string;
  readonly local: string;
}

const NOTHING_OPEN: Name = { prefix: '', local: '' };

/** Reads XML sitemaps and feeds with any prefixes. Extensions such as `<image:loc>` are ignored. */
function readXmlSitemap({ add, report }: Findings): UrlReader {
  const open: Name[] = [];
  const lines = createLineCounter();
  let isBroken = false;
  let hasEnded = false;
  let location: string | null = null;
  let hasPageLink = false;
  let openedAt = 0;
  const line = (): number => lines.at(parser.startIndex);
  const noteBreak = (): void => {
    if (!isBroken) report({ code: 'sitemap_xml_broken', line: line() });
    isBroken = true;
  };
  const namesLocation = (parent: Name, { prefix, local }: Name): boolean =>
    LOCATIONS.get(parent.local) === local && parent.prefix === prefix;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = nameOf(tag);
        const parent = open.at(-1) ?? NOTHING_OPEN;
        open.push(name);
        openedAt = parser.startIndex;
        if (open.length > elementDepthMax) throw new SitemapFault({ code: 'sitemap_too_deep', line: line() });
        if (LOCATIONS.has(name.local)) hasPageLink = false;
        if (!namesLocation(parent, name)) return;
        if (parent.local !== 'entry') location = '';
        else if (!hasPageLink && isPageLink(attributes)) {
          hasPageLink = true;
          add(attributes['href'] ?? '');
        }
      },
      ontext(text) {
        if (location !== null && location.length <= locationMaxCharacters) location += text;
      },
      onclosetag(_tag, isImplied) {
        // The parser also implies the end of self-closing elements, but before it advances.
        const isMissing = isImplied && parser.startIndex > openedAt;
        if (isMissing) noteBreak();
        const name = open.pop() ?? NOTHING_OPEN;
        hasEnded = open.length === 0;
        if (location === null || !namesLocation(open.at(-1) ?? NOTHING_OPEN, name)) return;
        // A location without an end tag may be cut off, or contain what follows.
        if (!isMissing) add(location);
        location = null;
      },
    },
    { xmlMode: true },
  );
  return {
    write(text) {
      lines.take(text);
      parser.write(text);
    },
    end() {
      parser.end();
      // A tag that is cut off opens no element.
      if (!hasEnded) noteBreak();
    },
  };
}

function nameOf(tag: string): Name {
  const localStart = tag.indexOf(':') + 1;
  return { prefix: tag.slice(0, localStart), local: tag.slice(localStart).toLowerCase() };
}

interface LineCounter {
  /** Adds the next piece of the text. */
  take(piece: string): void;
  /** Returns the line, from 1, of an index of the text. An index before the last piece counts as its beginning. */
  at(index: number): number;
}

function createLineCounter(): LineCounter {
  let piece = '';
  let pieceStart = 0;
  let linesBefore = 0;
  const endsIn = (text: string): number => text.split('\n').length - 1;
  return {
    take(next) {
      pieceStart += piece.length;
      linesBefore += endsIn(piece);
      piece = next;
    },
    at: (index) => 1 + linesBefore + endsIn(piece.slice(0, Math.max(0, index - pieceStart))),
  };
}

/** Whether an Atom link leads to the entry itself, not to an enclosure or to its editing URL (RFC 4287, 4.2.7.2). */
function isPageLink(link: Readonly<Record<string, string>>): boolean {
  const { rel = 'alternate', type = 'text/html' } = link;
  return rel === 'alternate' && /^(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Reads text with one URL per line, and ignores other lines. */
function readUrlList({ add }: Pick<Findings, 'add'>): UrlReader {
  let rest = '';
  const take = (line: string): void => {
    if (/^\s*https?:\/\//i.test(line)) add(line);
  };
  return {
    write(text) {
      const lines = (rest + text).split(/[\r\n]/);
      rest = (lines.pop() ?? '').slice(0, locationMaxCharacters);
      lines.forEach(take);
    },
    end: () => take(rest),
  };
}
