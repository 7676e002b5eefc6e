import { sql, type Transaction } from 'kysely';
import { CHECK_KINDS, type CheckKind, type FetchedDocument } from '../domain/check.ts';
import type { CrawlClaim, DiscoveredUrl } from '../domain/crawl.ts';
import { saveFailedChecks } from './check-results.ts';
import { refund, SHORTAGES, type Shortage, takeReportCredits, withdrawChecks } from './credits.ts';
import type { Database, Executor } from './database.ts';
import { saveDiscoveredUrls } from './discovered-urls.ts';
import { insertDocuments, type StoredDocument } from './documents.ts';
import { addCheckCounts, NO_ISSUES } from './issue-counts.ts';
import { lockCrawl } from './report-lock.ts';
import { settleReport } from './report-progress.ts';
import type { Schema } from './schema.ts';
import { storable, storableSentence } from './storable.ts';

/** What a request for a page gave: a document, or the reason why there is none. */
export type PageContent =
  | {
      readonly document: FetchedDocument;
      readonly stored: StoredDocument;
      readonly title: string | null;
      readonly rendering?: PageRendering;
    }
  | { readonly httpStatus: number | null; readonly contentType: string; readonly message: string };

/** What is kept of the rendering of a page. */
export interface PageRendering {
  /** Whether a browser has worked on the page: then it costs a credit, and only then. */
  readonly hasRun: boolean;
  /** Why it was not rendered; null when it was. */
  readonly error: string | null;
}

export interface NewPage {
  readonly url: string;
  readonly linkedFrom: string | null;
  /** The page's place in its report, from 1. */
  readonly turn: number;
  readonly content: PageContent;
}

export interface CrawlProgress {
  readonly pages: readonly NewPage[];
  readonly discovered: readonly DiscoveredUrl[];
  /** How many URLs were found that there was no room for. */
  readonly notKept?: number;
  /** Set when the starting URL has answered. */
  readonly siteUrl?: string;
  readonly crawlError?: string | undefined;
}

/**
 * Writes what the spider found, in one transaction with the checks of the new pages, so that a crawl that is killed goes
 * on where it was.
 * @returns the kinds of checks that have work now, or null when the report was deleted or the claim is lost
 */
export async function saveCrawlProgress(
  trx: Transaction<Schema>,
  claim: CrawlClaim,
  progress: CrawlProgress,
): Promise<readonly CheckKind[] | null> {
  const { reportId } = claim;
  if (!(await lockCrawl(trx, claim))) return null;
  const kinds = await enabledChecks(trx, reportId);
  await insertDocuments(
    trx,
    progress.pages.flatMap(({ content }) => ('document' in content ? [content.stored] : [])),
  );
  const shortage = progress.pages.length > 0 ? await insertPages(trx, reportId, kinds, progress.pages) : null;
  await saveDiscoveredUrls(trx, reportId, progress.discovered);
  await trx
    .updateTable('reports')
    .set((eb) => ({
      num_pages: eb('num_pages', '+', progress.pages.length),
      urls_not_kept: eb('urls_not_kept', '+', progress.notKept ?? 0),
      crawl_failures: 0,
      ...(progress.siteUrl === undefined ? {} : { site_url: progress.siteUrl }),
      ...(progress.crawlError === undefined ? {} : { crawl_error: storableSentence(progress.crawlError) }),
      ...(shortage === null ? {} : { crawl_error: SHORTAGES[shortage].ofReport }),
    }))
    .where('id', '=', reportId)
    .execute();
  const failed = shortage !== null || progress.pages.some((page) => !('document' in page.content));
  await settleReport(trx, reportId, { checkedNow: failed });
  return progress.pages.some((page) => 'document' in page.content) ? kinds : [];
}

/** Notes that a crawl got on, so that what broke it off before counts no more. The report must be locked. */
export async function noteCrawlProgress(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_failures: 0 })
    .where('id', '=', reportId)
    .where('crawl_failures', '>', 0)
    .execute();
}

/** The kinds of checks that the report asks for. */
export async function enabledChecks(db: Executor, reportId: string): Promise<CheckKind[]> {
  const rows = await db.selectFrom('report_checks').select('kind').where('report_id', '=', reportId).execute();
  return CHECK_KINDS.filter((kind) => rows.some((row) => row.kind === kind));
}

/** The columns of a page that come from its request. */
export function contentColumns(content: PageContent) {
  if ('document' in content) {
    const { document, stored, title } = content;
    return {
      http_status: document.httpStatus,
      content_type: storable(document.contentType),
      title: title === null ? null : storable(title),
      fetch_error: null,
      document_hash: stored.hash,
      headers: JSON.stringify(document.headers.map(([name, value]) => [storable(name), storable(value)])),
    };
  }
  return {
    http_status: content.httpStatus,
    content_type: content.contentType === '' ? null : storable(content.contentType),
    title: null,
    fetch_error: storableSentence(content.message),
    document_hash: null,
    headers: '[]',
  };
}

/**
 * Inserts pages, whose documents are there, with their checks. Each check that is to run is paid for before any worker can
 * see it, so that no more can run than there are credits. Those that cannot be paid for have failed.
 * @returns what ran out
 */
