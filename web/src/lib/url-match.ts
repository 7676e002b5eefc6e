import { pathOf } from './formats.ts';

/** Returns the text without a fragment, because URLs of a report have none. */
export function withoutFragment(typed: string): string {
  return typed.replace(/#.*$/s, '');
}

/**
 * Sorts URLs that contain a text: exact matches of the URL or its path first, then URLs that end with the text, then the
 * shortest.
 */
export function closestUrls<Found extends { readonly url: string }>(urls: readonly Found[], typed: string): Found[] {
  const text = withoutFragment(typed).toLowerCase();
  const distance = ({ url }: Found): number => {
    const lower = url.toLowerCase();
    if (lower === text || pathOf(lower) === text) return 0;
    return lower.endsWith(text) || lower.endsWith(`${text}/`) ? 1 : 2;
  };
  return urls.toSorted((one, other) => distance(one) - distance(other) || one.url.length - other.url.length);
}
