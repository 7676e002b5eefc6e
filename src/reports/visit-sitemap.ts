import type { FetchOutcome } from '../spider/fetch-page.ts';
import type { ListedUrl } from '../spider/frontier.ts';
import { redirectsMax, sitemapDepthMax, sitemapsMax } from '../spider/limits.ts';
import type { Sitemap } from '../spider/sitemap.ts';

/** Every page that a sitemap lists, itself or through others. */
export interface SitemapPages {
  /** Pages of the site in the order in which they are listed, each once. */
  readonly listed: readonly ListedUrl[];
  /** Listed sitemaps that gave nothing: where and why, as sentences without their full stop. */
  readonly problems: readonly string[];
}

interface SitemapWalk {
  /** Requests a URL that may be a sitemap. */
  readonly fetch: (url: string) => Promise<FetchOutcome>;
  /** Whether a URL is of the site. Sitemaps elsewhere are not requested: a site must not send us to others. */
  readonly contains: (url: string) => boolean;
  /** Pages that are wanted. */
  readonly urlsMax: number;
}

/** Walks from a sitemap through those that it lists, in their order, until there are pages enough. */
export async function pagesOfSitemap(url: string, sitemap: Sitemap, walk: SitemapWalk): Promise<SitemapPages> {
  const listed = new Map<string, ListedUrl>();
  const problems: string[] = [];
  const known = new Set([url]);

  const take = async (from: string, { lists, urls }: Sitemap, depth: number): Promise<void> => {
    for (const listedUrl of urls) {
      if (listed.size >= walk.urlsMax || known.size > sitemapsMax) return;
      if (lists === 'pages') {
        const isNew = !listed.has(listedUrl) && walk.contains(listedUrl);
        if (isNew) listed.set(listedUrl, { url: listedUrl, linkedFrom: from });
      } else if (!known.has(listedUrl)) {
        known.add(listedUrl);
        await follow(listedUrl, depth + 1);
      }
    }
  };
  const follow = async (child: string, depth: number): Promise<void> => {
    const found = depth > sitemapDepthMax ? 'it is nested too deep' : await readSitemapAt(child, walk);
    if (typeof found === 'string') problems.push(`${child}: ${found}`);
    else await take(child, found, depth);
  };

  await take(url, sitemap, 0);
  return { listed: [...listed.values()], problems };
}

/** The sitemap at a URL or where its redirects lead; else why there is none. */
async function readSitemapAt(url: string, { fetch, contains }: SitemapWalk): Promise<Sitemap | string> {
  let current = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (!contains(current)) return 'it is on another site';
    const outcome = await fetch(current);
    if (outcome.kind === 'sitemap') return outcome.sitemap;
    if (outcome.kind === 'error') return outcome.message;
    if (outcome.kind !== 'redirect') return 'it is not a sitemap';
    current = outcome.location;
  }
  return `it redirects more than ${redirectsMax} times`;
}
