import type { Executor } from './database.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';
import type { ExcludedUrl } from './schema.ts';

/** A page of the URLs that a report leaves out, newest first. */
export async function listExcludedUrls(
  db: Executor,
  reportId: string,
  page: PageRequest,
): Promise<ListPage<ExcludedUrl>> {
  const list = db.selectFrom('excluded_urls').where('report_id', '=', reportId);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}
