import type { FetchedDocument } from '../../domain/check.ts';
import { fetchesInFlightMax } from '../../spider/limits.ts';
import { enabledChecks } from '../../store/checks.ts';
import { creditsLeft, payerOfReport, shortageOf } from '../../store/credits.ts';
import type { Database } from '../../store/database.ts';
import type { Rendering, RenderPage } from './render-page.ts';

/** Renders the pages of one report while there are credits for it. Saving a rendered page takes the credit. */
export interface PaidRenderer {
  /**
   * What becomes of a page instead when there are no credits for rendering and checking it; null when there are.
   * @param earlierSaved resolves when every page before it is saved
   */
  refusal(earlierSaved: Promise<void>): Promise<Rendering | null>;
  render(document: FetchedDocument): Promise<Rendering>;
}

/** Unsaved pages at most: those under way, and as many that are just being saved. */
const UNSAVED_PAGES_MAX = 2 * fetchesInFlightMax;

/**
 * Where credits are too few for all pages under way, each page waits until those before it are saved and paid for, so that
 * timing does not decide which of them are rendered.
 */
export async function createPaidRenderer(
  db: Database,
  renderPage: RenderPage,
  reportId: string,
  { waitFor, signal }: { readonly waitFor: string | null; readonly signal: AbortSignal },
): Promise<PaidRenderer> {
  const pagePrice = 1 + (await enabledChecks(db, reportId)).length;

  return {
    async refusal(earlierSaved) {
      const spender = await payerOfReport(db, reportId);
      if (creditsLeft(spender) === null || shortageOf(spender, UNSAVED_PAGES_MAX * pagePrice) === null) return null;
      await earlierSaved;
      const payer = shortageOf(await payerOfReport(db, reportId), pagePrice);
      if (payer === null) return null;
      const params = { payer };
      const error = { code: 'credits_over_for_rendering', params } as const;
      return { kind: 'failed', error, hasRun: false, ofReport: { code: 'credits_over_in_crawl', params } };
    },
    render: (document) => renderPage(document, { cacheGroup: reportId, waitFor, signal }),
  };
}
