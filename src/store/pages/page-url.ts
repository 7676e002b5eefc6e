import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { contains, foldedContains } from '../listing.ts';

/**
 * Builds the condition that a part occurs in the URL of a page, or in the URL that a journey reached there, ignoring case.
 * @param pages the table of pages, or its alias
 * @param reportId of all these pages
 */
export function pageUrlContains(
  pages: string,
  reportId: string | RawBuilder<unknown>,
  part: string,
): RawBuilder<SqlBool> {
  // Separate from the other pages, for which reading an index is enough.
  const marks = sql`SELECT m.id FROM web_pages m
    WHERE m.report_id = ${reportId} AND m.reached_url IS NOT NULL AND ${contains(sql.ref('m.reached_url'), part)}`;
  return sql`(${foldedContains(sql.ref(`${pages}.folded_url`), part)} OR ${sql.ref(`${pages}.id`)} IN (${marks}))`;
}
