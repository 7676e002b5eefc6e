import { type SentAccess, wantsNoPassword } from '../domain/access-refusal.ts';
import { signsOut } from '../domain/session-urls.ts';
import type { Judgement, ReadSitemap } from '../spider/visit.ts';
import type { Report } from '../store/schema.ts';
import { typeInWords } from './content-type.ts';
import type { DocumentEnd, PageEnd } from './page-end.ts';
import type { SitemapPages } from './visit-sitemap.ts';

/** What of a report's definition tells whether the starting URL's answer is what its owner wanted. */
export type StartedReport = Pick<
  Report,
  'starting_url' | 'initial_urls' | 'max_pages' | 'dynamic_crawler' | 'site_access'
>;

/** Sitemaps whose problems are told one by one; with more, their number says enough. */
const toldSitemapsMax = 3;

/**
 * What the owner should know of the starting URL's answer, in sentences for `crawl_error`; null when all is well.
 * @param judge whether a URL belongs to the report, now that it is known where the starting URL leads
 * @param sent what the request for it signed in with
 */
export function errorAtStart(
  end: PageEnd,
  report: StartedReport,
  judge: (url: string) => Judgement,
  sent: SentAccess | null,
): string | null {
  switch (end.kind) {
    case 'failed':
      return `The starting URL could not be checked. ${end.message}.`;
    case 'robots':
      return `${end.message}. The report respects it: it may be switched off for sites of your own.`;
    case 'not_html':
      return `The starting URL is neither an HTML page nor a sitemap: its answer ${typeInWords(end.contentType)}. Start from a page of the site.`;
    case 'sitemap':
      return errorInSitemap(end, judge);
    case 'document': {
      const asking = errorInSigningIn(end, sent);
      return sentences(
        asking,
        errorInStartingRendering(end) ?? (asking === null ? errorInLinks(end, report, judge) : null),
        problemsIn(end.sitemaps ?? [], "the site's robots.txt names"),
      );
    }
    case 'stopped':
      return null;
  }
}

/** Many sites answer who is not signed in with a form to sign in at the page's own address, and with 200. */
function errorInSigningIn({ document, hasPasswordField }: DocumentEnd, sent: SentAccess | null): string | null {
  if (hasPasswordField !== true || !wantsNoPassword(document.url, sent)) return null;
  return `The starting page asks for a password, although the report signs in (${sent.names}). Perhaps that is not accepted, or no longer: give it anew.`;
}

function errorInStartingRendering({ rendering }: DocumentEnd): string | null {
  if (rendering === undefined || rendering.error === null) return null;
  const why = 'The starting page could not be rendered, so that links which only scripts make are missing.';
  return rendering.ofReport ?? `${why} ${rendering.error}`;
}

/** Why the starting page is alone in a report that was to have more. */
function errorInLinks(
  { document, links, listed = [], hashRoutes }: DocumentEnd,
  report: StartedReport,
  judge: (url: string) => Judgement,
): string | null {
  if (report.max_pages === 1 || report.initial_urls.length > 0) return null;
  const own = new Set([report.starting_url, document.url]);
  const found = [...links, ...listed.map(({ url }) => url)];
  const onward = found.filter((url) => !own.has(url) && !(report.site_access !== null && signsOut(url)));
  const judgements = new Set(onward.map(judge));
  if (judgements.has('inside')) return null;
  if (report.site_access !== null && document.url !== report.starting_url) {
    return `The starting URL leads to ${document.url}, which has no links to other pages of its site. Perhaps what the report signs in with is not accepted.`;
  }
  if (hashRoutes > onward.length) {
    return 'The links of the starting page lead to routes behind # (as #/about does), which are all one URL to servers and checkers, so it is the only page of this report.';
  }
  if (judgements.has('excluded')) {
    return 'The exclusions leave out every page of its site that the starting page links to, so it is the only page of this report.';
  }
  const lonely = 'The starting page has no links to other pages of its site, so it is the only page of this report.';
  return report.dynamic_crawler ? lonely : `${lonely} The dynamic crawler finds links that scripts make, too.`;
}

function errorInSitemap({ listed, sitemaps, message }: SitemapPages, judge: (url: string) => Judgement): string | null {
  const judgements = new Set(listed.map(({ url }) => judge(url)));
  const lists = judgements.has('excluded')
    ? 'The exclusions leave out every page of its site that the sitemap lists.'
    : 'The sitemap lists no page of its site.';
  return sentences(
    judgements.has('inside') ? null : lists,
    message === null ? null : `The sitemap could not be read to its end, so pages may be missing: ${message}.`,
    problemsIn(sitemaps, 'it lists'),
  );
}

/** @param who who names the sitemaps, as a subordinate clause */
function problemsIn(sitemaps: readonly ReadSitemap[], who: string): string | null {
  const problems = sitemaps.flatMap(({ url, problem }) => (problem === null ? [] : `${url}: ${problem}`));
  if (problems.length === 0) return null;
  const told = problems.slice(0, toldSitemapsMax).join('; ');
  const more = problems.length > toldSitemapsMax ? `; and ${problems.length - toldSitemapsMax} more` : '';
  return `Sitemaps that ${who} could not be read, or not to their end, so pages may be missing: ${told}${more}.`;
}

function sentences(...parts: readonly (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(' ') || null;
}
