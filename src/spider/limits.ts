import { defaultRestMs, restMaxMs } from '../egress/limits.ts';

/** Characters of a URL as the URL Standard serializes it. The contract's limit for a starting URL applies to all URLs. */
export const urlMaxCharacters = 2_048;

/** Distinct links taken from one page. Pages with more are generated, and their first links suffice. */
export const linksPerPageMax = 10_000;

/** Distinct `href` values read on one page. Some of them are not links (`mailto:`). */
export const hrefsPerPageMax = 10 * linksPerPageMax;

/** Characters of a page's title that are kept: enough for a list. */
export const titleMaxCharacters = 500;

/** Raw characters of a title that are kept before white space is collapsed. */
export const rawTitleMaxCharacters = 20 * titleMaxCharacters;

/** Redirects in a row that are followed. Browsers stop at 20; more than 10 are a fault. */
export const redirectsMax = 10;

/** Documents requested at the same time for one report: enough for two cores, without overloading a server. */
export const fetchesInFlightMax = 8;

/**
 * Requests that a process sends to a host at the same time. An account gets another only while it has fewer than are free, so a
 * single account gets half, which is as many as one report may have.
 */
export const hostRequestsInFlightMax = 2 * fetchesInFlightMax;

/**
 * Bytes of all documents that a process is working on, compressed and uncompressed: with other buffers, a quarter of its
 * memory. 128 crawls with 8 ordinary pages each take 100 MB.
 */
export const documentsMaxBytes = 256 * 1_024 * 1_024;

/**
 * Bytes of this memory that one crawl may take: four times the size of eight large pages. A crawl that needs more, for slow
 * responses or very large sitemaps, becomes slower without slowing down others.
 */
export const crawlDocumentsMaxBytes = 32 * 1_024 * 1_024;

/** Visits of a process that may exceed these limits at a time, with one page or sitemap each. */
export const guaranteedVisitsMax = 2;

/** Requests for one URL if the connection breaks before a response: the first and one more. */
export const fetchAttemptsMax = 2;

/**
 * URLs remembered in a report's frontier for each page that it may have. Endless link spaces (calendars, filters)
 * would otherwise fill the database with URLs that are never fetched.
 */
export const discoveredUrlsPerPageMax = 50;

/** URLs that every report may remember, even with few pages: small reports have redirects and files, too. */
export const discoveredUrlsMin = 10_000;

/**
 * URLs kept for each outcome that requires no visit, such as `off_site` or `too_deep`, for each page that the report may have.
 * Fewer suffice, because they only explain why a page is missing.
 */
export const unvisitedUrlsPerPageMax = 10;

/**
 * Bytes of text in a report's list of discovered URLs: each URL with the page that it was found on and the URL that replaces it.
 * Without this limit, long URLs would fill memory and disk before their number reaches its limit. This is enough for 200,000 URLs
 * of 80 characters. Together with the five outcomes that require no visit, a crawl keeps up to 72 MiB, and 88 MiB if it ends
 * early.
 */
export const discoveredTextMaxBytes = 32 * 1_024 * 1_024;

/** Bytes of text kept for each outcome that requires no visit. */
export const unvisitedTextMaxBytes = 8 * 1_024 * 1_024;

/**
 * Bytes of text at which a crawl ends early. Visits still add to a full list: redirect targets and canonical URLs. The additional
 * half is enough for 10,000 pages with URLs of 500 characters.
 */
export const fullTextBytes = 1.5 * discoveredTextMaxBytes;

/** Bytes of a decompressed sitemap: the limit of the sitemap protocol. */
export const sitemapMaxBytes = 50 * 1_024 * 1_024;

/** Sitemaps read for one report. An index may list 50,000, far more pages than a report may have. */
export const sitemapsMax = 1_000;

/** Nested indexes. The protocol allows none, but some exist. */
export const sitemapDepthMax = 3;

/** How long a crawl waits for a busy site. Times in milliseconds. */
export const RETRY_LIMITS = {
  /** Attempts at a URL. */
  attemptsMax: 4,
  /** The longest rest. The URL fails if the server requires more. */
  restMaxMs,
  /** The rest after `429 Too Many Requests` without `Retry-After`; it doubles with each attempt. */
  defaultRestMs,
  /** The crawl slows down each time that this many requests in a row have failed. */
  failuresMax: 3,
  /** URLs that may fail because the site is busy before the crawl stops resting. */
  givenUpMax: 5,
} as const;

/** Bytes of a robots.txt that are read; the standard requires at least 500 KiB (RFC 9309, 2.5). */
export const robotsMaxBytes = 512 * 1_024;

/** Redirects followed to a robots.txt (RFC 9309, 2.3.1.2). */
export const robotsRedirectsMax = 5;

/** The highest `Crawl-delay` that is obeyed, in milliseconds. With more, a crawl would not end within a day. */
export const crawlDelayMaxMs = 30_000;

/** Characters of a cookie's name and value: the limit of browsers (RFC 6265bis, 5.6). */
export const cookieMaxCharacters = 4_096;

/** Cookies taken from one response. */
export const cookiesPerResponseMax = 100;

/**
 * Cookies that a session keeps whose names are not among the login's cookies, and their characters. All are sent with each
 * request.
 */
export const laterCookiesMax = 50;
export const laterCookiesMaxCharacters = 32_768;
