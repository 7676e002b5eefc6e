import { sql } from 'kysely';
import type { DiscoveredUrl, UrlOutcome } from '../domain/crawl.ts';
import type { Executor } from './database.ts';

/** Everything that was discovered in a report so far, in order. */
export async function discoveredUrls(db: Executor, reportId: string): Promise<DiscoveredUrl[]> {
  const rows = await db
    .selectFrom('discovered_urls')
    .select(['position', 'url', 'linked_from', 'depth', 'outcome', 'target'])
    .where('report_id', '=', reportId)
    .orderBy('position')
    .execute();
  return rows.map(({ linked_from: linkedFrom, ...row }) => ({ ...row, linkedFrom }));
}

/** Writes new URLs and changed outcomes. Of several changes to one URL the last counts. */
export async function saveDiscoveredUrls(
  db: Executor,
  reportId: string,
  urls: readonly DiscoveredUrl[],
): Promise<void> {
  const last = [...new Map(urls.map((url) => [url.position, url])).values()];
  if (last.length === 0) return;
  await sql`
    INSERT INTO discovered_urls (report_id, position, url, linked_from, depth, outcome, target)
    SELECT ${reportId}, * FROM unnest(${last.map((url) => url.position)}::integer[], ${last.map((url) => url.url)}::text[],
      ${last.map((url) => url.linkedFrom)}::text[], ${last.map((url) => url.depth)}::integer[],
      ${last.map((url) => url.outcome)}::text[], ${last.map((url) => url.target)}::text[])
    ON CONFLICT (report_id, position) DO UPDATE SET outcome = excluded.outcome, target = excluded.target`.execute(db);
}

/** Gives every URL that still waits the same outcome: the crawl is over. */
export async function settleWaitingUrls(db: Executor, reportId: string, outcome: UrlOutcome): Promise<void> {
  await db
    .updateTable('discovered_urls')
    .set({ outcome })
    .where('report_id', '=', reportId)
    .where('outcome', 'is', null)
    .execute();
}
