import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type CheckKind, type Impact, type IssueType, impactOrder } from '../domain/check.ts';
import type { Executor } from './database.ts';
import {
  contains,
  foldedContains,
  foldedTaggedWith,
  type ListPage,
  listPage,
  type PageRequest,
  type TagFilter,
} from './listing.ts';
import type { CommonIssue } from './schema.ts';

/** Which issues are meant: those that are not muted, only those that are, or both. */
export const MUTED_CHOICES = ['false', 'true', 'all'] as const;
export type MutedChoice = (typeof MUTED_CHOICES)[number];

/** Which issues of a list are wanted. */
export interface IssueFilter {
  /** Part of the message or help. */
  readonly text?: string | undefined;
  readonly tags?: TagFilter | undefined;
  /** `false` when absent. */
  readonly muted?: MutedChoice | undefined;
}

/** A kind of issue in a report; `how_many` and `num_web_pages` are of the issues that are meant. */
export type CommonIssueRow = Omit<
  CommonIssue,
  'key' | 'rank' | 'folded_message' | 'folded_tags' | 'muted_how_many' | 'muted_num_web_pages'
>;

/** The counts of the issues that are meant. */
export const COMMON_COUNTS = {
  false: { howMany: sql<number>`how_many`, numWebPages: sql<number>`num_web_pages` },
  true: { howMany: sql<number>`muted_how_many`, numWebPages: sql<number>`muted_num_web_pages` },
  all: {
    howMany: sql<number>`(how_many + muted_how_many)`,
    numWebPages: sql<number>`(num_web_pages + muted_num_web_pages)`,
  },
} as const satisfies Record<MutedChoice, unknown>;

/** What the kind of an issue is. */
export const ISSUE_KIND_COLUMNS = [
  'issue_type',
  'issue_sub_type',
  'message',
  'rule_id',
  'help_url',
  'impact',
  'impact_order',
  'tags',
] as const;

const COLUMNS = ['id', 'report_id', 'kind', ...ISSUE_KIND_COLUMNS, 'inserted_at', 'updated_at'] as const;

/** A page of the kinds of issue in a report: the worst impact or errors first, then the most frequent. */
export async function listCommonIssues(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  filter: IssueFilter,
  page: PageRequest,
): Promise<ListPage<CommonIssueRow>> {
  const { howMany } = COMMON_COUNTS[filter.muted ?? 'false'];
  let list = commonIssues(db, reportId, kind).where(howMany, '>', 0);
  if (filter.text !== undefined) list = list.where(messageContains('common_issues', reportId, filter.text));
  if (filter.tags !== undefined) list = list.where(foldedTaggedWith(sql.ref('folded_tags'), filter.tags));
  // An index has this order, but for muted and other issues together.
  return listPage(list, page, (rows) =>
    rows.select(columns(filter.muted)).orderBy('rank').orderBy(howMany, 'desc').orderBy('id'),
  );
}

/**
 * Whether the message of a row of `common_issues`, under whatever name, has the text. Short messages are kept folded, in
 * the index: then no row is read. Long ones, if the report has any, are found in their rows once.
 */
export function messageContains(table: string, reportId: string, text: string): RawBuilder<SqlBool> {
  const [id, kept] = [sql.ref(`${table}.id`), sql.ref<string | null>(`${table}.folded_message`)];
  return sql<SqlBool>`coalesce(${foldedContains(kept, text)}, ${id} = ANY(ARRAY(
    SELECT long.id FROM common_issues long
    WHERE long.report_id = ${reportId} AND long.folded_message IS NULL AND ${contains(sql.ref('long.message'), text)})))`;
}

export async function findCommonIssue(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  id: number,
  muted: MutedChoice | undefined,
): Promise<CommonIssueRow | undefined> {
  return commonIssues(db, reportId, kind).select(columns(muted)).where('id', '=', id).executeTakeFirst();
}

function commonIssues(db: Executor, reportId: string, kind: CheckKind) {
  return db.selectFrom('common_issues').where('report_id', '=', reportId).where('kind', '=', kind);
}

function columns(muted: MutedChoice = 'false') {
  const { howMany, numWebPages } = COMMON_COUNTS[muted];
  return [...COLUMNS, howMany.as('how_many'), numWebPages.as('num_web_pages')] as const;
}

/** Which issues count: those of the types, and errors of the impact or a worse one. */
export interface CountedIssues {
  readonly types: readonly IssueType[];
  readonly mildestImpact: Impact | null;
}

/**
 * How many places of a report's issues count, muted ones left out; one that counts twice counts once. Counts by severity
 * would not tell: they add violations and what needs review.
 */
export async function countIssuesOf(
  db: Executor,
  reportId: string,
  { types, mildestImpact }: CountedIssues,
): Promise<number> {
  const order = mildestImpact === null ? null : impactOrder(mildestImpact);
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(how_many), 0)::bigint AS count FROM common_issues
    WHERE report_id = ${reportId} AND (issue_type = ANY(${types})
      OR (issue_type = 'error' AND impact_order >= ${order}::integer))`.execute(db);
  return rows[0]?.count ?? 0;
}

/** How many places of a report's issues are muted. */
export async function countMuted(db: Executor, reportId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(muted_how_many), 0)::bigint AS count FROM common_issues
    WHERE report_id = ${reportId}`.execute(db);
  return rows[0]?.count ?? 0;
}
