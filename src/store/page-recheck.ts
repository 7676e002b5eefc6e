import { sql } from 'kysely';
import type { CheckStatus } from '../domain/check.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { UNBEGUN } from './checks.ts';
import { creditsExhausted, payerOfReport, SHORTAGES, shortageOf, takeReportCredits } from './credits.ts';
import type { Executor } from './database.ts';
import type { Check, ReportCheck } from './schema.ts';

/**
 * Has a page fetched and checked again. Its issues stay until the new ones replace them. A page that waits for its
 * checks anyway is only fetched again.
 * @throws AppError credits_exhausted when not all checks and their raw checks can be paid for; nothing has changed then
 */
export async function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await changeReport(db, reportId, async (change) => {
    const { trx } = change;
    const before = await lockChecks(change, webPageId);
    if (before.length === 0) return change.leave();
    await trx
      .updateTable('checks')
      .set({ status: 'pending', runnable: false, error: null, notes: '[]', ...UNBEGUN })
      .where('web_page_id', '=', webPageId)
      .execute();
    for (const { kind, status } of before) {
      change.uncount(kind, { [status]: 1 });
      change.count(kind, { pending: 1 });
    }
    await trx
      .updateTable('web_pages')
      .set({ refetch_pending: true, updated_at: sql<Date>`now()` })
      .where('id', '=', webPageId)
      .execute();
    await trx.updateTable('reports').set({ crawl_pending: true }).where('id', '=', reportId).execute();
    // What waits and was never begun has been paid for already.
    await pay(
      change,
      webPageId,
      before.filter(({ status, attempts }) => status !== 'pending' || attempts > 0),
    );
    await forgetShortage(change);
    change.announce('crawl');
  });
}

type CheckBefore = Pick<Check, 'kind' | 'attempts'> & Pick<ReportCheck, 'store_raw'> & { readonly status: CheckStatus };

/** A page's checks. No worker may claim one of them from here on: it would run, and then once more for the same credit. */
function lockChecks({ trx, reportId }: ReportChange, webPageId: number): Promise<CheckBefore[]> {
  return trx
    .selectFrom('checks as c')
    .innerJoin('report_checks as r', (join) =>
      join.onRef('r.report_id', '=', 'c.report_id').onRef('r.kind', '=', 'c.kind'),
    )
    .select(['c.kind', 'c.status', 'c.attempts', 'r.store_raw'])
    .where('c.web_page_id', '=', webPageId)
    .where('c.report_id', '=', reportId)
    .orderBy('c.kind')
    .forUpdate('c')
    .execute();
}

/** @throws AppError credits_exhausted */
async function pay({ trx, reportId }: ReportChange, webPageId: number, checks: readonly CheckBefore[]): Promise<void> {
  const { shortage, paid } = await takeReportCredits(trx, reportId, checks.length, 'checks');
  // Raw checks are paid for when they are stored, but a check is not run again to be left without its own.
  const rawChecks = checks.filter((check) => check.store_raw).length;
  const lacking = shortage ?? shortageOf(await payerOfReport(trx, reportId), rawChecks);
  if (lacking !== null) throw creditsExhausted(lacking);
  if (checks.length === 0) return;
  const kinds = checks.map(({ kind }) => kind);
  await trx.updateTable('checks').set(paid).where('web_page_id', '=', webPageId).where('kind', 'in', kinds).execute();
}

/**
 * A report of which every check and raw check could be paid for in the end has nothing to complain of any more, unless it
 * has pages that were never rendered.
 */
async function forgetShortage({ trx, reportId }: ReportChange): Promise<void> {
  const shortages = Object.values(SHORTAGES);
  await sql`
    UPDATE reports SET crawl_error = (
      SELECT s.of_crawl
      FROM unnest(${shortages.map(({ ofRendering }) => ofRendering)}::text[],
        ${shortages.map(({ ofCrawl }) => ofCrawl)}::text[]) AS s(of_rendering, of_crawl)
      JOIN web_pages p ON p.report_id = ${reportId} AND p.render_error = s.of_rendering
      LIMIT 1)
    WHERE id = ${reportId} AND crawl_error = ANY(${shortages.map(({ ofReport }) => ofReport)}) AND NOT EXISTS (
      SELECT FROM checks WHERE report_id = ${reportId} AND status = 'failed'
        AND error = ANY(${shortages.map(({ ofCheck }) => ofCheck)})
    ) AND NOT EXISTS (
      SELECT FROM report_checks rc JOIN checks c ON c.report_id = rc.report_id AND c.kind = rc.kind
      WHERE rc.report_id = ${reportId} AND rc.store_raw AND c.status = 'checked' AND NOT EXISTS (
        SELECT FROM raw_checks w WHERE w.web_page_id = c.web_page_id AND w.kind = c.kind))`.execute(trx);
}
