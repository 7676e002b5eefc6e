import { sql, type Transaction } from 'kysely';
import type { Executor } from '../database.ts';
import { moveDecisions } from '../decisions/decisions.ts';
import { requestInsights } from '../diffs/pending-insights.ts';
import type { Schema } from '../schema.ts';
import { reportTransaction } from './report-transaction.ts';

/** Moves a report to another site of its account. It is compared again: another report may be the previous one. */
export async function moveReport(db: Executor, reportId: string, siteId: string): Promise<void> {
  await reportTransaction(db, reportId, async ({ trx, markInsightsChanged, announce }) => {
    markInsightsChanged();
    await trx.updateTable('reports').set({ site_id: siteId }).where('id', '=', reportId).execute();
    await requestInsights(trx, sql`id = ${reportId}`);
    announce('insights');
  });
}

/**
 * Moves the schedules, share links and decisions of a site to another one, and the records of when it had which issue types and
 * mutings. The other site gets its thumbnail if it has none.
 */
export async function moveHistory(trx: Transaction<Schema>, id: string, into: string): Promise<void> {
  await sql`
    INSERT INTO first_sightings AS f (site_id, fingerprint, seen_at, last_seen_at)
    SELECT ${into}, fingerprint, seen_at, last_seen_at FROM first_sightings WHERE site_id = ${id} ORDER BY fingerprint
    ON CONFLICT (site_id, fingerprint) DO UPDATE SET seen_at = least(f.seen_at, excluded.seen_at),
      last_seen_at = greatest(f.last_seen_at, excluded.last_seen_at)`.execute(trx);
  await sql`
    INSERT INTO ended_mutings (site_id, muting_id, added_at, ended_at)
    SELECT ${into}, muting_id, added_at, ended_at FROM ended_mutings WHERE site_id = ${id}
    ON CONFLICT (site_id, muting_id) DO NOTHING`.execute(trx);
  await sql`
    INSERT INTO site_thumbnails (site_id, report_id, web_page_id, image, hash, width, height, taken_at)
    SELECT ${into}, report_id, web_page_id, image, hash, width, height, taken_at FROM site_thumbnails WHERE site_id = ${id}
    ON CONFLICT (site_id) DO NOTHING`.execute(trx);
  await moveDecisions(trx, id, into);
  await trx.updateTable('schedules').set({ site_id: into }).where('site_id', '=', id).execute();
  await trx.updateTable('share_links').set({ site_id: into }).where('site_id', '=', id).execute();
}
