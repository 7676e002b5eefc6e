import type { FetchOutcome } from '../spider/fetch-page.ts';
import { redirectsMax, sitemapDepthMax, sitemapsMax } from '../spider/limits.ts';
import type { Sitemap } from '../spider/sitemap.ts';
import { createUrlRoom } from '../spider/url-room.ts';
import type { ListedUrl, ReadSitemap } from '../spider/visit.ts';

/** Every page that a sitemap lists, itself or through others. */
export interface SitemapPages {
  /** In the order in which they are listed, each once: pages of the site, and as many of others. */
  readonly listed: readonly ListedUrl[];
  /** The sitemaps on the way there, in the order in which they were requested. */
  readonly sitemaps: readonly ReadSitemap[];
}

interface SitemapWalk {
  /** Requests a URL that may be a sitemap. */
  readonly fetch: (url: string) => Promise<FetchOutcome>;
  /** Whether a URL is of the site. Sitemaps elsewhere are not requested: a site must not send us to others. */
  readonly contains: (url: string) => boolean;
  /** Pages of the site that are wanted. */
  readonly urlsMax: number;
}

/** Walks from a sitemap through those that it lists, in their order, until there are pages enough. */
export async function pagesOfSitemap(url: string, sitemap: Sitemap, walk: SitemapWalk): Promise<SitemapPages> {
  const listed = new Map<string, ListedUrl>();
  const sitemaps: ReadSitemap[] = [];
  const known = new Set([url]);
  const inside = createUrlRoom(walk.urlsMax);
  const offSite = createUrlRoom(walk.urlsMax);

  const add = (page: ListedUrl): void => {
    if (listed.has(page.url)) return;
    const room = walk.contains(page.url) ? inside : offSite;
    if (room.isFull()) return;
    room.take(page.url);
    listed.set(page.url, page);
  };
  const take = async (from: string, { lists, urls }: Sitemap, depth: number): Promise<void> => {
    for (const listedUrl of urls) {
      if (inside.isFull() || known.size > sitemapsMax) return;
      if (lists === 'pages') add({ url: listedUrl, linkedFrom: from });
      else if (!known.has(listedUrl)) {
        known.add(listedUrl);
        await follow(listedUrl, from, depth + 1);
      }
    }
  };
  const follow = async (child: string, linkedFrom: string, depth: number): Promise<void> => {
    const hops: string[] = [];
    const found = depth > sitemapDepthMax ? 'it is nested too deep' : await readSitemapAt(child, hops, walk);
    const problem = typeof found === 'string' ? found : null;
    sitemaps.push({ url: child, linkedFrom, hops, problem });
    if (typeof found !== 'string') await take(child, found, depth);
  };

  await take(url, sitemap, 0);
  return { listed: [...listed.values()], sitemaps };
}

/**
 * The sitemap at a URL or where its redirects lead; else why there is none.
 * @param hops gets the URLs that redirects led to
 */
async function readSitemapAt(url: string, hops: string[], { fetch, contains }: SitemapWalk): Promise<Sitemap | string> {
  let current = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (!contains(current)) return 'it is on another site';
    const outcome = await fetch(current);
    if (outcome.kind === 'sitemap') return outcome.sitemap;
    if (outcome.kind === 'error') return outcome.message;
    if (outcome.kind !== 'redirect') return 'it is not a sitemap';
    current = outcome.location;
    hops.push(current);
  }
  return `it redirects more than ${redirectsMax} times`;
}
