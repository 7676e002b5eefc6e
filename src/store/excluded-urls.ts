import type { Executor } from './database.ts';
import { type ListPage, offsetOf, type PageRequest } from './listing.ts';
import type { ExcludedUrl } from './schema.ts';

/** A page of the URLs that a report leaves out, newest first. */
export async function listExcludedUrls(
  db: Executor,
  reportId: string,
  page: PageRequest,
): Promise<ListPage<ExcludedUrl>> {
  const list = db.selectFrom('excluded_urls').where('report_id', '=', reportId);
  const { total } = await list.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  if (offsetOf(page) >= total) return { total, rows: [] };
  const rows = await list.selectAll().orderBy('id', 'desc').limit(page.size).offset(offsetOf(page)).execute();
  return { total, rows };
}
