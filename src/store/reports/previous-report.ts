import { sql } from 'kysely';
import type { Executor } from '../database.ts';

/** The report with which to compare a report. */
export interface PreviousReport {
  readonly id: string;
  readonly guest_account_id: string | null;
}

/**
 * The finished reports of the same site that were created before the row of `reports`, newest first, as `before`. A report that
 * is being re-checked counts as finished.
 */
const reportsOfSiteBefore = sql`
  FROM reports before
  WHERE before.site_id = reports.site_id AND (before.inserted_at, before.id) < (reports.inserted_at, reports.id)
    AND before.first_finished_at IS NOT NULL AND before.deleted_at IS NULL AND NOT before.temporary
  ORDER BY before.inserted_at DESC, before.id DESC`;

/** Selects the report with which to compare the row of `reports`. */
export const previous = sql<PreviousReport | null>`(
  SELECT jsonb_build_object('id', before.id, 'guest_account_id', before.guest_account_id) ${reportsOfSiteBefore} LIMIT 1)`;

/** Finds the report with which to compare a report. */
export async function previousReport(db: Executor, reportId: string): Promise<PreviousReport | undefined> {
  const reports = db.selectFrom('reports').select(previous.as('previous')).where('id', '=', reportId);
  return (await reports.executeTakeFirst())?.previous ?? undefined;
}

/** Whether two reports belong to different sites. */
export async function areOfDifferentSites(db: Executor, reportId: string, otherId: string): Promise<boolean> {
  const sites = db.selectFrom('reports').select('site_id').distinct().where('id', 'in', [reportId, otherId]);
  return (await sites.execute()).length > 1;
}

/** Returns the ids of the latest reports before a report with which it could be compared. */
export async function reportsBefore(db: Executor, reportId: string, limit: number): Promise<readonly string[]> {
  const ids = sql<string[]>`ARRAY(SELECT before.id ${reportsOfSiteBefore} LIMIT ${limit})`;
  const reports = db.selectFrom('reports').select(ids.as('ids')).where('id', '=', reportId);
  return (await reports.executeTakeFirst())?.ids ?? [];
}
