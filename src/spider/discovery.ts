import type { FrontierEntry, UrlOutcome } from '../domain/crawl.ts';
import type { DocumentPage, ReadSitemap, SitemapPage } from '../domain/fetched-page.ts';
import type { FoundAt, KnownUrls } from './known-urls.ts';
import { urlMaxCharacters } from './limits.ts';
import type { Judgement } from './visit.ts';

/** Notes the URLs found in answers. */
export interface Discovery {
  /** @param outcomeInside the outcome of a URL that belongs to the site and is not excluded */
  discover(url: string, found: FoundAt, outcomeInside: UrlOutcome): void;
  /** Notes a URL that redirects to another one. */
  noteHop(url: string, found: FoundAt, redirect: { readonly target: string; readonly httpStatus: number | null }): void;
  followLinks(end: DocumentPage, page: FrontierEntry): void;
  /** Follows links as `followLinks` does, as long as there are no more duplicates than `maxPages`. */
  followDuplicate(end: DocumentPage, duplicate: FrontierEntry): void;
  followSitemap(end: SitemapPage, sitemap: FrontierEntry): void;
  /** Whether the pages are those that a sitemap lists. Links and canonical links then add none. */
  isListed(): boolean;
  /** Returns how many URLs beyond the limits were found since the last call. */
  takeNotKept(): number;
}

interface DiscoveryOptions {
  readonly isListed: boolean;
  readonly maxPages: number;
  readonly linkDepthMax: number;
  judge(url: string): Judgement;
  /** Called with every URL to visit. */
  enqueue(entry: FrontierEntry): void;
}

export function createDiscovery(known: KnownUrls, options: DiscoveryOptions): Discovery {
  let { isListed } = options;
  let notKept = 0;

  const isNew = (url: string): boolean => !known.has(url) && !known.isPassedBy(url);

  const discover: Discovery['discover'] = (url, found, outcomeInside) => {
    if (!isNew(url)) return;
    const judgement = options.judge(url);
    const outcome = judgement === 'inside' ? outcomeInside : judgement;
    // The database cannot index longer URLs.
    if (url.length > urlMaxCharacters || !known.hasRoomFor(outcome)) {
      notKept += 1;
      return;
    }
    const noted = known.note(known.entryOf(url, found), outcome);
    if (outcome === 'waiting') options.enqueue(noted);
  };

  const noteHop: Discovery['noteHop'] = (url, found, redirect) => {
    if (known.has(url)) return;
    if (known.hasRoomFor('redirected')) known.note(known.entryOf(url, found), 'redirected', redirect);
    else notKept += 1;
  };

  const noteSitemap = ({ url, redirects, linkedFrom, httpStatus, problem }: ReadSitemap, depth: number): void => {
    const found = { linkedFrom, depth };
    const target = redirects.at(-1)?.location ?? url;
    let source = url;
    for (const redirect of redirects) {
      noteHop(source, found, { target, httpStatus: redirect.httpStatus });
      source = redirect.location;
    }
    if (options.judge(target) === 'off_site') discover(target, found, 'sitemap');
    else if (!known.has(target)) {
      known.note(known.entryOf(target, found), 'sitemap', { httpStatus, detail: problem });
    }
  };

  const followLinks: Discovery['followLinks'] = ({ links, listed = [], sitemaps = [] }, page) => {
    const outcomeInside = isListed ? 'not_listed' : page.depth > options.linkDepthMax ? 'too_deep' : 'waiting';
    const depth = page.depth + 1;
    for (const url of links) discover(url, { linkedFrom: page.url, depth }, outcomeInside);
    for (const { url, linkedFrom } of listed) discover(url, { linkedFrom, depth }, outcomeInside);
    for (const sitemap of sitemaps) noteSitemap(sitemap, depth);
  };

  return {
    discover,
    noteHop,
    followLinks,
    // The pages of a paginated list often name the first one as canonical, and only they link to what they list. But a site
    // that puts a session id into every link has endless duplicates.
    followDuplicate({ linksAsSent, ...end }, duplicate) {
      // Links added by rendering do not count: whether a duplicate was rendered depends on timing.
      const links = linksAsSent ?? end.links;
      if (known.numOf('duplicate') <= options.maxPages) followLinks({ ...end, links }, duplicate);
      else notKept += links.filter(isNew).length;
    },
    followSitemap(end, { depth }) {
      isListed = true;
      for (const { url, linkedFrom } of end.listed ?? []) discover(url, { linkedFrom, depth: depth + 1 }, 'waiting');
      // Last, because a URL that is listed as a page stays a page.
      for (const sitemap of end.sitemaps ?? []) noteSitemap(sitemap, depth + 1);
    },
    isListed: () => isListed,
    takeNotKept() {
      const taken = notKept;
      notKept = 0;
      return taken;
    },
  };
}
