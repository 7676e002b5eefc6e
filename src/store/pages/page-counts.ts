import { sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

/** How many pages have been checked, and how many of them pass. */
export interface PageCounts {
  /** Pages all of whose checks have run. */
  readonly checked: number;
  /** Checked pages without errors that are not muted. */
  readonly passed: number;
}

/** Returns the pages of a report; null if its reader does not see enough of it. */
export function pageCountsOf({
  checked_pages: checked,
  passed_pages: passed,
}: {
  readonly checked_pages: number | null;
  readonly passed_pages: number | null;
}): PageCounts | null {
  return checked === null || passed === null ? null : { checked, passed };
}

export const NO_PAGES: PageCounts = { checked: 0, passed: 0 };

/** Counts some pages of a report that is locked. */
export async function countPages(trx: Transaction<Schema>, webPageIds: readonly number[]): Promise<PageCounts> {
  const { rows } = await sql<PageCounts>`
    SELECT count(*) AS checked, count(*) FILTER (WHERE errors = 0) AS passed
    FROM (
      SELECT sum(errors) AS errors FROM checks WHERE web_page_id = ANY(${webPageIds})
      GROUP BY web_page_id HAVING bool_and(status = 'checked')
    ) pages`.execute(trx);
  return rows[0] ?? NO_PAGES;
}
