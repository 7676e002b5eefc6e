import { linksPerPageMax, titleMaxCharacters } from './limits.ts';
import { normaliseUrl } from './url.ts';

export interface PageLinks {
  /** How many links lead to a route in the fragment (`#/about`, `#!/about`). Without fragments, they are one URL. */
  readonly hashRoutes: number;
  /** Normalized URLs of `<a href>` and `<area href>` in document order, each once, at most `linksPerPageMax`. */
  readonly links: readonly string[];
  /** Normalized URLs of the links among them whose text or label says that they sign out. */
  readonly signOuts: readonly string[];
  /**
   * The normalized URL of the first `<link rel="canonical">` in the head that gives an http(s) URL, else of the first such `Link`
   * header; null without one.
   */
  readonly canonical: string | null;
  /** White space collapsed, at most `titleMaxCharacters`; null when missing or empty. */
  readonly title: string | null;
}

/** Unresolved references, and the URL to resolve them against. */
export interface LinkRun {
  readonly base: string;
  readonly hrefs: Iterable<string>;
}

/** Returns the URLs of links in order, each once, at most `linksPerPageMax`. */
export function resolvedLinks(runs: Iterable<LinkRun>): string[] {
  const links = new Set<string>();
  for (const { base, hrefs } of runs) {
    for (const href of hrefs) {
      if (links.size >= linksPerPageMax) return [...links];
      const url = normaliseUrl(href, base);
      if (url !== null) links.add(url);
    }
  }
  return [...links];
}

/** Returns the first reference that gives an http(s) URL, normalized; null without one. */
export function firstUrl(candidates: readonly string[], base: string): string | null {
  for (const candidate of candidates) {
    // An empty canonical link would name the page or its base: it is a mistake in a template.
    const url = candidate.trim() === '' ? null : normaliseUrl(candidate, base);
    if (url !== null) return url;
  }
  return null;
}

/** Returns a title as in `document.title`, shortened, and without U+0000, which the database rejects. */
export function tidyTitle(raw: string | null): string | null {
  const text = (raw ?? '')
    .replaceAll('\0', '\uFFFD')
    .replace(/[\t\n\f\r ]+/g, ' ')
    .trim();
  if (text === '') return null;
  // A cut between the halves of a surrogate pair would leave a lone one.
  return text
    .slice(0, titleMaxCharacters)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}

/** Returns both lists in order, each link once, at most `linksPerPageMax`. */
export function mergedLinks(links: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...links, ...more])].slice(0, linksPerPageMax);
}
