import { type SentAccess, suggestsEndedSession } from '../domain/access-refusal.ts';
import type { Membership } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { DocumentPage, FetchedPage, ReadSitemap, SitemapPage } from '../domain/fetched-page.ts';
import { looksLikeSignIn, signsOut } from '../domain/session-urls.ts';
import type { UrlSelection } from '../spider/url-selection.ts';
import type { NewPage } from '../store/reports/crawl-progress.ts';
import type { Report } from '../store/schema.ts';

/** The parts of a report's definition that decide whether the response of its starting URL is what its owner wanted. */
export type StartedReport = Pick<
  Report,
  'starting_url' | 'initial_urls' | 'max_pages' | 'dynamic_crawler' | 'site_access'
>;

/** Decides which URLs belong to the report. */
interface StartSelection extends Pick<UrlSelection, 'includes'> {
  readonly membershipOf: (url: string) => Membership;
}

/** Sitemaps whose problems are listed; the others are counted. */
const listedSitemapsMax = 3;

/**
 * Returns the `crawl_error` that follows from the response of the starting URL; null if there is none.
 * @param selection decides which URLs belong to the report, based on where the starting URL leads
 * @param sent the credentials of its request
 */
export function errorAtStart(
  end: FetchedPage,
  report: StartedReport,
  selection: StartSelection,
  sent: SentAccess | null,
): Failure | null {
  switch (end.kind) {
    case 'failed':
      return { code: 'start_failed', params: { why: end.failure } };
    case 'robots':
      return { code: 'start_disallowed', params: { why: end.failure } };
    case 'not_html':
      return { code: 'start_not_html', params: { content_type: end.contentType } };
    case 'sitemap':
      return errorInSitemap(end, selection.membershipOf);
    case 'document': {
      const asking = errorInSigningIn(end, sent) ?? errorWithoutLogin(end, report, sent);
      return together(
        asking,
        errorInStartingRendering(end) ?? (asking === null ? errorInLinks(end, report, selection) : null),
        problemsIn(end.sitemaps ?? [], 'robots_txt'),
      );
    }
    case 'stopped':
    case 'redirect':
      return null;
  }
}

/** Many sites show a login form at the page's own URL, with status 200, to visitors who are not signed in. */
function errorInSigningIn({ document, hasPasswordField }: DocumentPage, sent: SentAccess | null): Failure | null {
  if (hasPasswordField !== true || !suggestsEndedSession(document.url, sent)) return null;
  return { code: 'start_asks_password', params: { names: sent.names } };
}

/** If the starting URL leads to a login page with a password field, that is all that the spider sees without credentials. */
function errorWithoutLogin(
  { document, hasPasswordField }: DocumentPage,
  { starting_url: startingUrl }: StartedReport,
  sent: SentAccess | null,
): Failure | null {
  const isLed = document.url !== startingUrl && looksLikeSignIn(document.url);
  if (sent !== null || hasPasswordField !== true || !isLed) return null;
  return { code: 'start_needs_login', params: { url: document.url } };
}

function errorInStartingRendering({ rendering }: DocumentPage): Failure | null {
  if (rendering === undefined || rendering.error === null) return null;
  return rendering.ofReport ?? { code: 'start_not_rendered', params: { why: rendering.error } };
}

/** Why the starting page is the only page of a report that could have more, or why the report has none. */
function errorInLinks(
  { document, links, listed = [], hashRoutes }: DocumentPage,
  report: StartedReport,
  { membershipOf, includes }: StartSelection,
): Failure | null {
  const isPage = includes(document.url);
  if ((isPage && report.max_pages === 1) || report.initial_urls.length > 0) return null;
  const own = new Set([report.starting_url, document.url]);
  const found = [...links, ...listed.map(({ url }) => url)];
  const onward = found.filter((url) => !own.has(url) && !(report.site_access !== null && signsOut(url)));
  const memberships = new Set(onward.map(membershipOf));
  if (memberships.has('inside')) return null;
  if (report.site_access !== null && document.url !== report.starting_url) {
    return { code: 'start_leads_away', params: { url: document.url } };
  }
  if (!isPage) return { code: 'start_links_not_included', params: { is_page: false } };
  if (hashRoutes > onward.length) return { code: 'start_links_to_routes', params: {} };
  if (memberships.has('not_included')) return { code: 'start_links_not_included', params: { is_page: true } };
  if (memberships.has('excluded')) return { code: 'start_links_excluded', params: {} };
  return { code: 'start_without_links', params: { is_rendered: report.dynamic_crawler } };
}

