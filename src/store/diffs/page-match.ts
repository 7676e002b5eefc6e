import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database.ts';

/** How pages of two reports are matched: by URL, or by the part after the origin if the reports have different origins. */
export interface PageMatch {
  /** The two origins, such as staging and production; null if pages are matched by URL. */
  readonly origins: readonly [string, string] | null;
}

/** How the pages of reports with one origin are matched. */
export const BY_URL: PageMatch = { origins: null };

/**
 * Returns how the pages of two reports are matched. The origin of a report is the origin of its first page, where the redirects
 * of its starting URL end.
 */
export async function matchPages(db: Executor, reportId: string, withId: string): Promise<PageMatch> {
  const { rows } = await sql<{ now: string; before: string }>`
    SELECT now.origin AS now, before.origin AS before
    FROM reports r JOIN reports w ON w.id = ${withId}
      CROSS JOIN LATERAL (${originOf('r.id')}) now CROSS JOIN LATERAL (${originOf('w.id')}) before
    WHERE r.id = ${reportId} AND now.origin <> before.origin`.execute(db);
  const [found] = rows;
  return found === undefined ? BY_URL : { origins: [found.now, found.before] };
}

function originOf(reportId: string): RawBuilder<object> {
  return sql<object>`
    SELECT substring(url FROM '^[a-z]+://[^/]+') AS origin FROM web_pages
    WHERE report_id = ${sql.ref(reportId)} ORDER BY id LIMIT 1`;
}

/**
 * Returns the URL that a page of one report has in the other report. The two origins are swapped, so that no two URLs collide.
 */
export function matchedUrl({ origins }: PageMatch, url: string): string {
  if (origins === null) return url;
  const [now, before] = origins;
  if (url.startsWith(`${now}/`)) return before + url.slice(now.length);
  return url.startsWith(`${before}/`) ? now + url.slice(before.length) : url;
}

/** Builds the expression for the URL that `matchedUrl` returns. @param url a column */
export function matchedUrlOf({ origins }: PageMatch, url: string): RawBuilder<string> {
  const column = sql.ref<string>(url);
  if (origins === null) return sql<string>`${column}`;
  const [now, before] = origins;
  return sql<string>`CASE
    WHEN starts_with(${column}, ${`${now}/`}) THEN ${before}::text || substr(${column}, ${now.length + 1}::integer)
    WHEN starts_with(${column}, ${`${before}/`}) THEN ${now}::text || substr(${column}, ${before.length + 1}::integer)
    ELSE ${column} END`;
}
