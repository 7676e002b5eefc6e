import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { type CheckCounts, ISSUE_SUMS, type IssueSums } from '../../domain/counts.ts';
import type { Executor } from '../database.ts';
import { folded, type ListPage, type PageRequest } from '../listing.ts';
import { createdBy, isCutShort, type ReportCreators } from './reports.ts';

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export const STAT_GROUPS = ['site', 'domain', 'tag'] as const;
export type StatGroup = (typeof STAT_GROUPS)[number];

export interface StatFilter extends ReportCreators {
  readonly interval: Interval;
  readonly group: StatGroup;
  /** Reports that finished at this time or later. */
  readonly from: Date;
  /** Reports that finished before this time. */
  readonly before: Date;
}

/** The sums of the last finished reports of the sites of a group in one interval, with the results at their end. */
export interface StatRow {
  /** The interval in UTC: `2026-02-14`, `2026-W07` (ISO 8601) or `2026-02`. */
  readonly period: string;
  /** The first day of the interval: `2026-02-09`. */
  readonly starts_on: string;
  /** Identifies the group: the site's id, the domain, or the case-folded tag. */
  readonly key: string;
  /** The site's starting URL, the domain, or the tag. */
  readonly name: string;
  /** The name of the site; empty if it has none, and for domains and tags. */
  readonly site_name: string;
  /** Sites with a finished report. */
  readonly sites: number;
  /** All finished reports of these sites. */
  readonly reports: number;
  readonly web_pages: number;
  readonly checked: number;
  readonly passed: number;
  /** By enabled kind of check. */
  readonly checks: Readonly<Record<CheckKind, IssueSums & Pick<CheckCounts, 'checked' | 'with_severe'>>>;
}

/** How PostgreSQL formats an interval. */
const PERIODS: Readonly<Record<Interval, string>> = { day: 'YYYY-MM-DD', week: 'IYYY-"W"IW', month: 'YYYY-MM' };

/** The key and the name of a group, the name of its site, and what to join with the reports for it. */
const GROUPS = {
  site: {
    key: sql`site_id::text`,
    name: sql`starting_url`,
    siteName: sql`(SELECT s.name FROM sites s WHERE s.id = key::uuid)`,
    join: sql``,
  },
  domain: { key: sql`domain`, name: sql`domain`, siteName: sql`''`, join: sql`` },
  tag: {
    key: sql`tag.key`,
    name: sql`tag.name`,
    siteName: sql`''`,
    // A report may have the same tag in different cases.
    join: sql`CROSS JOIN LATERAL (
      SELECT ${folded(sql`t`)} AS key, min(t) AS name FROM unnest(tags) t GROUP BY 1) tag`,
  },
} as const satisfies Record<StatGroup, Readonly<Record<'key' | 'name' | 'siteName' | 'join', RawBuilder<unknown>>>>;

/** Returns a page of an account's statistics, newest interval first. */
export async function listStats(db: Executor, filter: StatFilter, page: PageRequest): Promise<ListPage<StatRow>> {
  const { key, name, siteName, join } = GROUPS[filter.group];
  const { rows } = await sql<ListPage<StatRow>>`
    WITH last AS MATERIALIZED (${lastReports(filter)}), grouped AS MATERIALIZED (
      SELECT start, ${key} AS key, min(${name}) AS name, count(*) AS sites, sum(runs) AS reports, sum(num_pages) AS web_pages,
        sum(checked_pages_at_end) AS checked, sum(passed_pages_at_end) AS passed, array_agg(id) AS ids
      FROM last ${join} GROUP BY start, ${key}
    ), shown AS (
      SELECT to_char(start, ${PERIODS[filter.interval]}) AS period, start::date AS starts_on, key, name, ${siteName} AS site_name, sites, reports,
        web_pages, checked, passed, ${checks} AS checks, row_number() OVER (ORDER BY start DESC, name COLLATE "C", key COLLATE "C") AS place
      FROM (
        SELECT * FROM grouped ORDER BY start DESC, name COLLATE "C", key COLLATE "C"
        LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
      ) page
    )
    SELECT (SELECT count(*) FROM grouped) AS total,
      (SELECT coalesce(jsonb_agg(to_jsonb(shown) - 'place' ORDER BY place), '[]') FROM shown) AS rows`.execute(db);
  return rows[0] ?? { total: 0, rows: [] };
}

/**
 * Selects the last finished report of each site in each interval, and the number of reports: in a week, the pages and issues of a
 * site that is checked daily count once. A report that was stopped does not represent its site.
 */
function lastReports(filter: StatFilter): RawBuilder<unknown> {
  const start = sql`date_trunc(${sql.lit(filter.interval)}, finished_at AT TIME ZONE 'UTC')`;
  return sql`
    SELECT DISTINCT ON (${start}, site_id) ${start} AS start, id, site_id, starting_url, domain, tags, num_pages,
      checked_pages_at_end, passed_pages_at_end, count(*) OVER (PARTITION BY ${start}, site_id) AS runs
    FROM reports
    WHERE ${createdBy(filter)} AND deleted_at IS NULL AND status <> 'failed' AND NOT ${isCutShort(sql.ref('crawl_error'))}
      AND finished_at >= ${filter.from} AND finished_at < ${filter.before}
    ORDER BY ${start}, site_id, finished_at DESC, id DESC`;
}

/** The counts of the reports `ids`, added up by kind of check. */
const checks = sql`(
  SELECT coalesce(jsonb_object_agg(kind, to_jsonb(sums) - 'kind'), '{}') FROM (
    SELECT kind, ${sql.join(['checked', 'with_severe', ...ISSUE_SUMS].map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`))}
    FROM report_checks_at_end WHERE report_id = ANY(ids) GROUP BY kind
  ) sums)`;
