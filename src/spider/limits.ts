import { defaultRestMs, restMaxMs } from '../egress/limits.ts';

/** The spider's limits in one place, each with its unit last and the reason for its size. */

/** Characters of a URL as the URL Standard serialises it. The contract's limit for a starting URL holds for all. */
export const urlMaxCharacters = 2_048;

/** Distinct links taken from one page. A page with more is generated; its first ones lead on just as well. */
export const linksPerPageMax = 10_000;

/** Distinct `href` values looked at on one page: room for as many links again that lead nowhere (`mailto:`). */
export const hrefsPerPageMax = 10 * linksPerPageMax;

/** Characters of a page's title that are kept: enough for a list, never a payload. */
export const titleMaxCharacters = 500;

/** Raw characters of a title that are kept before white space is collapsed. */
export const rawTitleMaxCharacters = 20 * titleMaxCharacters;

/** Redirects followed one after another before the spider calls it a loop. Browsers stop at 20; 10 are a fault. */
export const redirectsMax = 10;

/** Documents requested at the same time for one report: what keeps two cores busy without crowding a server. */
export const fetchesInFlightMax = 8;

/**
 * Bytes of all documents that a process has under way, as they were sent and unpacked: with what there is room for besides,
 * a quarter of what the process may take. 128 crawls with 8 ordinary pages each take 100 MB.
 */
export const documentsMaxBytes = 256 * 1_024 * 1_024;

/**
 * Bytes of it that one crawl may take: four times what eight of the largest sane pages need. A crawl that needs more, for
 * pages that drip or for the largest sitemaps, is slower for it, and no other one is.
 */
export const crawlDocumentsMaxBytes = 32 * 1_024 * 1_024;

/** Visits of a process that get all that they need beyond that, one page or sitemap each. */
export const guaranteedVisitsMax = 2;

/** Requests for one URL when the connection broke before an answer: the first and one more. */
export const fetchAttemptsMax = 2;

/**
 * URLs remembered in a report's frontier for each page that it may have. Endless link spaces (calendars, filters)
 * would otherwise fill the database with URLs that are never fetched.
 */
export const discoveredUrlsPerPageMax = 50;

/** URLs that every report may remember, however few its pages: small reports meet redirects and files too. */
export const discoveredUrlsMin = 10_000;

/**
 * URLs kept of each outcome that needs no visit (off the site, excluded, too deep), for each page that the report may have.
 * They answer why a page is missing, and nothing else: fewer of them do.
 */
export const unvisitedUrlsPerPageMax = 10;

/**
 * Bytes of text in a report's list of discovered URLs: each URL with the page that it was found on and the URL that stands
 * for it. Long URLs would otherwise fill memory and disk long before there are too many of them. This is room for 200,000
 * URLs of 80 characters; with it, and the three outcomes that need no visit and can come together, a crawl keeps about
 * 64 MB.
 */
export const discoveredTextMaxBytes = 32 * 1_024 * 1_024;

/** Bytes of text kept of each outcome that needs no visit. */
export const unvisitedTextMaxBytes = 8 * 1_024 * 1_024;

/**
 * Bytes of text with which a crawl ends early. Visits add to a full list, too: where redirects lead, and which URLs stand
 * for others. The half that is left for it is what 10,000 pages with URLs of 500 characters take.
 */
export const fullTextBytes = 1.5 * discoveredTextMaxBytes;

/** Bytes of a sitemap, decompressed: what the sitemap protocol allows. */
export const sitemapMaxBytes = 50 * 1_024 * 1_024;

/** Sitemaps read for one report: an index may list 50,000, and most of them say nothing that a report has room for. */
export const sitemapsMax = 1_000;

/** Indexes in indexes. The protocol allows none; a few exist. */
export const sitemapDepthMax = 3;

/** How long a crawl waits for a site that says that it is busy. Times in milliseconds. */
export const PATIENCE = {
  attemptsMax: 4,
  restMaxMs,
  defaultRestMs,
  failuresMax: 3,
  givenUpMax: 5,
} as const;

/** Bytes of a robots.txt that are read; the standard asks for at least 500 KiB (RFC 9309, 2.5). */
export const robotsMaxBytes = 512 * 1_024;

/** Redirects followed to a robots.txt (RFC 9309, 2.3.1.2). */
export const robotsRedirectsMax = 5;

/** Milliseconds between requests that a `Crawl-delay` may ask for. With more, a crawl would not end in a day. */
export const crawlDelayMaxMs = 30_000;
