import { sql } from 'kysely';
import type { CheckNote } from '../domain/check-note.ts';
import type { Executor } from './database.ts';

/** A page with something to be known about how it was checked. */
interface NotedPage {
  readonly url: string;
  readonly notes: readonly CheckNote[];
}

/** The first noted pages of a report in the order in which they were found, and how many there are. */
export async function listNotedPages(
  db: Executor,
  reportId: string,
  limit: number,
): Promise<{ readonly total: number; readonly rows: readonly NotedPage[] }> {
  const { rows } = await sql<NotedPage & { readonly total: number }>`
    SELECT p.url, c.notes, (count(*) OVER ())::integer AS total
    FROM checks c JOIN web_pages p ON p.id = c.web_page_id
    WHERE c.report_id = ${reportId} AND c.notes <> '[]'
    ORDER BY p.id, c.kind LIMIT ${limit}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows };
}
