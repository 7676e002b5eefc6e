import { type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import { ISSUE_KIND_COLUMNS } from './common-issues.ts';
import type { Executor } from './database.ts';
import type { CommonIssue, Issue } from './schema.ts';

/** An issue of a page that is not muted, with its places as they are stored. */
export interface StoredIssue
  extends Pick<Issue, (typeof ISSUE_COLUMNS)[number]>,
    Pick<CommonIssue, 'fingerprint' | (typeof ISSUE_KIND_COLUMNS)[number]> {
  /** Of the web page. */
  readonly page_url: string;
}

const ISSUE_COLUMNS = [
  'id',
  'report_id',
  'web_page_id',
  'common_issue_id',
  'kind',
  'position',
  'url',
  'how_many',
  'fingerprints',
  'new_places',
  'muted',
  'occurrences',
  'inserted_at',
  'updated_at',
] as const;

const SELECTION = [
  ...ISSUE_COLUMNS.map((column) => `issues.${column}` as const),
  ...ISSUE_KIND_COLUMNS.map((column) => `common.${column}` as const),
  'common.fingerprint',
  'page.url as page_url',
] as const;

/** Returns all issues of some pages: by page, kind of check and position. */
export async function issuesOfPages(
  db: Executor,
  pageIds: readonly number[],
  kinds: readonly CheckKind[],
): Promise<StoredIssue[]> {
  return stored(db)
    .where(sql<SqlBool>`issues.web_page_id = ANY(${[...pageIds]})`)
    .where('issues.kind', 'in', kinds)
    .orderBy('issues.web_page_id')
    .orderBy('issues.kind')
    .orderBy('issues.position')
    .orderBy('issues.id')
    .execute();
}

/** Returns some issues, in any order. */
export function issuesById(db: Executor, ids: readonly number[]): Promise<StoredIssue[]> {
  return stored(db)
    .where(sql<SqlBool>`issues.id = ANY(${[...ids]})`)
    .execute();
}

/**
 * Returns the issues of common issues with the number of their places: in the order of the common issues, then of the pages.
 * @param first of each common issue at most; null for all
 */
export async function issuesOfKinds(
  db: Executor,
  commonIssueIds: readonly number[],
  first: number | null,
): Promise<Pick<Issue, 'id' | 'how_many'>[]> {
  const { rows } = await sql<Pick<Issue, 'id' | 'how_many'>>`
    SELECT i.id, i.how_many FROM unnest(${[...commonIssueIds]}::bigint[]) WITH ORDINALITY AS kinds (id, place)
    CROSS JOIN LATERAL (
      SELECT id, how_many, web_page_id, position FROM issues WHERE common_issue_id = kinds.id AND NOT muted
      ORDER BY web_page_id, position, id LIMIT ${first}) i
    ORDER BY kinds.place, i.web_page_id, i.position, i.id`.execute(db);
  return rows;
}

/** Returns the number of pages that have at least one of some common issues. */
export async function countPagesWith(db: Executor, commonIssueIds: readonly number[]): Promise<number> {
  const { pages } = await db
    .selectFrom('issues')
    .select(({ fn }) => fn.count('web_page_id').distinct().as('pages'))
    .where(sql<SqlBool>`common_issue_id = ANY(${[...commonIssueIds]})`)
    .where('muted', '=', false)
    .executeTakeFirstOrThrow();
  return Number(pages);
}

function stored(db: Executor) {
  return db
    .selectFrom('issues')
    .innerJoin('common_issues as common', 'common.id', 'issues.common_issue_id')
    .innerJoin('web_pages as page', 'page.id', 'issues.web_page_id')
    .select(SELECTION)
    .where('issues.muted', '=', false);
}
