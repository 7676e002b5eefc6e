/**
 * The host that a URL's requests burden: its name without `www.`, which mostly names the same server, and without the
 * port, since http and https are served by the same one.
 */
export function hostOf(url: string): string {
  const name = new URL(url).hostname.replace(/\.$/, '');
  return name.startsWith('www.') && name.includes('.', 4) ? name.slice(4) : name;
}
