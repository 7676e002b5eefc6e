import { announceWork } from '../queue/worker.ts';
import { extractLinks } from '../spider/extract-links.ts';
import type { FetchOutcome } from '../spider/fetch-page.ts';
import { lockReport, saveFailedChecks } from '../store/check-results.ts';
import { contentColumns, enabledChecks, type PageContent } from '../store/crawl-progress.ts';
import type { Database } from '../store/database.ts';
import { insertDocuments, packDocument, removeUnreferencedDocuments } from '../store/documents.ts';
import { settleReport } from '../store/report-progress.ts';
import type { Fetch } from './visit-url.ts';

/** Fetches again the pages of a report that wait for a re-check, one after the other, and makes their checks ready. */
export async function refetchPages(db: Database, reportId: string, fetch: Fetch, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const page = await db
      .selectFrom('web_pages')
      .select(['id', 'url', 'document_hash'])
      .where('report_id', '=', reportId)
      .where('refetch_pending', '=', true)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (page === undefined) return;
    const content = await toContent(await fetch(page.url));
    await savePage(db, reportId, page.id, content);
    if (page.document_hash !== null) {
      const old = page.document_hash;
      await db.transaction().execute((trx) => removeUnreferencedDocuments(trx, [old]));
    }
  }
}

async function toContent(outcome: FetchOutcome): Promise<PageContent> {
  switch (outcome.kind) {
    case 'document': {
      const stored = await packDocument(outcome.document.body);
      return { document: outcome.document, stored, title: extractLinks(outcome.document).title };
    }
    case 'redirect':
      return { httpStatus: outcome.httpStatus, message: `The page now redirects to ${outcome.location}` };
    case 'other':
      return {
        httpStatus: null,
        message: `The page is no longer HTML but ${outcome.contentType || 'of no known type'}`,
      };
    case 'error':
      return { httpStatus: outcome.httpStatus, message: outcome.message };
  }
}

async function savePage(db: Database, reportId: string, webPageId: number, content: PageContent): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    if ('document' in content) await insertDocuments(trx, [content.stored]);
    const updated = await trx
      .updateTable('web_pages')
      .set({ ...contentColumns(content), refetch_pending: false })
      .where('id', '=', webPageId)
      .where('refetch_pending', '=', true)
      .returning('id')
      .execute();
    if (updated.length === 0) return;
    const kinds = await enabledChecks(trx, reportId);
    if ('document' in content) {
      await trx.updateTable('checks').set({ runnable: true }).where('web_page_id', '=', webPageId).execute();
      await announceWork(trx, kinds);
    } else {
      for (const kind of kinds) {
        const failed = { webPageId, claimId: null, outcome: { error: content.message } };
        await saveFailedChecks(trx, reportId, kind, [failed]);
      }
    }
    await settleReport(trx, reportId, { checkedNow: false });
  });
}
