import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { cutShortBy } from '../../domain/crawl.ts';
import { DEFAULT_DEFINITION } from '../../domain/report-definition.ts';
import type { Executor } from '../database.ts';
import type { Report } from '../schema.ts';
import { createdBy, isCutShort, type ReportCreators } from './reports.ts';

/**
 * Builds the condition that a row of `reports` is complete: it has finished, found a page, and was not stopped early. Clients can
 * open only such reports of a site. A report that is being re-checked counts as finished, unless it had failed.
 * @param report the alias of the row
 */
export function isComplete(report: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${report}.${name}`);
  return sql<SqlBool>`(
    ${column('first_finished_at')} IS NOT NULL AND ${column('status')} <> 'failed' AND ${column('deleted_at')} IS NULL
    AND NOT ${column('temporary')} AND NOT ${isCutShort(column('crawl_error'))})`;
}

/** For how many days later reports are measured against a report: a site with a full check each month always has one. */
const MEASURE_DAYS = 35;

/** The settings besides the maximum number of pages that decide how much of a site is crawled. */
const SCOPE = ['starting_url', 'inclusions', 'exclusions', 'deep_crawl', 'only_journeys'] as const;

/** Whether the row of `reports` had fewer pages or checks than the row `more`, because of its settings. */
const isLessThanMore = sql<SqlBool>`(
  more.num_pages > reports.num_pages AND (
    more.max_pages > reports.max_pages AND reports.num_pages >= reports.max_pages
    OR ${sql.join(
      SCOPE.map((name) => sql`${sql.ref(`more.${name}`)} <> ${sql.ref(`reports.${name}`)}`),
      sql` OR `,
    )})
  OR EXISTS (
    SELECT kind FROM report_checks WHERE report_id = more.id EXCEPT SELECT kind FROM report_checks WHERE report_id = reports.id))`;

/** Whether the row of `reports` was checked with at least the settings that the owner has saved for the site. */
const isAsSaved = sql<SqlBool>`EXISTS (
  SELECT FROM sites saved
  WHERE saved.id = reports.site_id AND saved.is_kept
    AND coalesce((saved.definition->>'max_pages')::integer, ${sql.lit(DEFAULT_DEFINITION.max_pages)}) <= reports.max_pages
    AND ${sql.join(
      SCOPE.map((name) => {
        const fallback = sql.lit(JSON.stringify(DEFAULT_DEFINITION[name]));
        return sql`coalesce(saved.definition->${sql.lit(name)}, ${fallback}::jsonb) = to_jsonb(${sql.ref(`reports.${name}`)})`;
      }),
      sql` AND `,
    )}
    AND NOT EXISTS (
      SELECT jsonb_array_elements_text(saved.definition->'checks') EXCEPT
      SELECT kind FROM report_checks WHERE report_id = reports.id))`;

/**
 * Builds the condition that a row of `reports` is full: complete, with no fewer pages and checks than usual for the site. A quick
 * daily run of 20 pages is not full: a report of the previous weeks has more pages or checks. Clients see full reports, and
 * periods are compared by their full reports (decision 0050).
 */
export const isFull = sql<SqlBool>`(${isComplete('reports')} AND (${isAsSaved} OR NOT EXISTS (
  SELECT FROM reports more
  WHERE more.site_id = reports.site_id AND (more.inserted_at, more.id) < (reports.inserted_at, reports.id)
    AND more.inserted_at >= reports.inserted_at - make_interval(days => ${sql.lit(MEASURE_DAYS)})
    AND ${isComplete('more')} AND ${isLessThanMore})))`;

/** The same as `isComplete` for a report that has not been deleted. */
export function isCompleteReport({
  first_finished_at: firstFinishedAt,
  status,
  temporary,
  crawl_error: error,
}: Pick<Report, 'first_finished_at' | 'status' | 'temporary' | 'crawl_error'>): boolean {
  return firstFinishedAt !== null && status !== 'failed' && !temporary && cutShortBy(error?.code) === null;
}

/** Which full report of a site to find. */
export type WantedReport =
  | 'first'
  | 'newest'
  /** The newest report that finished before a time. */
  | { readonly finishedBefore: Date }
  /** The first report that finished at a time or later. */
  | { readonly finishedFrom: Date }
  /** The newest report before another report. */
  | { readonly beforeReport: string };

/** @param creators whose reports count; null for all reports of the site */
export async function findFullReport(
  db: Executor,
  siteId: string,
  creators: ReportCreators | null,
  wanted: WantedReport,
): Promise<string | undefined> {
  const isFirst = wanted === 'first' || (typeof wanted === 'object' && 'finishedFrom' in wanted);
  const direction = isFirst ? 'asc' : 'desc';
  let reports = db.selectFrom('reports').select('id').where('site_id', '=', siteId).where(isFull);
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
