import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { CrawlClaim, DiscoveredUrl } from '../../domain/crawl.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { WebPageContent } from '../../domain/fetched-page.ts';
import { hostOf } from '../../domain/host-name.ts';
import type { Screenshot } from '../../domain/screenshot.ts';
import { creditsOver, type Shortage } from '../credits/credits.ts';
import type { Executor } from '../database.ts';
import { enabledChecks } from '../pages/checks.ts';
import { insertDocuments } from '../pages/documents.ts';
import { insertScreenshots, MARK, storeImages } from '../pages/screenshots.ts';
import type { Report } from '../schema.ts';
import { storable, storableFailure } from '../storable.ts';
import { saveDiscoveredUrls } from './discovered-urls.ts';
import { type ReportTransaction, reportTransaction } from './report-transaction.ts';

export interface NewPage {
  readonly url: string;
  readonly linkedFrom: string | null;
  /** The page's position in its report, from 1. */
  readonly turn: number;
  readonly content: WebPageContent;
  /** Present for a mark of a journey. */
  readonly atMark?: CollectedAtMark;
}

/** What was found at a mark of a journey, apart from its document. */
export interface CollectedAtMark {
  /** The URL of the page at that moment. */
  readonly reachedUrl: string;
  /** By kind of check: the output of its engine, compressed with zstd, or why there is none. */
  readonly collected: ReadonlyMap<CheckKind, Buffer | Failure>;
  readonly screenshot: Screenshot | null;
}

export interface CrawlProgress {
  readonly pages: readonly NewPage[];
  readonly discovered: readonly DiscoveredUrl[];
  /** Number of URLs that were found but not stored, because the report has too many. */
  readonly notKept?: number;
  /** Number of pages that were rendered only for their links. */
  readonly numRenderedForLinks?: number;
  /** Present once the starting URL has responded. */
  readonly siteUrl?: string;
  readonly crawlError?: Failure | undefined;
  /** How many journeys have been performed. Absent if that is unchanged. */
  readonly journeysRun?: number;
}

/**
 * Saves the spider's results in one transaction with the checks of the new pages, so that an interrupted crawl continues where it
 * stopped.
 * @returns false if the report was deleted or the claim is lost
 */
export async function saveCrawlProgress(db: Executor, claim: CrawlClaim, progress: CrawlProgress): Promise<boolean> {
  const write = async (change: ReportTransaction): Promise<true> => {
    await writeProgress(change, progress);
    return true;
  };
  const isSaved = await reportTransaction(db, claim, write, { queued: true });
  return isSaved ?? false;
}

async function writeProgress(change: ReportTransaction, progress: CrawlProgress): Promise<void> {
  const { trx, reportId } = change;
  const { pages, discovered, notKept = 0, numRenderedForLinks = 0, siteUrl, crawlError, journeysRun } = progress;
  const stored = pages.flatMap(({ content }) => (content.kind === 'document' ? [content.stored] : []));
  await storeImages(trx, screenshotsOf(pages));
  await insertDocuments(trx, stored);
  const shortage = pages.length > 0 ? await insertPages(change, pages) : null;
  if (numRenderedForLinks > 0) await change.takeCredits(numRenderedForLinks, 'rendered_pages');
  await saveDiscoveredUrls(change, discovered);
  await trx
    .updateTable('reports')
    .set((eb) => ({
      num_pages: eb('num_pages', '+', pages.length),
      urls_not_kept: eb('urls_not_kept', '+', notKept),
      crawl_failures: 0,
      ...(journeysRun === undefined ? {} : { journeys_run: journeysRun, acting_journey: null }),
      ...(siteUrl === undefined ? {} : { site_url: siteUrl, crawl_hosts: [hostOf(siteUrl)] }),
      ...(crawlError === undefined ? {} : { crawl_error: JSON.stringify(storableFailure(crawlError)) }),
      ...(shortage === null ? {} : { crawl_error: creditsOver(shortage) }),
    }))
    .where('id', '=', reportId)
    .execute();
  if (shortage !== null || stored.length < pages.length) change.markChecked();
}

/** Returns the columns of a page that depend on the response. */
export function contentColumns(content: WebPageContent) {
  const { isSignedIn = false } = content;
  if (content.kind === 'document') {
    const { document, stored, title } = content;
    return {
      is_signed_in: isSignedIn,
      http_status: document.httpStatus,
      content_type: storable(document.contentType),
      title: title === null ? null : storable(title),
      document_hash: stored.hash,
      fetched_at: sql<Date>`now()`,
      headers: JSON.stringify(document.headers.map(([name, value]) => [storable(name), storable(value)])),
    };
  }
  return {
    is_signed_in: isSignedIn,
    http_status: content.httpStatus,
    content_type: content.contentType === '' ? null : storable(content.contentType),
    title: null,
    document_hash: null,
    fetched_at: null,
    headers: '[]',
  };
}

