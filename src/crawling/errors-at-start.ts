import { type SentAccess, wantsNoPassword } from '../domain/access-refusal.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { DocumentPage, FetchedPage, ReadSitemap, SitemapPage } from '../domain/fetched-page.ts';
import { signsOut } from '../domain/session-urls.ts';
import type { Judgement } from '../spider/visit.ts';
import type { Report } from '../store/schema.ts';

/** What of a report's definition tells whether the starting URL's answer is what its owner wanted. */
export type StartedReport = Pick<
  Report,
  'starting_url' | 'initial_urls' | 'max_pages' | 'dynamic_crawler' | 'site_access'
>;

/** Sitemaps whose problems are told one by one; with more, their number says enough. */
const toldSitemapsMax = 3;

/**
 * What the owner should know of the starting URL's answer, for `crawl_error`; null when all is well.
 * @param judge whether a URL belongs to the report, now that it is known where the starting URL leads
 * @param sent what the request for it signed in with
 */
export function errorAtStart(
  end: FetchedPage,
  report: StartedReport,
  judge: (url: string) => Judgement,
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
      return errorInSitemap(end, judge);
    case 'document': {
      const asking = errorInSigningIn(end, sent);
      return together(
        asking,
        errorInStartingRendering(end) ?? (asking === null ? errorInLinks(end, report, judge) : null),
        problemsIn(end.sitemaps ?? [], 'robots_txt'),
      );
    }
    case 'stopped':
    case 'redirect':
      return null;
  }
}

/** Many sites answer who is not signed in with a login form at the page's own address, and with 200. */
function errorInSigningIn({ document, hasPasswordField }: DocumentPage, sent: SentAccess | null): Failure | null {
  if (hasPasswordField !== true || !wantsNoPassword(document.url, sent)) return null;
  return { code: 'start_asks_password', params: { names: sent.names } };
}

function errorInStartingRendering({ rendering }: DocumentPage): Failure | null {
  if (rendering === undefined || rendering.error === null) return null;
  return rendering.ofReport ?? { code: 'start_not_rendered', params: { why: rendering.error } };
}

/** Why the starting page is alone in a report that was to have more. */
function errorInLinks(
  { document, links, listed = [], hashRoutes }: DocumentPage,
  report: StartedReport,
  judge: (url: string) => Judgement,
): Failure | null {
  if (report.max_pages === 1 || report.initial_urls.length > 0) return null;
  const own = new Set([report.starting_url, document.url]);
  const found = [...links, ...listed.map(({ url }) => url)];
  const onward = found.filter((url) => !own.has(url) && !(report.site_access !== null && signsOut(url)));
  const judgements = new Set(onward.map(judge));
  if (judgements.has('inside')) return null;
  if (report.site_access !== null && document.url !== report.starting_url) {
    return { code: 'start_leads_away', params: { url: document.url } };
  }
  if (hashRoutes > onward.length) return { code: 'start_links_to_routes', params: {} };
  if (judgements.has('excluded')) return { code: 'start_links_excluded', params: {} };
  return { code: 'start_without_links', params: { is_rendered: report.dynamic_crawler } };
}

function errorInSitemap(
  { listed = [], sitemaps = [], failure = null }: SitemapPage,
  judge: (url: string) => Judgement,
): Failure | null {
  const judgements = new Set(listed.map(({ url }) => judge(url)));
  const code = judgements.has('excluded') ? 'sitemap_pages_excluded' : 'sitemap_without_pages';
  return together(
    judgements.has('inside') ? null : { code, params: {} },
    failure === null ? null : { code: 'start_sitemap_incomplete', params: { why: failure } },
    problemsIn(sitemaps, 'sitemap'),
  );
}

function problemsIn(read: readonly ReadSitemap[], namedBy: 'robots_txt' | 'sitemap'): Failure | null {
  const sitemaps = read.flatMap(({ url, problem }) => (problem === null ? [] : { url, why: problem }));
  if (sitemaps.length === 0) return null;
  const more = Math.max(0, sitemaps.length - toldSitemapsMax);
  const params = { named_by: namedBy, sitemaps: sitemaps.slice(0, toldSitemapsMax), more };
  return { code: 'sitemaps_incomplete', params };
}

function together(...parts: readonly (Failure | null)[]): Failure | null {
  const failures = parts.filter((part) => part !== null);
  return failures.length > 1 ? { code: 'several', params: { failures } } : (failures[0] ?? null);
}
