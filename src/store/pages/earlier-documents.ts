import { type SqlBool, sql } from 'kysely';
import type { Executor } from '../database.ts';
import type { WebPage } from '../schema.ts';
import { earlierReports } from './earlier-reports.ts';

/** The response for a page in an earlier report. */
export interface EarlierResponse extends Pick<WebPage, 'url' | 'content_type' | 'headers'> {
  readonly http_status: number;
  /** Of the document. */
  readonly hash: Buffer;
  /** Bytes of the document before compression. */
  readonly size: number;
}

/**
 * Returns the latest response for a page in the last reports of the same site and account, among reports that sent the same
 * headers to the site. Undefined if there is none, or if the report does not reuse results.
 */
export async function earlierDocument(
  db: Executor,
  reportId: string,
  url: string,
): Promise<EarlierResponse | undefined> {
  const sentTheSame = sql<SqlBool>`before.site_access IS NULL AND before.device_id IS NOT DISTINCT FROM now.device_id
    AND before.device_rotated = now.device_rotated`;
  const { rows } = await sql<EarlierResponse>`
    SELECT p.url, p.http_status, p.content_type, p.headers, d.hash, d.size
    FROM reports now CROSS JOIN LATERAL (${earlierReports(sentTheSame)}) before
      JOIN web_pages p ON p.report_id = before.id AND p.url = ${url} AND p.http_status = 200
      JOIN documents d ON d.hash = p.document_hash
    WHERE now.id = ${reportId} AND now.reuse AND now.site_access IS NULL
    ORDER BY before.inserted_at DESC, before.id DESC LIMIT 1`.execute(db);
  return rows[0];
}
