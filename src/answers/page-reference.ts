/**
 * Returns the URL of a page relative to the folder of a site's starting URL, such as `./`, `about.html` or `../blog/?page=2`, so that
 * the pages of a preview and of the published site have the same. URLs of other origins are returned as they are.
 */
export function referenceTo(url: string, start: string): string {
  const { origin, pathname, search } = new URL(url);
  const folder = new URL('.', start);
  if (origin !== folder.origin) return url;
  const shared = sharedFolder(folder.pathname, pathname);
  const up = '../'.repeat(folder.pathname.slice(shared.length).split('/').length - 1);
  const reference = `${up}${pathname.slice(shared.length)}${search}`;
  // An empty path, and paths that would be read as an origin or a scheme.
  const forms = reference.startsWith('?') || reference === '' ? [`./${reference}`] : [reference, `./${reference}`];
  return forms.find((form) => resolveReference(form, start) === url) ?? url;
}

/** Returns the URL that a reference stands for, on the site with this starting URL; null if it is none. */
export function resolveReference(reference: string, start: string): string | null {
  return URL.parse(reference, new URL('.', start).href)?.href ?? null;
}

/** Returns the longest folder, with its slash, that both paths begin with. */
function sharedFolder(folder: string, path: string): string {
  let end = 0;
  for (let at = 0; at < folder.length && folder[at] === path[at]; at += 1) if (folder[at] === '/') end = at + 1;
  return folder.slice(0, end);
}
