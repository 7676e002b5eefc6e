import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { noneOf } from '../../domain/amounts.ts';
import type { PresentChangeName } from '../../domain/change.ts';
import { type Certainty, type CheckKind, type Impact, impactOrder } from '../../domain/check.ts';
import { VERDICTS, type Verdict } from '../../domain/decision.ts';
import type { CountedIssues } from '../../domain/fail-on.ts';
import type { Executor } from '../database.ts';
import { hasChange } from '../diffs/issue-changes.ts';
import {
  contains,
  type Direction,
  foldedContains,
  foldedTaggedWith,
  type ListPage,
  listPage,
  type PageRequest,
  type TagFilter,
} from '../listing.ts';
import type { CommonIssue } from '../schema.ts';

/**
 * Which issues to include: issues that count, issues that mutings mute, issues of rules outside of the report's standard, issues
 * that are not an error by decision, or all. An issue type has either issues that only mutings mute, or issues of one other
 * choice.
 */
export const MUTED_CHOICES = ['false', 'true', 'outside_standard', 'not_an_error', 'all'] as const;
export type MutedChoice = (typeof MUTED_CHOICES)[number];

export const VERDICT_CHOICES = ['none', ...VERDICTS] as const;
export type VerdictChoice = (typeof VERDICT_CHOICES)[number];

export interface IssueFilter {
  /** Part of the message or help. */
  readonly text?: string | undefined;
  readonly tags?: TagFilter | undefined;
  /** Default `false`. */
  readonly muted?: MutedChoice | undefined;
}

export interface CommonIssueFilter extends IssueFilter {
  readonly types?: readonly Certainty[] | undefined;
  readonly impacts?: readonly Impact[] | undefined;
  /** Verdicts of decisions; `none` for issues without one. */
  readonly verdicts?: readonly VerdictChoice[] | undefined;
  readonly changes?: readonly PresentChangeName[] | undefined;
}

/**
 * Sort keys of common issues. `severity` puts errors before issues that need review, regardless of their impact, and then more
 * frequent issues first.
 */
export const COMMON_ISSUE_SORTS = ['how_many', 'num_web_pages', 'impact_order', 'severity'] as const;

export interface CommonIssueOrder {
  readonly key: (typeof COMMON_ISSUE_SORTS)[number] | 'id';
  readonly direction: Direction;
}

/** The worst issue first. An index has this order, except if muted and other issues are counted together. */
const WORST_FIRST: readonly CommonIssueOrder[] = [{ key: 'severity', direction: 'desc' }];

/** The worst impact first, even for issues that need review: the default order of the API for checks that grade their issues. */
export const IMPACT_FIRST: readonly CommonIssueOrder[] = [
  { key: 'impact_order', direction: 'desc' },
  { key: 'how_many', direction: 'desc' },
  { key: 'id', direction: 'asc' },
];

/** A common issue of a report; `how_many` and `num_web_pages` count the issues of the `MutedChoice`. */
export type CommonIssueRow = Omit<
  CommonIssue,
  | 'key'
  | 'found_key'
  | 'found_fingerprint'
  | 'found_type'
  | 'uncounted'
  | 'decided'
  | 'rank'
  | 'folded_message'
  | 'folded_tags'
  | 'muted_how_many'
  | 'muted_num_web_pages'
>;

const MUTED_COUNTS = { howMany: sql<number>`muted_how_many`, numWebPages: sql<number>`muted_num_web_pages` };

/** The counts of common issues for each choice. */
export const COMMON_COUNTS = {
  false: { howMany: sql<number>`how_many`, numWebPages: sql<number>`num_web_pages` },
  true: MUTED_COUNTS,
  outside_standard: MUTED_COUNTS,
  not_an_error: MUTED_COUNTS,
  all: {
    howMany: sql<number>`(how_many + muted_how_many)`,
    numWebPages: sql<number>`(num_web_pages + muted_num_web_pages)`,
  },
} as const satisfies Record<MutedChoice, unknown>;

/** The columns that all issues of a common issue share. */
export const ISSUE_TYPE_COLUMNS = [
  'issue_type',
  'issue_sub_type',
  'message',
  'rule_id',
  'help_url',
  'impact',
  'impact_order',
  'tags',
] as const;

const COLUMNS = [
  ...([
    'id',
    'report_id',
    'kind',
    'fingerprint',
    'change',
    'changed_occurrences',
    'how_many_before',
    'first_seen_at',
    'outside_standard',
    'verdict',
  ] as const),
  ...ISSUE_TYPE_COLUMNS,
  ...(['inserted_at', 'updated_at'] as const),
] as const;

/**
 * Returns a page of a report's common issues, the worst first unless `orders` is set. Ties are broken by id, in the direction of
 * the last key.
 */
