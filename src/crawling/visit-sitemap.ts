import type { Failure } from '../domain/failures/failure.ts';
import type { FetchOutcome } from '../spider/fetch-page.ts';
import { redirectsMax, sitemapDepthMax, sitemapsMax } from '../spider/limits.ts';
import type { Sitemap } from '../spider/sitemap.ts';
import { createUrlBudget } from '../spider/url-budget.ts';
import type { ListedUrl, ReadSitemap } from '../spider/visit.ts';

/** Every page that a sitemap lists, itself or through others. */
export interface SitemapPages {
  /** In the order in which they are listed, each once: pages of the site, and as many of others. */
  readonly listed: readonly ListedUrl[];
  /** The sitemaps on the way there, in the order in which they were requested. */
  readonly sitemaps: readonly ReadSitemap[];
  /** What is wrong with the first sitemap itself; null when all is well. */
  readonly failure: Failure | null;
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
  const inside = createUrlBudget(walk.urlsMax);
  const offSite = createUrlBudget(walk.urlsMax);

  const add = (page: ListedUrl): void => {
    if (listed.has(page.url)) return;
    const budget = walk.contains(page.url) ? inside : offSite;
    if (budget.isFull()) return;
    budget.take(page.url);
    listed.set(page.url, page);
  };
  let numNotRead = 0;
  const take = async (from: string, { lists, urls }: Sitemap, depth: number): Promise<void> => {
    for (const listedUrl of urls) {
      if (inside.isFull()) return;
      if (lists === 'pages') add({ url: listedUrl, linkedFrom: from });
      else if (known.has(listedUrl)) continue;
      else if (known.size > sitemapsMax) numNotRead += 1;
      else {
        known.add(listedUrl);
        await follow(listedUrl, from, depth + 1);
      }
    }
  };
  const follow = async (child: string, linkedFrom: string, depth: number): Promise<void> => {
    const { sitemap, ...answer } = depth > sitemapDepthMax ? NESTED_TOO_DEEP : await readSitemapAt(child, walk);
    sitemaps.push({ url: child, linkedFrom, ...answer });
    if (sitemap !== null) await take(child, sitemap, depth);
  };

  await take(url, sitemap, 0);
  const tooMany = { code: 'sitemap_lists_too_many', params: { max: sitemapsMax, not_read: numNotRead } } as const;
  const failure = sitemap.problem ?? (numNotRead === 0 ? null : tooMany);
  return { listed: [...listed.values()], sitemaps, failure };
}

interface SitemapAnswer extends Pick<ReadSitemap, 'redirects' | 'httpStatus' | 'problem'> {
  /** Null when there is none. */
  readonly sitemap: Sitemap | null;
}

const NESTED_TOO_DEEP: SitemapAnswer = {
  redirects: [],
  httpStatus: null,
  problem: { code: 'sitemap_nested_too_deep', params: {} },
  sitemap: null,
};

/** The sitemap at a URL or where its redirects lead; else why there is none. */
async function readSitemapAt(url: string, { fetch, contains }: SitemapWalk): Promise<SitemapAnswer> {
  const redirects: { readonly location: string; readonly httpStatus: number }[] = [];
  const none = (problem: Failure, httpStatus: number | null): SitemapAnswer => {
    return { redirects, httpStatus, problem, sitemap: null };
  };
  for (let current = url; redirects.length <= redirectsMax; ) {
    if (!contains(current)) return none({ code: 'sitemap_elsewhere', params: {} }, null);
    const outcome = await fetch(current);
    switch (outcome.kind) {
      case 'sitemap': {
        const { sitemap, httpStatus } = outcome;
        return { redirects, httpStatus, problem: sitemap.problem, sitemap };
      }
      case 'redirect':
        redirects.push(outcome);
        current = outcome.location;
        break;
      case 'error':
        return none(outcome.failure, outcome.httpStatus);
      case 'document':
        return none({ code: 'sitemap_is_html', params: {} }, outcome.document.httpStatus);
      case 'other':
        return none({ code: 'sitemap_is_other', params: { content_type: outcome.contentType } }, outcome.httpStatus);
    }
  }
  return none({ code: 'sitemap_redirects', params: { max: redirectsMax } }, null);
}
