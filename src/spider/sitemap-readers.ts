import { Parser } from 'htmlparser2';
import { urlMaxCharacters } from './limits.ts';

/** Reads the text of a sitemap in pieces. */
export interface UrlReader {
  write(text: string): void;
  /** Reads what is left, such as a last line without a line break. */
  end(): void;
}

/** Receives what a reader finds. */
export interface Findings {
  /** Called with each unresolved URL. */
  add(raw: string): void;
  /** Called with each fault of the sitemap. Reading continues. */
  report(fault: FaultInSitemap): void;
}

/** A fault of a sitemap. */
export type FaultInSitemap =
  | { readonly code: 'sitemap_xml_broken' | 'sitemap_too_deep'; readonly line: number }
  | { readonly code: 'sitemap_too_large'; readonly mebibytes: number }
  | { readonly code: 'sitemap_gzip_broken' };

/** A fault after which the rest of a sitemap cannot be read. */
export class SitemapFault extends Error {
  override readonly name = 'SitemapFault';
  readonly fault: FaultInSitemap;

  constructor(fault: FaultInSitemap, options?: { cause?: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}

/** The greatest depth of elements: more than any real sitemap or feed has. */
const elementDepthMax = 64;
/** Characters of a location that are kept, with surrounding white space. Longer ones give no valid URL. */
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

/** Reads XML sitemaps and feeds, whatever prefixes they use. Extensions such as `<image:loc>` are ignored. */
export function readXmlSitemap({ add, report }: Findings): UrlReader {
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

/** Reads texts with one URL per line, and ignores other lines. */
export function readUrlList({ add }: Pick<Findings, 'add'>): UrlReader {
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
