import { sql } from 'kysely';
import { CHECK_COUNTS, ISSUE_SUMS } from '../../src/domain/counts.ts';
import type { Database } from '../../src/store/database.ts';
import { unpackOccurrences } from '../../src/store/issues/packed-issues.ts';

/** The results of a report, without what differs between reports of the same site. */
export async function resultOf(db: Database, reportId: string) {
  const report = await db
    .selectFrom('reports')
    .select(['status', 'num_pages', 'crawl_error'])
    .where('id', '=', reportId)
    .executeTakeFirstOrThrow();
  const sums = await db
    .selectFrom('report_checks')
    .select(['kind', ...CHECK_COUNTS])
    .where('report_id', '=', reportId)
    .orderBy('kind')
    .execute();
  const pages = await db
    .selectFrom('web_pages as p')
    .innerJoin('checks as c', 'c.web_page_id', 'p.id')
    .select(['p.url', 'p.linked_from', 'p.http_status', 'p.title', 'c.kind', 'c.status', 'c.error'])
    .select(ISSUE_SUMS.map((name) => `c.${name}` as const))
    .where('p.report_id', '=', reportId)
    .orderBy('p.id')
    .orderBy('c.kind')
    .execute();
  const commonIssues = await db
    .selectFrom('common_issues')
    .select(['kind', 'issue_type', 'message', 'impact', 'how_many', 'num_web_pages'])
    .where('report_id', '=', reportId)
    // Decisions divide issue types.
    .orderBy(sql`kind, message, impact, issue_type, how_many, num_web_pages`)
    .execute();
  const found = await db
    .selectFrom('issues as i')
    .innerJoin('web_pages as p', 'p.id', 'i.web_page_id')
    .innerJoin('common_issues as c', 'c.id', 'i.common_issue_id')
    .select(['p.url as page', 'i.kind', 'i.position', 'c.message', 'i.how_many', 'i.occurrences'])
    .where('i.report_id', '=', reportId)
    .orderBy(sql`p.id, i.kind, i.position`)
    .execute();
  const issues = found.map(({ occurrences, ...issue }) => ({ ...issue, occurrences: unpackOccurrences(occurrences) }));
  const screenshots = await db
    .selectFrom('screenshots as s')
    .innerJoin('web_pages as p', 'p.id', 's.web_page_id')
    .innerJoin('screenshot_images as i', 'i.hash', 's.image_hash')
    .select(['p.url as page', 's.kind', 's.scale', 's.clipped', 'i.width', 'i.height'])
    .select(sql<string>`encode(i.hash, 'hex')`.as('picture'))
    .where('p.report_id', '=', reportId)
    .orderBy('p.id')
    .orderBy('s.kind')
    .execute();
  return { report, sums, pages, commonIssues, issues, screenshots };
}

export type ReportResult = Awaited<ReturnType<typeof resultOf>>;
