import { sql, type Transaction } from 'kysely';
import type { CrawlClaim } from '../domain/crawl.ts';
import { lockPayerOfReport, type Payment, refund, type Shortage, shortageOf, takeReportCredits } from './credits.ts';
import type { Database } from './database.ts';
import { thisMonth } from './guest-accounts.ts';
import { lockCrawl } from './report-lock.ts';
import type { Schema } from './schema.ts';

/**
 * Takes a credit for rendering a page, where credits are left for the page with its checks. It is held until the URL is
 * settled, or the crawl begins anew or ends: so no rendering is begun that is not paid for, and a kill costs nothing.
 * @param pagePrice credits for the rendering and the checks of one page
 * @returns what ran out, so that the page must not be rendered; null when it may be
 */
export async function reserveRendering(
  db: Database,
  claim: CrawlClaim,
  url: string,
  pagePrice: number,
): Promise<Shortage | null> {
  const { reportId } = claim;
  return db.transaction().execute(async (trx) => {
    // Nothing of a crawl that was taken over will be saved.
    if (!(await lockCrawl(trx, claim))) return null;
    const held = trx.selectFrom('reserved_renderings').select('url').where('report_id', '=', reportId);
    if ((await held.where('url', '=', url).executeTakeFirst()) !== undefined) return null;
    const shortage = shortageOf(await lockPayerOfReport(trx, reportId), pagePrice);
    if (shortage !== null) return shortage;
    const { paid } = await takeReportCredits(trx, reportId, 1, 'rendered_pages');
    await trx
      .insertInto('reserved_renderings')
      .values({ report_id: reportId, url, ...paid })
      .execute();
    return null;
  });
}

/**
 * Settles the renderings of URLs whose outcome is known: what was taken for those that became pages is spent, the rest is
 * given back. Locks as `refund` does: to be called after all else was locked, the report and its documents.
 */
export function settleRenderings(
  trx: Transaction<Schema>,
  reportId: string,
  { settled, spent }: { readonly settled: readonly string[]; readonly spent: readonly string[] },
): Promise<void> {
  return giveBack(trx, reportId, sql`url = ANY(${settled})`, spent);
}

/** Gives back what was taken for renderings that nobody will save. Locks as `settleRenderings` does. */
export function releaseRenderings(trx: Transaction<Schema>, reportId: string): Promise<void> {
  return giveBack(trx, reportId, sql`true`, []);
}

async function giveBack(
  trx: Transaction<Schema>,
  reportId: string,
  condition: ReturnType<typeof sql>,
  spent: readonly string[],
): Promise<void> {
  const { rows } = await sql<Payment>`
    WITH settled AS (
      DELETE FROM reserved_renderings WHERE report_id = ${reportId} AND ${condition}
      RETURNING url, paid_by, usage_month
    )
    SELECT paid_by AS "paidBy", count(*) AS count, count(*) FILTER (WHERE usage_month = ${thisMonth}) AS usage
    FROM settled WHERE url <> ALL(${spent}) GROUP BY paid_by ORDER BY paid_by`.execute(trx);
  await refund(trx, reportId, rows, 'rendered_pages');
}
