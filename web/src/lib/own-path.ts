/** Stands for the origin of the dashboard. */
const OWN = 'http://own.invalid';

/** Returns a path of the dashboard that a URL names, or `/` if it names none: a link from elsewhere must not lead away. */
export function ownPath(text: string | undefined): string {
  // As the browser reads it: it skips tabs and line breaks, and takes `\\` for `/`.
  const url = text?.startsWith('/') ? URL.parse(text, OWN) : null;
  return url?.origin === OWN ? url.pathname + url.search + url.hash : '/';
}
