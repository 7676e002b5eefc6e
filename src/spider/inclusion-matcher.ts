import { encodedPath, withoutScheme } from './exclusion-matcher.ts';
import { normaliseUrl } from './url.ts';

/**
 * Reads the inclusions of a report, and returns whether a normalized URL matches at least one of them. Without inclusions, every URL
 * does. An absolute http(s) URL matches every URL that starts with it, under both http and https. Anything else is the beginning of a
 * path and query, case-sensitive, written as in the address bar (`/über/`) or encoded (`/%C3%BCber/`). An inclusion that ends with a
 * slash also matches the folder itself: `/shop/` matches `/shop` and `/shop?page=2`, but not `/shopping`. There are no wildcards.
 */
export function createInclusions(entries: readonly string[]): (url: string) => boolean {
  const matchers = entries
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(matcherOf);
  return (url) => {
    if (matchers.length === 0) return true;
    const address = withoutScheme(url);
    const pathAndQuery = address.slice(address.indexOf('/'));
    return matchers.some((matches) => matches(address, pathAndQuery));
  };
}

function matcherOf(entry: string): (address: string, pathAndQuery: string) => boolean {
  const absolute = /^https?:\/\//i.test(entry) ? normaliseUrl(entry) : null;
  if (absolute !== null) {
    const begins = beginsWith(withoutScheme(absolute));
    return (address) => begins(address);
  }
  const asEntered = beginsWith(entry);
  const encoded = beginsWith(encodedPath(entry));
  return (_, pathAndQuery) => asEntered(pathAndQuery) || encoded(pathAndQuery);
}

function beginsWith(prefix: string): (text: string) => boolean {
  // A site often links to a folder without the slash.
  const folder = prefix.endsWith('/') && !prefix.includes('?') ? prefix.slice(0, -1) : null;
  return (text) => text.startsWith(prefix) || (folder !== null && (text === folder || text.startsWith(`${folder}?`)));
}

/**
 * Returns what is wrong with an inclusion, worded to follow it; null if nothing is. An inclusion that matches nothing would leave a
 * report without pages, so mistakes are refused that exclusions allow.
 */
export function inclusionProblem(entry: string): string | null {
  if (!/^(?:\/|https?:\/\/)/i.test(entry)) return 'must begin with /, http:// or https://';
  if (entry.includes('#')) return 'must not contain #: URLs that differ only after it are the same page';
  if (entry.endsWith('*')) return 'must not end with *: everything that begins with an inclusion matches';
  return entry.startsWith('/') || normaliseUrl(entry) !== null ? null : 'has invalid format';
}
