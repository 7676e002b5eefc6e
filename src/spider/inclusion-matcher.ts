import { encodedPath, withoutScheme } from './exclusion-matcher.ts';
import { normaliseUrl } from './url.ts';

/**
 * Reads the inclusions of a report, and returns whether a normalized URL matches at least one of them. Without inclusions,
 * every URL does. An absolute http(s) URL matches every URL that starts with it, under both http and https. Anything else is
 * the beginning of a path and query, case-sensitive, written as in the address bar (`/über/`) or encoded (`/%C3%BCber/`). An
 * inclusion that ends with a slash also matches the folder itself: `/shop/` matches `/shop` and `/shop?page=2`, but not
 * `/shopping`. There are no wildcards.
 */
export function createInclusions(entries: readonly string[]): (url: string) => boolean {
  const given = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  if (given.length === 0) return () => true;
  const absolute = given.flatMap((entry) => addressOf(entry) ?? []);
  const paths = given.filter((entry) => addressOf(entry) === null);
  const isIncludedAddress = createPrefixMatcher(absolute);
  const isIncludedPath = createPrefixMatcher(paths.flatMap((entry) => [entry, encodedPath(entry)]));
  return (url) => {
    const address = withoutScheme(url);
    return isIncludedPath(address.slice(address.indexOf('/'))) || isIncludedAddress(address);
  };
}

/** Returns an absolute URL without its scheme; null for a path. */
function addressOf(entry: string): string | null {
  const url = /^https?:\/\//i.test(entry) ? normaliseUrl(entry) : null;
  return url === null ? null : withoutScheme(url);
}

/**
 * Returns a function that determines whether a string begins with any of the prefixes, in logarithmic time: a page can have
 * 10,000 links, and a report 1,000 inclusions.
 */
function createPrefixMatcher(entries: readonly string[]): (text: string) => boolean {
  // A site often links to a folder without the slash.
  const folders = entries
    .filter((entry) => entry.endsWith('/') && !entry.includes('?'))
    .map((entry) => entry.slice(0, -1));
  const exact = new Set(folders);
  const prefixes: string[] = [];
  // No prefix begins with another, so a string can only begin with the last prefix that sorts before it.
  for (const prefix of [...entries, ...folders.map((folder) => `${folder}?`)].sort(byCodeUnits)) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  return (text) => {
    let [from, to] = [0, prefixes.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((prefixes[middle] ?? '') <= text) from = middle + 1;
      else to = middle;
    }
    const last = prefixes[from - 1];
    return (last !== undefined && text.startsWith(last)) || exact.has(text);
  };
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns what is wrong with an inclusion, worded to follow it; null if nothing is. An inclusion that matches nothing would leave
 * a report without pages, so mistakes that exclusions allow are refused here.
 */
export function inclusionProblem(entry: string): string | null {
  if (!/^(?:\/|https?:\/\/)/i.test(entry)) return 'must begin with /, http:// or https://';
  if (entry.includes('#')) return 'must not contain #: URLs that differ only after it are the same page';
  if (entry.endsWith('*')) return 'must not end with *: everything that begins with an inclusion matches';
  return entry.startsWith('/') || normaliseUrl(entry) !== null ? null : 'has invalid format';
}
