import type { FetchedDocument } from '../../domain/check.ts';
import type { CrawlClaim } from '../../domain/crawl.ts';
import { fetchesInFlightMax } from '../../spider/limits.ts';
import { enabledChecks, releaseFormerRenderings } from '../../store/crawl-progress.ts';
import { creditsLeft, payerOfReport, SHORTAGES, shortageOf } from '../../store/credits.ts';
import type { Database } from '../../store/database.ts';
import { reserveRendering } from '../../store/reserved-renderings.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report, as long as there are credits for it. */
export interface PaidRenderer {
  /**
   * What becomes of a page instead, when there are no credits for rendering it; null when one was taken.
   * @param turn resolves when every page before it is saved
   */
  refusal(url: string, turn: Promise<void>): Promise<Rendering | null>;
  render(document: FetchedDocument): Promise<Rendering>;
}

/** Pages that are not saved yet at most: those under way, and as many that are just being saved. */
const UNSAVED_PAGES_MAX = 2 * fetchesInFlightMax;

/**
 * A rendering is paid for before it is begun, and only where credits are left for the page with its checks. What never
 * became a page is given back, so that no kill charges it twice. Where credits are too few for all pages under way, pages
 * wait until those before them are paid for: so it does not depend on timing which of them are rendered.
 */
export async function createPaidRenderer(
  db: Database,
  renderPage: RenderPage,
  claim: CrawlClaim,
  { waitFor, signal }: { readonly waitFor: string | null; readonly signal: AbortSignal },
): Promise<PaidRenderer> {
  const { reportId } = claim;
  await releaseFormerRenderings(db, claim);
  const pagePrice = 1 + (await enabledChecks(db, reportId)).length;

  return {
    async refusal(url, turn) {
      const payer = await payerOfReport(db, reportId);
      if (creditsLeft(payer) === null) return null;
      if (shortageOf(payer, UNSAVED_PAGES_MAX * pagePrice) !== null) await turn;
      const shortage = await reserveRendering(db, claim, url, pagePrice);
      if (shortage === null) return null;
      const { ofRendering, ofCrawl } = SHORTAGES[shortage];
      return { kind: 'failed', message: ofRendering, hasRun: false, ofReport: ofCrawl };
    },
    render: (document) => renderPage(document, { cacheGroup: reportId, waitFor, signal }),
  };
}
