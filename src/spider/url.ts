import { urlMaxCharacters } from './limits.ts';

/**
 * The form in which URLs are compared and stored: as the URL Standard serialises them, without fragment. Nothing else
 * is normalised: trailing slash, parameter order and the case of the path stay. Credentials are taken off, so that a
 * link with them is the same page as one without, and so that no password is ever stored or sent.
 *
 * @param base an absolute URL that relative ones are resolved against
 * @returns null when it is not a URL, not http(s), or longer than `urlMaxCharacters`
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
 * The site of an absolute http(s) URL: its host, with the port where that is not the scheme's default. http and https
 * of one host are one site, and so are they on the same explicit port.
 *
 * @throws TypeError when the URL does not parse
 */
export function siteOf(url: string): string {
  // The URL Standard gives an empty port for the scheme's default one, so `host` is already what is wanted.
  return new URL(url).host;
}