/** Inserts pages with their checks; their documents must have been stored before. Returns the shortage of credits, if any. */
async function insertPages(change: ReportTransaction, pages: readonly NewPage[]): Promise<Shortage | null> {
  const { trx, reportId } = change;
  const rows = await trx
    .insertInto('web_pages')
    .values(
      pages.map(({ url, linkedFrom, content, atMark }) => ({
        report_id: reportId,
        url,
        reached_url: atMark === undefined ? null : storable(atMark.reachedUrl),
        linked_from: linkedFrom,
        ...contentColumns(content),
        render_error: renderErrorOf(content),
        ...(content.kind === 'document' ? {} : { last_checked_at: sql<Date>`now()` }),
      })),
    )
    .returning(['id', 'url'])
    .execute();
  const ids = new Map(rows.map((row) => [row.url, row.id]));
  const shots = pages.flatMap(({ url, atMark }) => {
    const webPageId = ids.get(url);
    return webPageId === undefined || !atMark?.screenshot ? [] : [{ webPageId, screenshot: atMark.screenshot }];
  });
  await insertScreenshots(trx, MARK, shots);
  return insertChecks(change, pages, ids);
}

function screenshotsOf(pages: readonly NewPage[]): Screenshot[] {
  return pages.flatMap(({ atMark }) => atMark?.screenshot ?? []);
}

/**
 * Records that a journey may change something on the site from now on. The record stays until the marks of the journey are saved,
 * so that it is not performed again after an interruption.
 * @returns false if the report was deleted or the claim is lost
 */
export async function saveActingJourney(db: Executor, claim: CrawlClaim, name: string): Promise<boolean> {
  const isSaved = await reportTransaction(db, claim, async ({ trx, reportId, markUnchanged }) => {
    markUnchanged();
    await trx.updateTable('reports').set({ acting_journey: name }).where('id', '=', reportId).execute();
    return true;
  });
  return isSaved ?? false;
}

/** Returns how many pages of a report are saved, how many journeys have been performed, and which one may change something. */
export async function readProgress(
  db: Executor,
  reportId: string,
): Promise<Pick<Report, 'num_pages' | 'journeys_run' | 'acting_journey'>> {
  const columns = db.selectFrom('reports').select(['num_pages', 'journeys_run', 'acting_journey']);
  return columns.where('id', '=', reportId).executeTakeFirstOrThrow();
}

/**
 * Inserts the checks of new pages. Each check is paid for before a worker can see it, so that no more checks run than credits
 * allow; checks that cannot be paid for fail.
 * @param ids the ids of the pages, by URL
 * @returns the shortage of credits, if any
 */
async function insertChecks(
  change: ReportTransaction,
  pages: readonly NewPage[],
  ids: ReadonlyMap<string, number>,
): Promise<Shortage | null> {
  const { trx, reportId, payerId } = change;
  const kinds = await enabledChecks(trx, reportId);
  const wanted = pages.filter(({ content }) => content.kind === 'document').length * kinds.length;
  const { granted, shortage, paid } = await change.takeCredits(wanted, 'checks');
  // The rendering has already run: if another report spent the last credits in the meantime, it is free.
  await change.takeCredits(pages.filter(({ content }) => hasRendered(content)).length, 'rendered_pages');
  let affordable = granted;
  const outcomeOf = (content: WebPageContent, collected: Buffer | Failure | undefined) => {
    if (content.kind === 'failed') return failedWith(content.failure);
    if (collected !== undefined && 'code' in collected) return failedWith(collected);
    if (shortage !== null && affordable === 0) {
      return failedWith({ code: 'credits_over_for_check', params: { payer: shortage } });
    }
    affordable -= 1;
    return { status: 'pending' as const, error: null, ...(collected !== undefined && { collected }), ...paid };
  };
  const checks = pages.flatMap(({ url, turn, content, atMark }) => {
    const id = ids.get(url);
    if (id === undefined) return [];
    const row = { web_page_id: id, report_id: reportId, payer_id: payerId, turn };
    return kinds.map((kind) => ({ ...row, kind, ...outcomeOf(content, atMark?.collected.get(kind)) }));
  });
  if (checks.length > 0) await trx.insertInto('checks').values(checks).execute();
  for (const { kind, status } of checks) change.count(kind, { [status]: 1 });
  if (checks.some(({ status }) => status === 'pending')) change.announce(...kinds);
  return shortage;
}

function failedWith(failure: Failure) {
  return { status: 'failed' as const, error: JSON.stringify(storableFailure(failure)) };
}

/** Whether a browser has rendered the page, so that the rendering has to be paid for. */
function hasRendered(content: WebPageContent): boolean {
  return content.kind === 'document' && content.rendering?.hasRun === true;
}

function renderErrorOf(content: WebPageContent): string | null {
  const error = content.kind === 'document' ? (content.rendering?.error ?? null) : null;
  return error === null ? null : JSON.stringify(storableFailure(error));
}
