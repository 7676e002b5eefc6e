import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { cutShortBy } from '../../domain/crawl.ts';
import type { Executor } from '../database.ts';
import type { Report } from '../schema.ts';
import { createdBy, isCutShort, type ReportCreators } from './reports.ts';

/**
 * Builds the condition that a row of `reports` is complete: it has finished, found a page, and was not stopped early. Clients see
 * only such reports of a site, and periods are compared by them. A report that is being re-checked has finished before, unless it
 * had failed.
 */
export const isComplete = sql<SqlBool>`(
  first_finished_at IS NOT NULL AND status <> 'failed' AND deleted_at IS NULL AND NOT temporary
  AND NOT ${isCutShort(sql.ref('crawl_error'))})`;

/** The same for a report that has not been deleted. */
export function isCompleteReport({
  first_finished_at: firstFinishedAt,
  status,
  temporary,
  crawl_error: error,
}: Pick<Report, 'first_finished_at' | 'status' | 'temporary' | 'crawl_error'>): boolean {
  return firstFinishedAt !== null && status !== 'failed' && !temporary && cutShortBy(error?.code) === null;
}

/** Which complete report of a site to find. */
export type WantedReport =
  | 'first'
  | 'newest'
  /** The newest report that finished before a time. */
  | { readonly finishedBefore: Date }
  /** The first report that finished at a time or later. */
  | { readonly finishedFrom: Date }
  /** The newest one before another report. */
  | { readonly beforeReport: string };

/** @param creators whose reports count; null for all of the site */
export async function findCompleteReport(
  db: Executor,
  siteId: string,
  creators: ReportCreators | null,
  wanted: WantedReport,
): Promise<string | undefined> {
  const isFirst = wanted === 'first' || (typeof wanted === 'object' && 'finishedFrom' in wanted);
  const direction = isFirst ? 'asc' : 'desc';
  let reports = db.selectFrom('reports').select('id').where('site_id', '=', siteId).where(isComplete);
  if (creators !== null) reports = reports.where(createdBy(creators));
  if (typeof wanted === 'object') reports = reports.where(matches(wanted));
  const found = reports.orderBy('inserted_at', direction).orderBy('id', direction).limit(1);
  return (await found.executeTakeFirst())?.id;
}

function matches(wanted: Exclude<WantedReport, string>): RawBuilder<SqlBool> {
  if ('finishedBefore' in wanted) return sql`finished_at < ${wanted.finishedBefore}`;
  if ('finishedFrom' in wanted) return sql`finished_at >= ${wanted.finishedFrom}`;
  return sql`(inserted_at, id) < (SELECT inserted_at, id FROM reports WHERE id = ${wanted.beforeReport})`;
}