export async function listCommonIssues(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  filter: CommonIssueFilter,
  page: PageRequest,
  orders: readonly CommonIssueOrder[] = WORST_FIRST,
): Promise<ListPage<CommonIssueRow>> {
  const { howMany, numWebPages } = COMMON_COUNTS[filter.muted ?? 'false'];
  const keys = { how_many: howMany, num_web_pages: numWebPages, impact_order: sql`impact_order`, id: sql`id` };
  let list = commonIssues(db, reportId, kind).where(howMany, '>', 0).where(isOfChoice(filter.muted));
  if (filter.text !== undefined) list = list.where(messageContains('common_issues', reportId, filter.text));
  if (filter.tags !== undefined) list = list.where(foldedTaggedWith(sql.ref('folded_tags'), filter.tags));
  if (filter.types !== undefined) list = list.where(sql<SqlBool>`issue_type = ANY(${[...filter.types]})`);
  if (filter.changes !== undefined) {
    list = list.where(hasChange(sql.ref('change'), sql.ref('changed_occurrences'), filter.changes));
  }
  if (filter.verdicts !== undefined)
    list = list.where(sql<SqlBool>`coalesce(verdict, 'none') = ANY(${[...filter.verdicts]})`);
  if (filter.impacts !== undefined) {
    list = list.where(sql<SqlBool>`impact_order = ANY(${filter.impacts.map(impactOrder)}::integer[])`);
  }
  return listPage(list, page, (rows) => {
    let sorted = rows.select(columns(filter.muted));
    for (const { key, direction } of orders) {
      sorted =
        key === 'severity'
          ? sorted.orderBy('rank', opposite(direction)).orderBy(howMany, direction)
          : sorted.orderBy(keys[key], direction);
    }
    const last = orders.at(-1);
    return sorted.orderBy('id', last?.key === 'severity' ? opposite(last.direction) : last?.direction);
  });
}

/** Builds the condition that a row of `issues` belongs to a choice. */
export function isCounted(muted: MutedChoice = 'false'): RawBuilder<SqlBool> {
  if (muted === 'all') return sql<SqlBool>`true`;
  if (muted === 'false') return sql<SqlBool>`NOT muted`;
  return sql<SqlBool>`(muted AND (
    SELECT ${isOfChoice(muted, 'type')} FROM common_issues type WHERE type.id = common_issue_id))`;
}

/** Builds the condition that an issue type may have issues of a choice. @param table the alias of `common_issues` */
export function isOfChoice(muted: MutedChoice | undefined, table = 'common_issues'): RawBuilder<SqlBool> {
  const [isUncounted, isOutside] = [sql.ref(`${table}.uncounted`), sql.ref(`${table}.outside_standard`)];
  if (muted === 'true') return sql<SqlBool>`NOT ${isUncounted}`;
  if (muted === 'outside_standard') return sql<SqlBool>`${isOutside}`;
  return muted === 'not_an_error' ? sql<SqlBool>`(${isUncounted} AND NOT ${isOutside})` : sql<SqlBool>`true`;
}

/** Ranks sort in the opposite direction: the worst issue has the lowest rank. */
function opposite(direction: Direction): Direction {
  return direction === 'asc' ? 'desc' : 'asc';
}

/**
 * Builds the condition that the message of a common issue contains a text. Short messages are stored case-folded in the index, so
 * that no row is read; the rows of long messages are read once.
 * @param table the alias of `common_issues`
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
  const issue = commonIssues(db, reportId, kind).select(columns(muted)).where('id', '=', id);
  const found = await issue.select(isOfChoice(muted).as('is_of_choice')).executeTakeFirst();
  if (found === undefined) return undefined;
  const { is_of_choice: isOf, ...row } = found;
  return isOf ? row : { ...row, how_many: 0, num_web_pages: 0 };
}

/**
 * Returns the id of the common issue that has the occurrences of a former one, which decisions emptied: a common issue without a
 * verdict if possible, or else the one with the most occurrences.
 */
export async function findSuccessor(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  formerId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    SELECT c.id FROM former_common_issues f JOIN common_issues c
      ON c.report_id = f.report_id AND c.kind = f.kind AND coalesce(c.found_fingerprint, c.fingerprint) = f.found_fingerprint
    WHERE f.id = ${formerId} AND f.report_id = ${reportId} AND f.kind = ${kind}
    ORDER BY c.verdict IS NULL DESC, c.how_many + c.muted_how_many DESC, c.id LIMIT 1`.execute(db);
  return rows[0]?.id;
}

function commonIssues(db: Executor, reportId: string, kind: CheckKind) {
  return db.selectFrom('common_issues').where('report_id', '=', reportId).where('kind', '=', kind);
}

function columns(muted: MutedChoice = 'false') {
  const { howMany, numWebPages } = COMMON_COUNTS[muted];
  return [...COLUMNS, howMany.as('how_many'), numWebPages.as('num_web_pages')] as const;
}

/**
 * Counts the occurrences of a report's issues, without muted ones. An issue that matches both conditions is counted once.
 * The stored sums by impact cannot be used: they include warnings.
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

/** Counts the occurrences of some checks of a report by what people decided about them. */
export async function countDecided(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
): Promise<Readonly<Record<Verdict, number>>> {
  const { rows } = await sql<{ verdict: Verdict; count: number }>`
    SELECT verdict, sum(how_many + muted_how_many)::bigint AS count FROM common_issues
    WHERE report_id = ${reportId} AND kind = ANY(${kinds}) AND verdict IS NOT NULL AND NOT outside_standard GROUP BY verdict`.execute(
    db,
  );
  return { ...noneOf(VERDICTS), ...Object.fromEntries(rows.map(({ verdict, count }) => [verdict, count])) };
}

/** Counts the muted occurrences of some checks of a report. */
export async function countMuted(db: Executor, reportId: string, kinds: readonly CheckKind[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(muted_how_many), 0)::bigint AS count FROM common_issues
    WHERE report_id = ${reportId} AND kind = ANY(${kinds}) AND NOT uncounted`.execute(db);
  return rows[0]?.count ?? 0;
}
