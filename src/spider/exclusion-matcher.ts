import type { Failure } from '../domain/failures/failure.ts';
import { signsOut } from '../domain/session-urls.ts';
import { normaliseUrl } from './url.ts';

export interface Exclusions {
  /** The first entry that has the spider skip this normalised URL, as it was given; null when none does. */
  exclusionOf(url: string): string | null;
}

/**
 * "URLs or partial paths the spider skips". An absolute http(s) URL excludes itself and every URL that starts with it,
 * whether by http or https, since both are one site. Anything else is a partial path: it excludes the URLs whose path
 * and query contain it, case-sensitively, written as in the address bar (`/über/`) or encoded (`/%C3%BCber/`). Every
 * character is literal, there are no wildcards. Entries are trimmed; empty ones exclude nothing.
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

/** What of a report's definition leaves pages of its site out. */
export interface Selection {
  readonly starting_url: string;
  readonly initial_urls: readonly string[];
  readonly exclusions: readonly string[];
  /** What the report signs in with; null where it does not. */
  readonly site_access: Uint8Array | null;
}

/**
 * Returns why a normalised URL of the site is left out of a report; null when it is not. A report that signs in must not
 * sign itself out: what plainly does so is left out, unless its owner has named just that.
 */
export function createExclusionMatcher(report: Selection): (url: string) => Failure | null {
  const { exclusionOf } = createExclusions(report.exclusions);
  const named = new Set([report.starting_url, ...report.initial_urls]);
  return (url) => {
    const exclusion = exclusionOf(url);
    if (exclusion !== null) return { code: 'excluded', params: { text: exclusion } };
    const endsSession = report.site_access !== null && !named.has(url) && signsOut(url);
    return endsSession ? { code: 'signs_out', params: {} } : null;
  };
}

function matcherOf(entry: string): (address: string, pathAndQuery: string) => boolean {
  const absolute = /^https?:\/\//i.test(entry) ? normaliseUrl(entry) : null;
  if (absolute !== null) {
    const prefix = withoutScheme(absolute);
    return (address) => address.startsWith(prefix);
  }
  const encoded = percentEncoded(entry);
  return (_, pathAndQuery) => pathAndQuery.includes(entry) || pathAndQuery.includes(encoded);
}

function withoutScheme(url: string): string {
  return url.slice(url.indexOf('//') + 2);
}

/** The characters that a serialised URL never holds as they are, encoded as it would. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}
