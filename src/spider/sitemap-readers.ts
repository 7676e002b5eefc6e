import { Parser } from 'htmlparser2';
import { urlMaxCharacters } from './limits.ts';
import { SitemapFault } from './sitemap-fault.ts';

/** Takes the text of a sitemap piece by piece and hands on the URLs as they stand there. */
export interface UrlReader {
  write(text: string): void;
  /** What is left counts too: a last line without an end. */
  end(): void;
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

/** Reads XML sitemaps and feeds, whatever prefixes they use. `<image:loc>` and the like stand in no entry of ours. */
export function readXmlSitemap(add: (raw: string) => void): UrlReader {
  /** Local names of the open elements. */
  const open: string[] = [];
  let location: string | null = null;
  let hasPageLink = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const tag = name.slice(name.indexOf(':') + 1).toLowerCase();
        const parent = open.at(-1) ?? '';
        open.push(tag);
        if (open.length > elementDepthMax) throw new SitemapFault("The sitemap's elements are nested too deep");
        if (LOCATIONS.has(tag)) hasPageLink = false;
        if (LOCATIONS.get(parent) !== tag) return;
        if (parent !== 'entry') location = '';
        else if (!hasPageLink && isPageLink(attributes)) {
          hasPageLink = true;
          add(attributes['href'] ?? '');
        }
      },
      ontext(text) {
        if (location !== null && location.length <= locationMaxCharacters) location += text;
      },
      onclosetag() {
        if (location !== null && LOCATIONS.get(open.at(-2) ?? '') === open.at(-1)) {
          add(location);
          location = null;
        }
        open.pop();
      },
    },
    { xmlMode: true },
  );
  return { write: (text) => parser.write(text), end: () => parser.end() };
}

/** Atom: the entry itself, not an enclosure or the address for editing it (RFC 4287, 4.2.7.2). */
function isPageLink(link: Readonly<Record<string, string>>): boolean {
  const { rel = 'alternate', type = 'text/html' } = link;
  return rel === 'alternate' && /^(text\/html|application\/xhtml\+xml)\b/i.test(type);
}

/** Reads texts with a URL a line; other lines are passed over. */
export function readUrlList(add: (raw: string) => void): UrlReader {
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
