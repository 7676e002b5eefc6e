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

/** Issues whose places are in memory at a time. The largest ones have some megabytes, compressed. */
const ISSUES_AT_A_TIME = 20;

/** Yields the issues of a common issue in the order of the pages. */
export async function* issuesOfCommon(db: Executor, commonIssueId: number): AsyncGenerator<StoredIssue> {
  let after: Pick<Issue, 'web_page_id' | 'position' | 'id'> | undefined = { web_page_id: 0, position: 0, id: 0 };
  while (after !== undefined) {
    const { web_page_id: page, position, id } = after;
    const rows: StoredIssue[] = await stored(db)
      .where('issues.common_issue_id', '=', commonIssueId)
      .where(sql<SqlBool>`(issues.web_page_id, issues.position, issues.id) > (${page}, ${position}, ${id})`)
      .orderBy('issues.web_page_id')
      .orderBy('issues.position')
      .orderBy('issues.id')
      .limit(ISSUES_AT_A_TIME)
      .execute();
    yield* rows;
    after = rows.length < ISSUES_AT_A_TIME ? undefined : rows.at(-1);
  }
}

function stored(db: Executor) {
  return db
    .selectFrom('issues')
    .innerJoin('common_issues as common', 'common.id', 'issues.common_issue_id')
    .innerJoin('web_pages as page', 'page.id', 'issues.web_page_id')
    .select(SELECTION)
    .where('issues.muted', '=', false);
}
