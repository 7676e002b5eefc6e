import { type AccessName, type AnyFailure, listOf, type Telling, typeInWords } from './telling.ts';

type Payer = 'account' | 'guest';

interface Why {
  readonly why: AnyFailure;
}
interface SignedIn {
  readonly names: readonly AccessName[];
}

const onlyPage = 'so it is the only page of this report.';
const linksMissing = 'so that links which only scripts make are missing.';

/** What a report says of its crawl as a whole. */
export const CRAWL_FAILURES = {
  start_failed: ({ why }: Why, { tell }: Telling) => `The starting URL could not be checked. ${tell(why)}.`,
  start_disallowed: ({ why }: Why, { tell }: Telling) =>
    `${tell(why)}. The report respects it: it may be switched off for sites of your own.`,
  start_not_html: ({ content_type: type }: { readonly content_type: string }) =>
    `The starting URL is neither an HTML page nor a sitemap: its answer ${typeInWords(type)}. Start from a page of the site.`,
  start_asks_password: ({ names }: SignedIn, telling: Telling) =>
    `The starting page asks for a password, although the report signs in (${listOf(names, telling)}). Perhaps that is not accepted, or no longer: give it anew.`,
  start_not_rendered: ({ why }: Why, { tell }: Telling) =>
    `The starting page could not be rendered, ${linksMissing} ${tell(why)}`,
  start_leads_away: ({ url }: { readonly url: string }) =>
    `The starting URL leads to ${url}, which has no links to other pages of its site. Perhaps what the report signs in with is not accepted.`,
  start_links_to_routes: () =>
    `The links of the starting page lead to routes behind # (as #/about does), which are all one URL to servers and checkers, ${onlyPage}`,
  start_links_excluded: () =>
    `The exclusions leave out every page of its site that the starting page links to, ${onlyPage}`,
  start_without_links: ({ is_rendered: isRendered }: { readonly is_rendered: boolean }) =>
    `The starting page has no links to other pages of its site, ${onlyPage}${isRendered ? '' : ' The dynamic crawler finds links that scripts make, too.'}`,
  sitemap_without_pages: () => 'The sitemap lists no page of its site.',
  sitemap_pages_excluded: () => 'The exclusions leave out every page of its site that the sitemap lists.',
  start_sitemap_incomplete: ({ why }: Why, { tell }: Telling) =>
    `The sitemap could not be read to its end, so pages may be missing: ${tell(why)}.`,
  sitemaps_incomplete: (
    {
      named_by: namedBy,
      sitemaps,
      more,
    }: {
      readonly named_by: 'robots_txt' | 'sitemap';
      readonly sitemaps: readonly (Why & { readonly url: string })[];
      /** How many others there are. */
      readonly more: number;
    },
    { tell }: Telling,
  ) => {
    const who = namedBy === 'sitemap' ? 'it lists' : "the site's robots.txt names";
    const told = sitemaps.map(({ url, why }) => `${url}: ${tell(why)}`).join('; ');
    return `Sitemaps that ${who} could not be read, or not to their end, so pages may be missing: ${told}${more > 0 ? `; and ${more} more` : ''}.`;
  },
  several: ({ failures }: { readonly failures: readonly AnyFailure[] }, { tell }: Telling) =>
    failures.map(tell).join(' '),

  signed_out_by_refusal: (
    { times, url, why }: Why & { readonly times: number; readonly url: string },
    { tell }: Telling,
  ) =>
    `The site did not let the report in ${times} times in a row, although it signs in, first at ${url}: ${tell(why)}. If all pages fail from there on, the session has ended: sign in with one that lasts, and exclude what ends it.`,
  signed_out_by_password: (
    { times, url, names }: SignedIn & { readonly times: number; readonly url: string },
    telling: Telling,
  ) =>
    `From ${url} on, ${times} pages in a row ask for a password, although the report signs in (${listOf(names, telling)}). Perhaps the session has ended: sign in with one that lasts, and exclude what ends it.`,
  too_much_text: () =>
    'The crawl ended early: the site has longer and more URLs than a report can hold. Exclusions for generated URLs leave room for others.',
  no_page_fetched: () => 'No page of the site could be fetched.',
  pages_not_rendered: ({ why }: Why, { tell }: Telling) => `Pages could not be rendered, ${linksMissing} ${tell(why)}`,
  credits_over: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'The credits ran out before everything was checked and stored. Check the failed pages again when there are new ones.'
      : "The guest's credits of this month ran out before everything was checked and stored. Check the failed pages again next month, or when the host has raised the limit.",
  credits_over_in_crawl: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? `The credits ran out before every page was rendered, ${linksMissing} Create a report when there are new ones.`
      : `The guest's credits of this month ran out before every page was rendered, ${linksMissing} Create a report next month, or when the host has raised the limit.`,

  // Also what the checks of the report fail with.
  report_stopped: () => 'The report was stopped before it was complete',
  crawl_broke_off: ({ times }: { readonly times: number }) =>
    `The crawl broke off ${times} times through a fault of this service; its log says more`,
  access_unreadable: (_: object, { nameOf }: Telling) =>
    `The ${nameOf('basic_auth')}, ${nameOf('headers')} and ${nameOf('cookies')} to sign in with cannot be decrypted: they are damaged, or their key has been replaced. Enter them again`,
};