async function insertPages(
  trx: Transaction<Schema>,
  reportId: string,
  kinds: readonly CheckKind[],
  pages: readonly NewPage[],
): Promise<Shortage | null> {
  const rows = await trx
    .insertInto('web_pages')
    .values(
      pages.map(({ url, linkedFrom, content }) => ({
        report_id: reportId,
        url,
        linked_from: linkedFrom,
        ...contentColumns(content),
        render_error: renderErrorOf(content),
        ...('document' in content ? {} : { last_checked_at: sql<Date>`now()` }),
      })),
    )
    .returning(['id', 'url'])
    .execute();
  const ids = new Map(rows.map((row) => [row.url, row.id]));
  const wanted = pages.filter(({ content }) => 'document' in content).length * kinds.length;
  const { granted, shortage, paid } = await takeReportCredits(trx, reportId, wanted, 'checks');
  // Those that another report has spent the last credits before are free: the work is done.
  await takeReportCredits(trx, reportId, pages.filter(({ content }) => hasRendered(content)).length, 'rendered_pages');
  let affordable = granted;
  const outcomeOf = (content: PageContent) => {
    if (!('document' in content)) return { status: 'failed' as const, error: storableSentence(content.message) };
    if (shortage !== null && affordable === 0) return { status: 'failed' as const, error: SHORTAGES[shortage].ofCheck };
    affordable -= 1;
    return { status: 'pending' as const, error: null, ...paid };
  };
  const checks = pages.flatMap(({ url, turn, content }) => {
    const id = ids.get(url);
    if (id === undefined) return [];
    return kinds.map((kind) => ({ web_page_id: id, kind, report_id: reportId, turn, ...outcomeOf(content) }));
  });
  if (checks.length > 0) await trx.insertInto('checks').values(checks).execute();
  for (const kind of kinds) {
    const pending = checks.filter((check) => check.kind === kind && check.status === 'pending').length;
    await addCheckCounts(trx, reportId, kind, { pending, checked: 0, failed: pages.length - pending, ...NO_ISSUES });
  }
  return shortage;
}

/** Whether a browser has worked on the page, so that its rendering is to be paid for. */
function hasRendered(content: PageContent): boolean {
  return 'document' in content && content.rendering?.hasRun === true;
}

function renderErrorOf(content: PageContent): string | null {
  const error = 'document' in content ? (content.rendering?.error ?? null) : null;
  return error === null ? null : storableSentence(error);
}

/**
 * Ends the spider's work on a report, unless pages came to wait for being fetched again.
 * @returns whether it ended; true as well when the report was deleted or the claim is lost
 */
export async function endCrawl(db: Database, claim: CrawlClaim): Promise<boolean> {
  const { reportId } = claim;
  return db.transaction().execute(async (trx) => {
    if (!(await lockCrawl(trx, claim))) return true;
    const refetch = await trx
      .selectFrom('web_pages')
      .select('id')
      .where('report_id', '=', reportId)
      .where('refetch_pending', '=', true)
      .limit(1)
      .execute();
    if (refetch.length > 0) return false;
    await judgeCrawl(trx, reportId);
    const { num_pages: numPages } = await trx
      .updateTable('reports')
      .set({ crawl_pending: false, crawled_by: null, crawl_claim_id: null, crawl_failures: 0 })
      .where('id', '=', reportId)
      .returning('num_pages')
      .executeTakeFirstOrThrow();
    // Without any page, this is all the checking that there will be.
    await settleReport(trx, reportId, { checkedNow: numPages === 0 });
    return true;
  });
}

/** Notes whether a report's crawl, which is about to end, has failed: it has when no page can be checked. */
async function judgeCrawl(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    UPDATE reports r SET crawl_failed = found.nothing,
      crawl_error = CASE WHEN found.nothing THEN coalesce(r.crawl_error, 'No page of the site could be fetched.')
        ELSE r.crawl_error END
    FROM (
      SELECT NOT EXISTS (SELECT FROM web_pages WHERE report_id = ${reportId} AND document_hash IS NOT NULL) AS nothing
    ) AS found
    WHERE r.id = ${reportId} AND r.crawl_failed IS NULL`.execute(trx);
}

/**
 * Notes that a crawl broke off through a fault of ours. It is given up when it was claimed `max` times without getting on.
 * @returns the failures in a row, this one included
 */
export async function noteCrawlFailure(db: Database, claim: CrawlClaim, max: number): Promise<number> {
  const { reportId } = claim;
  return db.transaction().execute(async (trx) => {
    if (!(await lockCrawl(trx, claim))) return 1;
    const { crawl_failures: failures } = await trx
      .updateTable('reports')
      // Its claim counts until it gets on, so that a process that died counts, too.
      .set((eb) => ({ crawl_failures: eb.fn<number>('greatest', ['crawl_failures', eb.lit(1)]) }))
      .where('id', '=', reportId)
      .returning('crawl_failures')
      .executeTakeFirstOrThrow();
    if (failures < max) return failures;
    await giveUpCrawl(
      trx,
      reportId,
      `The crawl broke off ${max} times through a fault of this service; its log says more`,
    );
    return failures;
  });
}

/**
 * Ends a crawl for good: what was found stays, and what was to be fetched again has failed. The report must be locked.
 * @param error without its full stop
 */
export async function giveUpCrawl(trx: Transaction<Schema>, reportId: string, error: string): Promise<void> {
  const pages = await trx
    .updateTable('web_pages')
    .set({ refetch_pending: false })
    .where('report_id', '=', reportId)
    .where('refetch_pending', '=', true)
    .returning('id')
    .execute();
  const pageIds = pages.map(({ id }) => id);
  const payments = await withdrawChecks(trx, reportId, pageIds);
  for (const kind of await enabledChecks(trx, reportId)) await saveFailedChecks(trx, reportId, kind, pageIds, error);
  await judgeCrawl(trx, reportId);
  await trx
    .updateTable('reports')
    .set({ crawl_pending: false, crawl_failures: 0, crawl_error: `${error}.` })
    .where('id', '=', reportId)
    .execute();
  await settleReport(trx, reportId, { checkedNow: true });
  await refund(trx, reportId, payments);
}
