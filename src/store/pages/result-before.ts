import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import { looksTheSame } from '../reports/examined-settings.ts';
import { previous } from '../reports/previous-report.ts';

/** The last result of a check of a page with the same document. */
export interface ResultBefore {
  readonly engineVersion: string | null;
  /** The fingerprints of the occurrences of each of its issues, including muted ones. */
  readonly occurrences: readonly Uint8Array[];
}

/**
 * Finds the result of a pending check of a page from the last time it ran for the same document: before the current re-check, or
 * in the previous report of the site, if the document had the same content type there and was checked with the same device and
 * other page settings.
 * @returns null if there is no such result, or if it has more than `maxOccurrences` occurrences
 */
export async function resultBefore(
  db: Executor,
  kind: CheckKind,
  webPageId: number,
  maxOccurrences: number,
): Promise<ResultBefore | null> {
  const { rows } = await sql<ResultBefore>`
    WITH page AS (
      SELECT p.id, p.url, p.document_hash, p.content_type, c.before_document, c.before_engine, p.report_id
      FROM web_pages p JOIN checks c ON c.web_page_id = p.id AND c.kind = ${kind} WHERE p.id = ${webPageId}
    ), before AS (
      SELECT id, before_engine AS engine FROM page WHERE before_document = document_hash
      UNION ALL
      SELECT w.id, k.engine_version FROM page
        JOIN LATERAL (
          SELECT b.id FROM reports JOIN reports b ON b.id = (${previous}->>'id')::uuid AND ${looksTheSame('b', 'reports')}
          WHERE reports.id = page.report_id) r ON true
        JOIN web_pages w ON w.report_id = r.id AND w.url = page.url AND w.document_hash = page.document_hash
          AND w.content_type IS NOT DISTINCT FROM page.content_type
        JOIN checks k ON k.web_page_id = w.id AND k.kind = ${kind} AND k.status = 'checked'
      WHERE page.before_document IS NULL
    ), found AS (
      SELECT i.fingerprints AS occurrences FROM before JOIN issues i ON i.web_page_id = before.id AND i.kind = ${kind}
      UNION ALL
      SELECT f.occurrences FROM before JOIN former_issues f ON f.web_page_id = before.id AND f.kind = ${kind} AND NOT f.is_fixed
      JOIN page ON page.id = before.id
    )
    SELECT before.engine AS "engineVersion", ARRAY(SELECT occurrences FROM found) AS occurrences
    FROM before WHERE coalesce((SELECT sum(octet_length(occurrences)) FROM found), 0) <= ${maxOccurrences} * 16`.execute(
    db,
  );
  return rows[0] ?? null;
}
