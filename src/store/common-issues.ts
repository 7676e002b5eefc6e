import { sql } from 'kysely';
import type { CheckKind, Impact, IssueType } from '../domain/check.ts';
import type { Executor } from './database.ts';
import { contains, foldedTaggedWith, type ListPage, listPage, type PageRequest, type TagFilter } from './listing.ts';
import type { CommonIssue } from './schema.ts';

/** Which issues of a list are wanted. */
export interface IssueFilter {
  /** Part of the message or help. */
  readonly text?: string | undefined;
  readonly tags?: TagFilter | undefined;
  /** Only muted ones; nothing is muted yet, so that this gives an empty list. */
  readonly mutedOnly?: boolean;
}

export type CommonIssueRow = Omit<CommonIssue, 'key' | 'folded_tags'>;

/** The orders of decisions.md, each served by an index; issues of a new kind come in the order of the HTML issues. */
const ORDERS: Readonly<Record<CheckKind, ReturnType<typeof sql>>> = {
  html: sql`issue_type, how_many DESC, id`,
  a11y: sql`impact_order DESC, how_many DESC, id`,
};

const COLUMNS = [
  'id',
  'report_id',
  'kind',
  'issue_type',
  'issue_sub_type',
  'message',
  'rule_id',
  'help_url',
  'impact',
  'impact_order',
  'tags',
  'how_many',
  'num_web_pages',
  'inserted_at',
  'updated_at',
] as const;

/** A page of the kinds of issue in a report. */
export async function listCommonIssues(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  filter: IssueFilter,
  page: PageRequest,
): Promise<ListPage<CommonIssueRow>> {
  if (filter.mutedOnly === true) return { total: 0, rows: [] };
  let list = found(db, reportId, kind);
  if (filter.text !== undefined) list = list.where(contains(sql.ref('message'), filter.text));
  if (filter.tags !== undefined) list = list.where(foldedTaggedWith(sql.ref('folded_tags'), filter.tags));
  return listPage(list, page, (rows) => rows.select(COLUMNS).orderBy(ORDERS[kind]));
}

export async function findCommonIssue(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  id: number,
): Promise<CommonIssueRow | undefined> {
  return found(db, reportId, kind).select(COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** A kind of issue that no page has any more is not there. */
function found(db: Executor, reportId: string, kind: CheckKind) {
  return db
    .selectFrom('common_issues')
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('how_many', '>', 0);
}

/** How many issues of a report are of one of the types or impacts; one that is of both counts once. */
export async function countIssuesOf(
  db: Executor,
  reportId: string,
  wanted: { readonly types: readonly IssueType[]; readonly impacts: readonly Impact[] },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(how_many), 0)::bigint AS count FROM common_issues
    WHERE report_id = ${reportId} AND (issue_type = ANY(${wanted.types}) OR impact = ANY(${wanted.impacts}))`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
