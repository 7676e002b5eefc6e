/**
 * Returns the host whose requests are limited together: the name without `www.`, which is usually the same server, and without
 * the port, because http and https have the same server.
 */
export function hostOf(url: string): string {
  const name = new URL(url).hostname.replace(/\.$/, '');
  return name.startsWith('www.') && name.includes('.', 4) ? name.slice(4) : name;
}
