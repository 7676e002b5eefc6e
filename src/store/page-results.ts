import { sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from './database.ts';

/** Results of the checks of pages, as comparisons of reports read them. */

/** One kind of check of a page. */
export interface CheckResults {
  /** Of the document, in hexadecimal. */
  readonly document: string;
  readonly engineVersion: string | null;
  /** Without muted ones. */
  readonly issues: { readonly fingerprint: string; readonly places: Uint8Array }[];
}

/** The checks of a page that have a result. */
export interface PageResults {
  readonly id: number;
  readonly url: string;
  readonly checks: ReadonlyMap<CheckKind, CheckResults>;
}

/** Returns the next URLs of a report's pages, in order. */
export async function nextUrls(db: Executor, reportId: string, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    SELECT url FROM web_pages WHERE report_id = ${reportId} AND url > ${after}
    ORDER BY url LIMIT ${limit}`.execute(db);
  return rows.map(({ url }) => url);
}

/** Returns the results of pages by URL. Checks of versions before, which have no fingerprints, count as not run. */
export async function pageResults(
  db: Executor,
  reportId: string,
  urls: readonly string[],
): Promise<Map<string, PageResults>> {
  const { rows } = await sql<{
    id: number;
    url: string;
    kind: CheckKind;
    document: string;
    engineVersion: string | null;
  }>`
    SELECT p.id, p.url, c.kind, encode(p.document_hash, 'hex') AS document, c.engine_version AS "engineVersion"
    FROM web_pages p JOIN checks c ON c.web_page_id = p.id
    WHERE p.report_id = ${reportId} AND p.url = ANY(${urls}) AND c.status = 'checked' AND p.document_hash IS NOT NULL
      AND NOT EXISTS (SELECT FROM issues i WHERE i.web_page_id = p.id AND i.kind = c.kind AND i.fingerprints IS NULL)
    `.execute(db);
  const pages = new Map<string, { id: number; url: string; checks: Map<CheckKind, CheckResults> }>();
  const byId = new Map<number, Map<CheckKind, CheckResults>>();
  for (const { id, url, kind, document, engineVersion } of rows) {
    const page = pages.get(url) ?? { id, url, checks: new Map<CheckKind, CheckResults>() };
    pages.set(url, page);
    byId.set(id, page.checks);
    page.checks.set(kind, { document, engineVersion, issues: [] });
  }
  const found = await sql<{ page: number; kind: CheckKind; fingerprint: string; places: Buffer }>`
    SELECT i.web_page_id AS page, i.kind, encode(c.fingerprint, 'hex') AS fingerprint, i.fingerprints AS places
    FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
    WHERE i.web_page_id = ANY(${[...byId.keys()]}) AND NOT i.muted`.execute(db);
  for (const { page, kind, fingerprint, places } of found.rows) {
    byId.get(page)?.get(kind)?.issues.push({ fingerprint, places });
  }
  return pages;
}

/** Returns the fingerprints of the places that pages had in any of several reports, by URL. */
export async function placesInReports(
  db: Executor,
  reportIds: readonly string[],
  urls: readonly string[],
): Promise<Map<string, Uint8Array[]>> {
  const { rows } = await sql<{ url: string; places: Buffer }>`
    SELECT p.url, i.fingerprints AS places
    FROM web_pages p JOIN issues i ON i.web_page_id = p.id
    WHERE p.report_id = ANY(${reportIds}) AND p.url = ANY(${urls}) AND i.fingerprints IS NOT NULL`.execute(db);
  const places = new Map<string, Uint8Array[]>();
  for (const row of rows) places.set(row.url, [...(places.get(row.url) ?? []), row.places]);
  return places;
}

/** Returns the latest finished reports of the same site before a report, without deleted ones, newest first. */
export async function reportsBefore(db: Executor, reportId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT b.id FROM reports r JOIN reports b ON b.site_id = r.site_id
    WHERE r.id = ${reportId} AND (b.inserted_at, b.id) < (r.inserted_at, r.id) AND b.finished_at IS NOT NULL
      AND b.status <> 'failed' AND b.deleted_at IS NULL
    ORDER BY b.inserted_at DESC, b.id DESC LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns those of the URLs that are pages of a report. */
export async function urlsIn(db: Executor, reportId: string, urls: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    SELECT url FROM web_pages WHERE report_id = ${reportId} AND url = ANY(${urls})`.execute(db);
  return rows.map(({ url }) => url);
}
