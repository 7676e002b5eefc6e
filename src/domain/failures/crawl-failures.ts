import { formatNumber, plural } from '../amounts.ts';
import { ACCESS_NAMES, type AccessName, type AnyFailure, listOf, typeInWords, type Wording } from './wording.ts';

type Payer = 'account' | 'guest';

interface Why {
  readonly why: AnyFailure;
}
interface SignedIn {
  readonly names: readonly AccessName[];
}

const onlyPage = 'so it is the only page of this report.';
const linksMissing = 'so links that only scripts create are missing.';
const maybeNotAccepted = 'They may not be accepted, or may have expired: update them.';
const endedSession = 'use a session that lasts, and exclude the URL that ends it.';

/** Failures of a report's crawl as a whole. */
export const CRAWL_FAILURES = {
  start_failed: ({ why }: Why, { describe }: Wording) => `The starting URL could not be checked. ${describe(why)}.`,
  start_disallowed: ({ why }: Why, { describe }: Wording) =>
    `${describe(why)}. The report obeys robots.txt; you can turn this off for your own sites.`,
  start_not_html: ({ content_type: type }: { readonly content_type: string }) =>
    `The starting URL is neither an HTML page nor a sitemap: the response ${typeInWords(type)}. Start from a page of the site.`,
  start_asks_password: ({ names }: SignedIn, wording: Wording) =>
    `The starting page asks for a password, although the report sends credentials (${listOf(names, wording)}). ${maybeNotAccepted}`,
  start_needs_login: ({ url }: { readonly url: string }) =>
    `The starting URL leads to ${url}, which asks for a password, so pages behind it are missing. To check them, give the site a login.`,
  start_not_rendered: ({ why }: Why, { describe }: Wording) =>
    `The starting page could not be rendered, ${linksMissing} ${describe(why)}`,
  start_leads_away: ({ url }: { readonly url: string }) =>
    `The starting URL redirects to ${url}, which has no links to other pages of its site. The site may not accept the report's credentials.`,
  start_links_to_routes: () =>
    `The links of the starting page point to routes after # (such as #/about), which are the same URL to servers and validators, ${onlyPage}`,
  start_links_excluded: () => `The starting page links only to excluded pages of its site, ${onlyPage}`,
  start_links_not_included: ({ is_page: isPage }: { readonly is_page: boolean }) =>
    isPage
      ? `The starting page links only to pages of its site that are not included, ${onlyPage}`
      : 'The starting page and the pages that it links to are not included, so the report has no pages. Change the inclusions, or add an initial URL that links to included pages.',
  start_without_links: ({ is_rendered: isRendered }: { readonly is_rendered: boolean }) =>
    `The starting page has no links to other pages of its site, ${onlyPage}${isRendered ? '' : ' The dynamic crawler also finds links that scripts create.'}`,
  sitemap_without_pages: () => 'The sitemap lists no pages of its own site.',
  sitemap_pages_excluded: () => 'The sitemap lists only excluded pages.',
  sitemap_pages_not_included: () => 'The sitemap lists no pages that are included.',
  start_sitemap_incomplete: ({ why }: Why, { describe }: Wording) =>
    `The sitemap could not be read completely, so pages may be missing: ${describe(why)}.`,
  sitemaps_incomplete: (
    {
      named_by: namedBy,
      sitemaps,
      more,
    }: {
      readonly named_by: 'robots_txt' | 'sitemap';
      readonly sitemaps: readonly (Why & { readonly url: string })[];
      /** Number of other sitemaps. */
      readonly more: number;
    },
    { describe }: Wording,
  ) => {
    const which = namedBy === 'sitemap' ? 'it lists' : "the site's robots.txt names";
    const reasons = sitemaps.map(({ url, why }) => `${url}: ${describe(why)}`).join('; ');
    return `Sitemaps that ${which} could not be read completely, so pages may be missing: ${reasons}${more > 0 ? `; and ${more} more` : ''}.`;
  },
  several: ({ failures }: { readonly failures: readonly AnyFailure[] }, { describe }: Wording) =>
    failures.map(describe).join(' '),

  signed_out_by_refusal: (
    { times, url, why }: Why & { readonly times: number; readonly url: string },
    { describe }: Wording,
  ) =>
    `The site refused access ${times} times in a row despite the report's credentials, first at ${url}: ${describe(why)}. If all later pages fail, the session has ended: ${endedSession}`,
  signed_out_by_password: (
    { times, url, names }: SignedIn & { readonly times: number; readonly url: string },
    wording: Wording,
  ) =>
    `Starting at ${url}, ${times} pages in a row ask for a password, although the report sends credentials (${listOf(names, wording)}). The session may have ended: ${endedSession}`,
  too_much_text: () =>
    'The crawl ended early: the URLs of the site take up more space than a report allows. Exclude generated URLs to make space for others.',
  no_page_included: () =>
    'None of the pages that the spider found is included. Change the inclusions, or add an initial URL that links to included pages.',
  no_page_fetched: () => 'None of the pages of the site could be fetched.',
  credits_over: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'The credits ran out before everything was checked and stored. The report lists every page; the checks without credits failed. Check these pages again when you have more credits.'
      : "The guest's credits for this month ran out before everything was checked and stored. The report lists every page; the checks without credits failed. Check these pages again next month, or when the host has raised the limit.",
  credits_over_in_crawl: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? `The credits ran out before every page was rendered, ${linksMissing} Create a new report when you have more credits.`
      : `The guest's credits for this month ran out before every page was rendered, ${linksMissing} Create a new report next month, or when the host has raised the limit.`,

  // Checks of the report fail with these, too.
  report_stopped: () => 'The report was stopped before it was complete',
  crawl_broke_off: ({ times }: { readonly times: number }) =>
    `The crawl was interrupted ${times} times by an error in this service; see its log`,
  access_unreadable: (_: object, wording: Wording) =>
    `The stored credentials (${listOf(ACCESS_NAMES, wording)}) cannot be decrypted: they are damaged, or their key was replaced. Enter them again`,
};

interface ReadSoFar {
  /** Number of URLs that were read before. */
  readonly urls: number;
}
interface Line extends ReadSoFar {
  readonly line: number;
}

const after = ({ urls }: ReadSoFar): string => `after ${plural(urls, 'URL')}`;

/** Failures of sitemaps, as clauses with the sitemap as the subject. Without a full stop. */
export const SITEMAP_FAILURES = {
  sitemap_xml_broken: (at: Line) => `its XML is invalid on line ${at.line}, ${after(at)}`,
  sitemap_too_deep: (at: Line) => `its elements are nested too deeply on line ${at.line}, ${after(at)}`,
  sitemap_too_large: ({ mebibytes, ...so }: ReadSoFar & { readonly mebibytes: number }) =>
    `it is larger than ${mebibytes} MiB, ${after(so)}`,
  sitemap_gzip_broken: (so: ReadSoFar) => `its gzip data is invalid, ${after(so)}`,
  sitemap_nested_too_deep: () => 'it is nested too deeply',
  sitemap_elsewhere: () => 'it is on another site',
  sitemap_is_html: () => 'it is an HTML page, not a sitemap',
  sitemap_is_other: ({ content_type: type }: { readonly content_type: string }) =>
    `it is not a sitemap: the response ${typeInWords(type)}`,
  sitemap_redirects: ({ max }: { readonly max: number }) => `it redirects more than ${max} times`,
  sitemap_lists_too_many: ({ max, not_read: notRead }: { readonly max: number; readonly not_read: number }) =>
    `it lists more than ${formatNumber(max)} sitemaps, of which ${formatNumber(notRead)} were not read`,
};
