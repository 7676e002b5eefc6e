import { Parser } from 'htmlparser2';
import { urlMaxCharacters } from './limits.ts';

/** Takes the text of a sitemap piece by piece and hands on what it finds. */
export interface UrlReader {
  write(text: string): void;
  /** What is left counts too: a last line without an end. */
  end(): void;
}

/** What becomes of what a reader finds. */
export interface Findings {
  /** Gets each URL as it stands there. */
  add(raw: string): void;
  /** Gets what is wrong with the sitemap. Reading goes on all the same. */
  tell(fault: FaultInSitemap): void;
}

/** What is wrong with a sitemap, without how much of it was read. */
export type FaultInSitemap =
  | { readonly code: 'sitemap_xml_broken' | 'sitemap_too_deep'; readonly line: number }
  | { readonly code: 'sitemap_too_large'; readonly mebibytes: number }
  | { readonly code: 'sitemap_gzip_broken' };

/** A sitemap that cannot be read on. */
export class SitemapFault extends Error {
  override readonly name = 'SitemapFault';
  readonly fault: FaultInSitemap;

  constructor(fault: FaultInSitemap, options?: { cause?: unknown }) {
    super(fault.code, options);
    this.fault = fault;
  }
}

/** Elements nested deeper than any sitemap or feed has them. */
const elementDepthMax = 64;
/** Characters of a location that are kept, white space around it included. One that is longer is no URL of ours. */
const locationMaxCharacters = 2 * urlMaxCharacters;

/** Which element names the URL of which entry, by local name: sitemap, sitemap index, RSS, Atom. */
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

/** Reads XML sitemaps and feeds, whatever prefixes they use. `<image:loc>` and the like are of no vocabulary of ours. */
export function readXmlSitemap({ add, tell }: Findings): UrlReader {
  const open: Name[] = [];
  const lines = createLineCounter();
  let isBroken = false;
  let hasEnded = false;
  let location: string | null = null;
  let hasPageLink = false;
  let openedAt = 0;
  const line = (): number => lines.at(parser.startIndex);
  const noteBreak = (): void => {
    if (!isBroken) tell({ code: 'sitemap_xml_broken', line: line() });
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
        // The parser says so of elements that close themselves, too, before it goes on.
        const isMissing = isImplied && parser.startIndex > openedAt;
        if (isMissing) noteBreak();
        const name = open.pop() ?? NOTHING_OPEN;
        hasEnded = open.length === 0;
        if (location === null || !namesLocation(open.at(-1) ?? NOTHING_OPEN, name)) return;
        // What has no end may be cut off, or run together with what follows.
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
      // A tag that is cut off opens nothing.
      if (!hasEnded) noteBreak();
    },
  };
}

function nameOf(tag: string): Name {
  const localStart = tag.indexOf(':') + 1;
  return { prefix: tag.slice(0, localStart), local: tag.slice(localStart).toLowerCase() };
}

interface LineCounter {
  /** Takes the next piece of the text. */
  take(piece: string): void;
  /** The line, from 1, of a place in the text. One before the last piece counts as the beginning of that. */
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

/** Atom: the entry itself, not an enclosure or the address for editing it (RFC 4287, 4.2.7.2). */
function isPageLink(link: Readonly<Record<string, string>>): boolean {
  const { rel = 'alternate', type = 'text/html' } = link;
  return rel === 'alternate' && /^(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Reads texts with a URL a line; other lines are passed over. */
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
