import type { FetchedDocument } from '../../domain/check.ts';
import { enabledChecks } from '../../store/crawl-progress.ts';
import { payerOfReport, SHORTAGES, shortageOf } from '../../store/credits.ts';
import type { Database } from '../../store/database.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report, as long as there are credits for it. */
export interface PaidRenderer {
  render(document: FetchedDocument): Promise<Rendering>;
  /** To be called when what became of URLs is saved: by then what was rendered of them is paid for, or costs nothing. */
  settled(urls: readonly string[]): void;
}

/**
 * A rendering is paid for when its page is saved, so that no kill charges it twice. Before that, it is begun only where
 * credits are left for the page with its checks, beside the other pages of the report that are not saved yet.
 */
export async function createPaidRenderer(
  db: Database,
  renderPage: RenderPage,
  reportId: string,
  signal: AbortSignal,
): Promise<PaidRenderer> {
  const pagePrice = 1 + (await enabledChecks(db, reportId)).length;
  const unsettled = new Set<string>();

  return {
    async render(document) {
      unsettled.add(document.url);
      const needed = unsettled.size * pagePrice;
      const shortage = shortageOf(await payerOfReport(db, reportId), needed);
      if (shortage === null) return renderPage(document, { cacheGroup: reportId, signal });
      unsettled.delete(document.url);
      const { ofRendering, ofCrawl } = SHORTAGES[shortage];
      return { kind: 'failed', message: ofRendering, hasRun: false, ofReport: ofCrawl };
    },
    settled(urls) {
      for (const url of urls) unsettled.delete(url);
    },
  };
}
