import type { Failure } from '../domain/failures/failure.ts';
import { signsOut } from '../domain/session-urls.ts';
import { normaliseUrl } from './url.ts';

export interface Exclusions {
  /** Returns the first entry that excludes a normalized URL, as given by the user; null if none does. */
  exclusionOf(url: string): string | null;
}

/**
 * Reads the exclusions of a report. An absolute http(s) URL excludes itself and every URL that starts with it, under both
 * http and https. Anything else is a partial path: it excludes the URLs whose path and query contain it, case-sensitively,
 * written as in the address bar (`/über/`) or encoded (`/%C3%BCber/`). Every character is literal; there are no wildcards.
 * Entries are trimmed; empty ones exclude nothing.
 */
export function createExclusions(entries: readonly string[]): Exclusions {
  const given = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  const matchers = given.map((entry) => ({ entry, matches: matcherOf(entry) }));
  return {
    exclusionOf(url) {
      const address = withoutScheme(url);
      const pathAndQuery = address.slice(address.indexOf('/'));
      return matchers.find(({ matches }) => matches(address, pathAndQuery))?.entry ?? null;
    },
  };
}

/** The parts of a report's definition that exclude pages of its site. */
export interface ExcludingReport {
  readonly starting_url: string;
  readonly initial_urls: readonly string[];
  readonly exclusions: readonly string[];
  /** The encrypted site credentials; null without any. */
  readonly site_access: Uint8Array | null;
}

/**
 * Returns a function that gives the reason why a normalized URL of the site is excluded, or null. A report with credentials also
 * excludes URLs that sign out, unless its owner has named them as starting or initial URL.
 * @param isSignOut whether a link to the URL says that it signs out
 */
export function createExclusionMatcher(
  report: ExcludingReport,
  isSignOut: (url: string) => boolean = () => false,
): (url: string) => Failure | null {
  const { exclusionOf } = createExclusions(report.exclusions);
  const named = new Set([report.starting_url, ...report.initial_urls]);
  return (url) => {
    const exclusion = exclusionOf(url);
    if (exclusion !== null) return { code: 'excluded', params: { text: exclusion } };
    if (report.site_access === null || named.has(url)) return null;
    if (signsOut(url)) return { code: 'signs_out', params: {} };
    return isSignOut(url) ? { code: 'link_signs_out', params: {} } : null;
  };
}

function matcherOf(entry: string): (address: string, pathAndQuery: string) => boolean {
  const absolute = /^https?:\/\//i.test(entry) ? normaliseUrl(entry) : null;
  if (absolute !== null) {
    const prefix = withoutScheme(absolute);
    return (address) => address.startsWith(prefix);
  }
  const encoded = encodedPath(entry);
  return (_, pathAndQuery) => pathAndQuery.includes(entry) || pathAndQuery.includes(encoded);
}

export function withoutScheme(url: string): string {
  return url.slice(url.indexOf('//') + 2);
}

/** Encodes the characters that a serialized URL contains only in encoded form. */
export function encodedPath(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}
