import { linksPerPageMax, titleMaxCharacters } from './limits.ts';
import { normaliseUrl } from './url.ts';

export interface PageLinks {
  /** How many links lead to a route behind `#` (`#/about`, `#!/about`). Without it, all of them are one URL. */
  readonly hashRoutes: number;
  /** Normalised URLs of `<a href>` and `<area href>` in document order, each once, at most `linksPerPageMax`. */
  readonly links: readonly string[];
  /**
   * The first `<link rel="canonical">` in the head, else the first such `Link` header, that leads to an http(s) URL,
   * normalised; null without one.
   */
  readonly canonical: string | null;
  /** White space collapsed, at most `titleMaxCharacters`; null when missing or empty. */
  readonly title: string | null;
}

/** References as they stand in a document, and what they are resolved against. */
export interface LinkRun {
  readonly base: string;
  readonly hrefs: Iterable<string>;
}

/** The URLs of links, in their order, each once, at most `linksPerPageMax`. */
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

/** The first reference that leads to an http(s) URL, normalised; null without one. */
export function firstUrl(candidates: readonly string[], base: string): string | null {
  for (const candidate of candidates) {
    // An empty canonical would name the page itself, or the base: it is a template's mistake, not a statement.
    const url = candidate.trim() === '' ? null : normaliseUrl(candidate, base);
    if (url !== null) return url;
  }
  return null;
}

/** As `document.title` gives it, bounded, and without the U+0000 that a database refuses. */
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

/** The links of a page that is known in two ways, each once, at most `linksPerPageMax`: `more` come after all others. */
export function mergedLinks(links: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...links, ...more])].slice(0, linksPerPageMax);
}
