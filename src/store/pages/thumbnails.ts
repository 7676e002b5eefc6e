import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Thumbnail } from '../../domain/screenshot.ts';
import type { Executor } from '../database.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';

/** Stores the thumbnail of a report's start page as the thumbnail of its site, unless a newer report has stored one. */
export async function saveThumbnail(
  { trx, reportId }: ReportTransaction,
  webPageId: number,
  { image, width, height, takenAt }: Thumbnail,
): Promise<void> {
  const hash = createHash('sha256').update(image).digest();
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  await sql`
    INSERT INTO site_thumbnails AS t (site_id, report_id, web_page_id, image, hash, width, height, taken_at)
    SELECT site_id, id, ${webPageId}, ${bytes}, ${hash}, ${width}, ${height}, ${takenAt} FROM reports WHERE id = ${reportId}
    ON CONFLICT (site_id) DO UPDATE SET report_id = excluded.report_id, web_page_id = excluded.web_page_id,
      image = excluded.image, hash = excluded.hash, width = excluded.width, height = excluded.height, taken_at = excluded.taken_at
    WHERE t.report_id <= excluded.report_id`.execute(trx);
}

/** Moves stored thumbnails of pages to the same pages in a newer report, unless that report is temporary. */
export async function moveThumbnails(
  { trx, reportId }: ReportTransaction,
  pages: readonly { readonly webPageId: number; readonly earlierPageId: number }[],
): Promise<void> {
  if (pages.length === 0) return;
  const now = pages.map(({ webPageId }) => webPageId);
  const earlier = pages.map(({ earlierPageId }) => earlierPageId);
  await sql`UPDATE site_thumbnails t SET report_id = ${reportId}, web_page_id = page.now
    FROM unnest(${now}::bigint[], ${earlier}::bigint[]) AS page (now, earlier)
    WHERE t.web_page_id = page.earlier AND t.report_id <= ${reportId}
      AND NOT (SELECT temporary FROM reports WHERE id = ${reportId})`.execute(trx);
}

/** Returns the thumbnail of a site, unless its report was deleted. */
export async function findThumbnail(
  db: Executor,
  siteId: string,
): Promise<{ readonly image: Buffer; readonly hash: Buffer } | undefined> {
  return db
    .selectFrom('site_thumbnails as t')
    .innerJoin('reports as r', 'r.id', 't.report_id')
    .select(['t.image', 't.hash'])
    .where('t.site_id', '=', siteId)
    .where('r.deleted_at', 'is', null)
    .executeTakeFirst();
}
