import type { FetchedDocument } from '../../domain/check.ts';
import { fetchesInFlightMax } from '../../spider/limits.ts';
import { enabledChecks } from '../../store/crawl-progress.ts';
import { payerOfReport, SHORTAGES, shortageOf } from '../../store/credits.ts';
import type { Database } from '../../store/database.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report, as long as there are credits for it. */
export interface PaidRenderer {
  /**
   * What becomes of a page instead, when there are no credits for rendering it; null when there are.
   * @param turn resolves when every page before it is saved
   */
  refusal(turn: Promise<void>): Promise<Rendering | null>;
  render(document: FetchedDocument): Promise<Rendering>;
}

/** Pages that are not saved yet at most: those under way, and as many that are just being saved. */
const UNSAVED_PAGES_MAX = 2 * fetchesInFlightMax;

/**
 * A rendering is paid for when its page is saved, so that no kill charges it twice. Before that, it is begun only where
 * credits are left for the page with its checks. Where they are too few for all pages under way, pages wait until those
 * before them are paid for: so it does not depend on timing which of them are rendered.
 */
export async function createPaidRenderer(
  db: Database,
  renderPage: RenderPage,
  reportId: string,
  signal: AbortSignal,
): Promise<PaidRenderer> {
  const pagePrice = 1 + (await enabledChecks(db, reportId)).length;
  const shortageFor = async (pages: number) => shortageOf(await payerOfReport(db, reportId), pages * pagePrice);

  return {
    async refusal(turn) {
      if ((await shortageFor(UNSAVED_PAGES_MAX)) === null) return null;
      await turn;
      const shortage = await shortageFor(1);
      if (shortage === null) return null;
      const { ofRendering, ofCrawl } = SHORTAGES[shortage];
      return { kind: 'failed', message: ofRendering, hasRun: false, ofReport: ofCrawl };
    },
    render: (document) => renderPage(document, { cacheGroup: reportId, signal }),
  };
}
