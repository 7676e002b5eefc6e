/** A placeholder for the origin of the dashboard. */
const OWN = 'http://own.invalid';

/** Returns the path in a URL if it belongs to the dashboard, otherwise `/`: a link must not redirect to another site. */
export function ownPath(text: string | undefined): string {
  // Parses like the browser, which skips tabs and line breaks, and takes `\\` for `/`.
  const url = text?.startsWith('/') ? URL.parse(text, OWN) : null;
  return url?.origin === OWN ? url.pathname + url.search + url.hash : '/';
}
