import type { Failure } from '../domain/failures/failure.ts';
import type { FetchedPage, ListedUrl, ReadSitemap, Sitemap, SitemapPage } from '../domain/fetched-page.ts';

import { redirectsMax, sitemapDepthMax, sitemapsMax } from '../spider/limits.ts';
import { createUrlBudget } from '../spider/sitemap.ts';

/** The pages that a sitemap lists (of the site, and up to as many of other sites), and the sitemaps read, in order. */
type ListedPages = Required<Pick<SitemapPage, 'listed' | 'sitemaps' | 'failure'>>;

interface SitemapSource {
  /** Requests a URL that may be a sitemap. */
  readonly fetch: (url: string) => Promise<FetchedPage>;
  /** Whether a URL belongs to the site. Sitemaps of other sites are not requested. */
  readonly contains: (url: string) => boolean;
  /** Pages of the site to collect. */
  readonly urlsMax: number;
}

/** Reads a sitemap and the sitemaps that it lists, in order, until there are enough pages. */
export async function pagesOfSitemap(url: string, sitemap: Sitemap, source: SitemapSource): Promise<ListedPages> {
  const listed = new Map<string, ListedUrl>();
  const sitemaps: ReadSitemap[] = [];
  const known = new Set([url]);
  const inside = createUrlBudget(source.urlsMax);
  const offSite = createUrlBudget(source.urlsMax);

  const add = (page: ListedUrl): void => {
    if (listed.has(page.url)) return;
    const budget = source.contains(page.url) ? inside : offSite;
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
    const { sitemap, ...answer } = depth > sitemapDepthMax ? NESTED_TOO_DEEP : await readSitemapAt(child, source);
    sitemaps.push({ url: child, linkedFrom, ...answer });
    if (sitemap !== null) await take(child, sitemap, depth);
  };

  await take(url, sitemap, 0);
  const tooMany = { code: 'sitemap_lists_too_many', params: { max: sitemapsMax, not_read: numNotRead } } as const;
  const failure = sitemap.problem ?? (numNotRead === 0 ? null : tooMany);
  return { listed: [...listed.values()], sitemaps, failure };
}

interface SitemapAnswer extends Pick<ReadSitemap, 'redirects' | 'httpStatus' | 'problem'> {
  /** Null if there is none. */
  readonly sitemap: Sitemap | null;
}

const NESTED_TOO_DEEP: SitemapAnswer = {
  redirects: [],
  httpStatus: null,
  problem: { code: 'sitemap_nested_too_deep', params: {} },
  sitemap: null,
};

/** Returns the sitemap at a URL or at the end of its redirects, or why there is none. */
async function readSitemapAt(url: string, { fetch, contains }: SitemapSource): Promise<SitemapAnswer> {
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
      case 'failed':
        return none(outcome.failure, outcome.httpStatus);
      case 'document':
        return none({ code: 'sitemap_is_html', params: {} }, outcome.httpStatus);
      case 'robots':
      case 'stopped':
        throw new Error(`Unexpected answer of a sitemap: ${outcome.kind}.`);
      case 'not_html':
        return none({ code: 'sitemap_is_other', params: { content_type: outcome.contentType } }, outcome.httpStatus);
    }
  }
  return none({ code: 'sitemap_redirects', params: { max: redirectsMax } }, null);
}
