import type { FrontierEntry, UrlOutcome } from '../domain/crawl.ts';
import type { DocumentPage, ReadSitemap, SitemapPage } from '../domain/fetched-page.ts';
import type { FoundAt, KnownUrls } from './known-urls.ts';
import { urlMaxCharacters } from './limits.ts';
import type { Judgement } from './visit.ts';

/** Takes note of the URLs that answers hold. */
export interface Discovery {
  /** @param unlessLeftOut what becomes of a URL that is of the site and not excluded */
  discover(url: string, found: FoundAt, unlessLeftOut: UrlOutcome): void;
  /** Takes note of a URL from which a redirect leads to another one. */
  noteHop(url: string, found: FoundAt, redirect: { readonly target: string; readonly httpStatus: number | null }): void;
  followLinks(end: DocumentPage, page: FrontierEntry): void;
  /** As the links of pages, as long as there are no more duplicates than there may be pages. */
  followDuplicate(end: DocumentPage, duplicate: FrontierEntry): void;
  followSitemap(end: SitemapPage, sitemap: FrontierEntry): void;
  /** Whether the pages are those that a sitemap lists, so that neither links nor canonical links add others. */
  isListed(): boolean;
  /** How many URLs were found since the last call that there was no room for. */
  takeNotKept(): number;
}

interface DiscoveryOptions {
  readonly isListed: boolean;
  readonly maxPages: number;
  readonly linkDepthMax: number;
  judge(url: string): Judgement;
  /** Gets every URL that is to be visited. */
  enqueue(entry: FrontierEntry): void;
}

export function createDiscovery(known: KnownUrls, options: DiscoveryOptions): Discovery {
  let { isListed } = options;
  let notKept = 0;

  const isNew = (url: string): boolean => !known.has(url) && !known.isPassedBy(url);

  const discover: Discovery['discover'] = (url, found, unlessLeftOut) => {
    if (!isNew(url)) return;
    const judgement = options.judge(url);
    const outcome = judgement === 'inside' ? unlessLeftOut : judgement;
    // No index of the database takes a longer one, whose crawl would end there.
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
    const unlessLeftOut = isListed ? 'not_listed' : page.depth > options.linkDepthMax ? 'too_deep' : 'waiting';
    const depth = page.depth + 1;
    for (const url of links) discover(url, { linkedFrom: page.url, depth }, unlessLeftOut);
    for (const { url, linkedFrom } of listed) discover(url, { linkedFrom, depth }, unlessLeftOut);
    for (const sitemap of sitemaps) noteSitemap(sitemap, depth);
  };

  return {
    discover,
    noteHop,
    followLinks,
    // Often the pages of a list all name the first one as canonical, and nothing else leads to what they list. But a site
    // that puts a session into every link makes duplicates without end.
    followDuplicate({ linksAsSent, ...end }, duplicate) {
      // Whether a duplicate was rendered depends on what was known of its canonical URL by then.
      const links = linksAsSent ?? end.links;
      if (known.numOf('duplicate') <= options.maxPages) followLinks({ ...end, links }, duplicate);
      else notKept += links.filter(isNew).length;
    },
    followSitemap(end, { depth }) {
      isListed = true;
      for (const { url, linkedFrom } of end.listed ?? []) discover(url, { linkedFrom, depth: depth + 1 }, 'waiting');
      // Last, since a listed page stays one, whatever else lists it.
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