function errorInSitemap(
  { listed = [], sitemaps = [], failure = null }: SitemapPage,
  membershipOf: (url: string) => Membership,
): Failure | null {
  const memberships = new Set(listed.map(({ url }) => membershipOf(url)));
  return together(
    memberships.has('inside') ? null : { code: codeOfEmptySitemap(memberships), params: {} },
    failure === null ? null : { code: 'start_sitemap_incomplete', params: { why: failure } },
    problemsIn(sitemaps, 'sitemap'),
  );
}

function codeOfEmptySitemap(memberships: ReadonlySet<Membership>) {
  if (memberships.has('not_included')) return 'sitemap_pages_not_included';
  return memberships.has('excluded') ? 'sitemap_pages_excluded' : 'sitemap_without_pages';
}

function problemsIn(read: readonly ReadSitemap[], namedBy: 'robots_txt' | 'sitemap'): Failure | null {
  const sitemaps = read.flatMap(({ url, problem }) => (problem === null ? [] : { url, why: problem }));
  if (sitemaps.length === 0) return null;
  const more = Math.max(0, sitemaps.length - listedSitemapsMax);
  const params = { named_by: namedBy, sitemaps: sitemaps.slice(0, listedSitemapsMax), more };
  return { code: 'sitemaps_incomplete', params };
}

function together(...parts: readonly (Failure | null)[]): Failure | null {
  const failures = parts.filter((part) => part !== null);
  return failures.length > 1 ? { code: 'several', params: { failures } } : (failures[0] ?? null);
}

/** A page that a crawl found. */
type FoundPage = Pick<NewPage, 'url' | 'turn' | 'content'>;

/**
 * Single pages may refuse a signed-in visitor or contain a password field. This many in a row mean that the session has ended.
 */
export const REFUSED_IN_A_ROW = 3;

/**
 * Detects that a site no longer accepts the credentials of a report, for example because a session has expired.
 * @param hasError whether the report already has a `crawl_error`
 * @param sentTo returns the credentials sent to a URL
 * @returns a function that takes the pages of a crawl in order, and returns the `crawl_error` once
 */
export function createRefusalWatch(
  hasError: boolean,
  sentTo: (url: string) => SentAccess | null,
): (pages: readonly FoundPage[]) => Failure | undefined {
  let isDone = hasError;
  let refused: { readonly url: string; readonly why: Failure }[] = [];
  let asking: string[] = [];

  const failureAt = ({ url, content }: FoundPage): Failure | undefined => {
    if (content.kind === 'failed') {
      refused = content.refusesAccess === true ? [...refused, { url, why: content.failure }] : [];
      const [first] = refused;
      if (first === undefined || refused.length < REFUSED_IN_A_ROW) return undefined;
      return { code: 'signed_out_by_refusal', params: { times: REFUSED_IN_A_ROW, ...first } };
    }
    refused = [];
    const sent = sentTo(url);
    if (!suggestsEndedSession(url, sent)) return undefined;
    asking = content.hasPasswordField === true ? [...asking, url] : [];
    const [first] = asking;
    if (first === undefined || asking.length < REFUSED_IN_A_ROW) return undefined;
    return { code: 'signed_out_by_password', params: { times: REFUSED_IN_A_ROW, url: first, names: sent.names } };
  };

  return (pages) => {
    for (const page of pages) {
      if (isDone) break;
      const failure = failureAt(page);
      // `errorAtStart` reports errors of the starting page.
      isDone = failure !== undefined || (page.turn === 1 && refused.length + asking.length > 0);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}

/** Why pages were not rendered, if the reason concerns the whole report. */
export function errorInRendering(pages: readonly FoundPage[]): Failure | undefined {
  const ends = pages.map(({ content }) => (content.kind === 'document' ? content.rendering : undefined));
  return ends.find((rendering) => rendering?.ofReport !== undefined)?.ofReport;
}
