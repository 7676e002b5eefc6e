/** What lets requests into a site that asks who one is. Secret in all its parts: never shown, logged or exported. */
export interface SiteAccess {
  /** HTTP Basic credentials (RFC 7617). */
  readonly basicAuth: BasicAuth | null;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** By name. */
  readonly cookies: Readonly<Record<string, string>>;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** What signs in, and to where it may be sent. */
export interface SignIn {
  readonly access: SiteAccess;
  readonly origins: ReadonlySet<string>;
}

export const NO_ACCESS: SiteAccess = { basicAuth: null, headers: {}, cookies: {} };

export function isNoAccess({ basicAuth, headers, cookies }: SiteAccess): boolean {
  return basicAuth === null && Object.keys(headers).length + Object.keys(cookies).length === 0;
}

/** The headers that give the user name and password, and whatever else was asked for; cookies are not among them. */
export function accessHeaders({ basicAuth, headers }: SiteAccess): Readonly<Record<string, string>> {
  if (basicAuth === null) return headers;
  const credentials = Buffer.from(`${basicAuth.username}:${basicAuth.password}`, 'utf8').toString('base64');
  return { ...headers, authorization: `Basic ${credentials}` };
}

/**
 * The origins to which what signs in may be sent: the starting URL's host on the same port, with and without `www.` once
 * the one has led to the other. Over plain http only where the starting URL has it and did not lead to https.
 * @param siteUrl where the starting URL's redirects ended; null while that is not known
 */
export function ownOrigins(startingUrl: string, siteUrl: string | null): ReadonlySet<string> {
  const start = new URL(startingUrl);
  const site = siteUrl === null ? null : new URL(siteUrl);
  const twin = start.host.startsWith('www.') ? start.host.slice('www.'.length) : `www.${start.host}`;
  const hosts = site === null || site.host === twin ? [start.host, twin] : [start.host];
  const isPlain =
    start.protocol === 'http:' && (site === null || site.protocol === 'http:' || !hosts.includes(site.host));
  const schemes = isPlain ? ['https:', 'http:'] : ['https:'];
  // An address has no twin: `www.` before it gives no URL.
  const urls = hosts.flatMap((host) => schemes.map((scheme) => URL.parse(`${scheme}//${host}`)));
  return new Set(urls.flatMap((url) => (url === null ? [] : [url.origin])));
}
