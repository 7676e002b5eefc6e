import { urlMaxCharacters } from './limits.ts';

/**
 * Returns a URL in the form in which URLs are compared and stored: as the URL Standard serializes it, without fragment. Trailing
 * slashes, the order of parameters and the case of the path are kept. Credentials are removed, so that links with and without
 * them are the same page, and no password is stored or sent.
 *
 * @param base the absolute URL to resolve relative ones against
 * @returns null if it is not a URL, not http(s), or longer than `urlMaxCharacters`
 */
export function normaliseUrl(raw: string, base?: string): string | null {
  const url = URL.parse(raw, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '') url.username = '';
  if (url.password !== '') url.password = '';
  const withFragment = url.href;
  const fragmentStart = withFragment.indexOf('#');
  const href = fragmentStart === -1 ? withFragment : withFragment.slice(0, fragmentStart);
  return href.length > urlMaxCharacters ? null : href;
}

/**
 * Returns the site of an absolute http(s) URL: its host, with the port unless it is the scheme's default. http and https of one
 * host are one site, even on the same explicit port.
 *
 * @throws TypeError if the URL is invalid
 */
export function siteOf(url: string): string {
  return new URL(url).host;
}
