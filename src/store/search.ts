import { type Expression, type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from './database.ts';
import { folded, foldedContains } from './listing.ts';
import { createdBy } from './reports/reports.ts';
import type { Schedule } from './schedules/schedules.ts';
import type { CommonIssue, Report, WebPage } from './schema.ts';

/** Results of each type. */
const RESULTS_MAX = 5;
/** Maximum number of reports that are searched, newest first. */
const REPORTS_MAX = 5_000;
/** Pages that are searched, of the newest reports first: about 20 ms. */
const PAGES_MAX = 20_000;
/** Common issues that are searched: about 20 ms. */
const COMMON_ISSUES_MAX = 20_000;

export type FoundReport = Pick<Report, 'id' | 'starting_url' | 'status' | 'num_pages' | 'finished_at'>;
export type FoundPage = Pick<WebPage, 'id' | 'report_id' | 'url' | 'title'>;
export interface FoundCommonIssue
  extends Pick<CommonIssue, 'id' | 'report_id' | 'kind' | 'message' | 'how_many' | 'num_web_pages'> {
  readonly starting_url: string;
}
export interface FoundSchedule extends Pick<Schedule, 'id' | 'active' | 'periodicity'> {
  readonly starting_url: string;
}

const PLACE = sql.ref<number>('place');

/** Returns the reports of an account and of its guests whose starting URL contains a text. */
export async function searchReports(db: Executor, accountId: string, text: string): Promise<readonly FoundReport[]> {
  const url = folded(sql.ref('r.starting_url'));
  const { rows } = await sql<FoundReport>`
    SELECT id, starting_url, status, num_pages, finished_at
    FROM (${newestReports(accountId)}) r
    WHERE ${foldedContains(url, text)}
    ORDER BY ${rankOfUrl(url, text, placeOf(url, text))}, id DESC LIMIT ${RESULTS_MAX}`.execute(db);
  return rows;
}

/**
 * Returns the reports whose pages and common issues are searched: for each site, the latest finished report, or else the latest
 * report, until these have `PAGES_MAX` pages in total. Older reports mostly repeat the contents of these.
 */
export async function latestReports(db: Executor, accountId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT id, sum(num_pages) OVER (ORDER BY id DESC) - num_pages AS pages_before
      FROM (
        SELECT DISTINCT ON (site_id) id, num_pages FROM (${newestReports(accountId)}) r
        ORDER BY site_id, status = 'finished' DESC, id DESC
      ) latest
    ) counted
    WHERE pages_before < ${PAGES_MAX}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Selects `rows` of each report, newest report first, up to `max` in total. The reports are sorted before they are joined, so
 * that nothing is read beyond the limit.
 * @param rows a query for the report `r.id`
 */
function ofNewest(reportIds: readonly string[], rows: RawBuilder<unknown>, max: number): RawBuilder<unknown> {
  return sql`
    SELECT found.* FROM (SELECT id FROM unnest(${[...reportIds]}::uuid[]) AS id ORDER BY id DESC) r
    CROSS JOIN LATERAL (${rows} LIMIT ${max}) found
    ORDER BY r.id DESC LIMIT ${max}`;
}

/** Returns the pages of some reports whose URL, title, or URL that a journey reached contains a text. */
export async function searchPages(
  db: Executor,
  reportIds: readonly string[],
  text: string,
): Promise<readonly FoundPage[]> {
  // Each column has its own index, and only the indexes are read for all pages.
  const matches = (texts: RawBuilder<unknown>, rank: typeof rankOf) => sql`(
    SELECT id, ${rank(sql.ref('text'), text, PLACE)} AS rank
    FROM (${ofNewest(reportIds, sql`SELECT id, text, ${placeOf(sql.ref('text'), text)} AS place FROM (${texts}) t`, PAGES_MAX)}) p
    WHERE place > 0
    ORDER BY 2, 1 DESC LIMIT ${RESULTS_MAX})`;
  const urls = sql`SELECT id, folded_url AS text FROM web_pages WHERE report_id = r.id`;
  const titles = sql`SELECT id, folded_title AS text FROM web_pages WHERE report_id = r.id`;
  const reached = sql`
    SELECT id, ${folded(sql.ref('reached_url'))} AS text FROM web_pages WHERE report_id = r.id AND reached_url IS NOT NULL`;
  const { rows } = await sql<FoundPage>`
    WITH found AS (
      SELECT id, min(rank) AS rank
      FROM (${matches(urls, rankOfUrl)} UNION ALL ${matches(titles, rankOf)} UNION ALL ${matches(reached, rankOfUrl)}) m
      GROUP BY id ORDER BY 2, 1 DESC LIMIT ${RESULTS_MAX}
    )
    SELECT p.id, report_id, url, title FROM web_pages p JOIN found ON p.id = found.id
    ORDER BY found.rank, p.id DESC`.execute(db);
  return rows;
}

/** Returns the common issues of some reports that are not muted and whose message contains a text. */
export async function searchCommonIssues(
  db: Executor,
  reportIds: readonly string[],
  kinds: readonly CheckKind[],
  text: string,
): Promise<readonly FoundCommonIssue[]> {
  const message = sql.ref<string | null>('folded_message');
  const { rows } = await sql<FoundCommonIssue>`
    WITH found AS (
      SELECT id, ${rankOf(message, text, PLACE)} AS rank
      FROM (${ofNewest(
        reportIds,
        sql`SELECT id, folded_message, how_many, ${placeOf(message, text)} AS place FROM common_issues
          WHERE report_id = r.id AND kind = ANY(${[...kinds]})`,
        COMMON_ISSUES_MAX,
      )}) c
      WHERE how_many > 0 AND place > 0
      ORDER BY 2, 1 DESC LIMIT ${RESULTS_MAX}
    )
    SELECT c.id, report_id, kind, message, how_many, num_web_pages, r.starting_url
    FROM found JOIN common_issues c ON c.id = found.id JOIN reports r ON r.id = c.report_id
    ORDER BY found.rank, c.id DESC`.execute(db);
  return rows;
}

/** Returns the schedules of an account whose starting URL contains a text. */
export async function searchSchedules(
  db: Executor,
  accountId: string,
  text: string,
): Promise<readonly FoundSchedule[]> {
  const startingUrl = sql<string>`definition->>'starting_url'`;
  const url = folded(startingUrl);
  const { rows } = await sql<FoundSchedule>`
    SELECT id, active, periodicity, ${startingUrl} AS starting_url FROM schedules
    WHERE account_id = ${accountId} AND ${foldedContains(url, text)}
    ORDER BY ${rankOfUrl(url, text, placeOf(url, text))}, id DESC LIMIT ${RESULTS_MAX}`.execute(db);
  return rows;
}

function newestReports(accountId: string): RawBuilder<unknown> {
  return sql`
    SELECT id, site_id, starting_url, status, num_pages, finished_at FROM reports
    WHERE ${createdBy({ accountId, createdBy: 'all' })} AND deleted_at IS NULL ORDER BY id DESC LIMIT ${REPORTS_MAX}`;
}

/** Where a text contains a part, from 1; 0 if it does not. */
function placeOf(text: Expression<string | null>, part: string): RawBuilder<number> {
  return sql<number>`strpos(${text}, ${folded(sql`${part}::text`)})`;
}

/**
 * Orders matches: the whole text first, then its beginning.
 * @param place the first position of the part
 */
function rankOf(text: Expression<string | null>, part: string, place: Expression<number>): RawBuilder<number> {
  const wanted = folded(sql`${part}::text`);
  return sql<number>`CASE WHEN ${text} = ${wanted} THEN 0 WHEN ${place} = 1 THEN 1 ELSE 2 END`;
}

/** The same for URLs, whose scheme and last slash do not count. */
function rankOfUrl(url: Expression<string | null>, part: string, place: Expression<number>): RawBuilder<number> {
  const wanted = folded(sql`${part}::text`);
  const bare = sql`CASE WHEN starts_with(${url}, 'https://') THEN substr(${url}, 9)
    WHEN starts_with(${url}, 'http://') THEN substr(${url}, 8) ELSE ${url} END`;
  // Most matches are after the scheme and the first letter, so that nothing else is compared.
  return sql<number>`CASE WHEN ${place} > ${sql.lit('https://'.length + 1)} THEN 2
    WHEN ${wanted} IN (${url}, ${bare}, rtrim(${bare}, '/')) THEN 0
    WHEN ${place} = 1 OR starts_with(${bare}, ${wanted}) THEN 1 ELSE 2 END`;
}
