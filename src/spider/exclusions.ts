import { normaliseUrl } from './url.ts';

export interface Exclusions {
  /** Whether the spider skips this normalised URL. */
  excludes(url: string): boolean;
}

/**
 * "URLs or partial paths the spider skips". An absolute http(s) URL excludes itself and every URL that starts with it,
 * whether by http or https, since both are one site. Anything else is a partial path: it excludes the URLs whose path
 * and query contain it, case-sensitively, written as in the address bar (`/über/`) or encoded (`/%C3%BCber/`). Every
 * character is literal, there are no wildcards. Entries are trimmed; empty ones exclude nothing.
 */
export function createExclusions(entries: readonly string[]): Exclusions {
  const prefixes: string[] = [];
  const partials: string[] = [];
  for (const entry of entries.map((entry) => entry.trim())) {
    if (entry === '') continue;
    const absolute = /^https?:\/\//i.test(entry) ? normaliseUrl(entry) : null;
    if (absolute === null) partials.push(entry, percentEncoded(entry));
    else prefixes.push(withoutScheme(absolute));
  }
  return {
    excludes(url) {
      const address = withoutScheme(url);
      if (prefixes.some((prefix) => address.startsWith(prefix))) return true;
      const pathAndQuery = address.slice(address.indexOf('/'));
      return partials.some((partial) => pathAndQuery.includes(partial));
    },
  };
}

function withoutScheme(url: string): string {
  return url.slice(url.indexOf('//') + 2);
}

/** The characters that a serialised URL never holds as they are, encoded as it would. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}
