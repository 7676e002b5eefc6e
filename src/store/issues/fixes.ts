import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { CommonIssue, Fix } from '../schema.ts';
import { storable, storableJson } from '../storable.ts';
import { findDifferingMarkup } from './differing-markup.ts';

/** The errors of an issue type on a page. */
export interface PageErrors {
  readonly page: number;
  readonly issue: number;
  readonly kind: CheckKind;
  readonly commonIssue: number;
  /** The clusters of its occurrences, 8 bytes each. */
  readonly clusters: Uint8Array;
}

/** A page with errors. */
export interface FailingPage {
  readonly id: number;
  /** Whether one of its checks failed or is pending: then the page does not pass, regardless of fixes. */
  readonly isUnchecked: boolean;
  /** Occurrences of all its issues. */
  readonly occurrences: number;
}

/** Returns the next pages with errors that are not muted. */
export async function nextFailingPages(
  db: Executor,
  reportId: string,
  after: number,
  limit: number,
): Promise<FailingPage[]> {
  const { rows } = await sql<FailingPage>`
    SELECT p.id, p.status <> 'checked' AS "isUnchecked", (SELECT coalesce(sum(i.how_many), 0)::bigint FROM issues i WHERE i.web_page_id = p.id) AS occurrences
    FROM web_pages p
    WHERE p.report_id = ${reportId} AND p.id > ${after}
      AND EXISTS (SELECT FROM checks c WHERE c.web_page_id = p.id AND c.errors > 0)
    ORDER BY p.id LIMIT ${limit}`.execute(db);
  return rows;
}

/** Counts the pages whose checks have all ended without errors. */
export async function countPassing(db: Executor, reportId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM web_pages p WHERE p.report_id = ${reportId} AND p.status = 'checked'
      AND NOT EXISTS (SELECT FROM checks c WHERE c.web_page_id = p.id AND c.errors > 0)`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns the unmuted errors of pages, in the order of the pages. */
export async function errorsOf(db: Executor, pageIds: readonly number[]): Promise<PageErrors[]> {
  const { rows } = await sql<PageErrors>`
    SELECT i.web_page_id AS page, i.id AS issue, i.kind, i.common_issue_id AS "commonIssue", i.clusters
    FROM issues i JOIN common_issues c ON c.id = i.common_issue_id
    WHERE i.web_page_id = ANY(${pageIds}) AND NOT i.muted AND c.issue_type = 'error'
    ORDER BY i.web_page_id, i.kind, i.position`.execute(db);
  return rows;
}

/** An issue type of a report that is an error. */
export type ErrorIssueType = Pick<CommonIssue, 'id' | 'kind' | 'rule_id' | 'impact' | 'message' | 'tags'>;

/** Returns the issue types of a report that are errors. */
export function errorIssueTypesOf(db: Executor, reportId: string): Promise<ErrorIssueType[]> {
  return db
    .selectFrom('common_issues')
    .select(['id', 'kind', 'rule_id', 'impact', 'message', 'tags'])
    .where('report_id', '=', reportId)
    .where('issue_type', '=', 'error')
    .orderBy('id')
    .execute();
}

/** The occurrences of an issue type on a page, with the identity of their elements. */
export interface TracedErrors {
  readonly page: number;
  readonly kind: CheckKind;
  readonly commonIssue: number;
  readonly clusters: Buffer;
  readonly traces: Buffer;
}

/** Returns the errors of these issue types on pages, in the order of `errorsOf`. */
export async function tracedErrorsOf(
  db: Executor,
  pageIds: readonly number[],
  commonIssues: readonly number[],
): Promise<TracedErrors[]> {
  const { rows } = await sql<TracedErrors>`
    SELECT web_page_id AS page, kind, common_issue_id AS "commonIssue", clusters, traces FROM issues
    WHERE web_page_id = ANY(${pageIds}) AND common_issue_id = ANY(${commonIssues}) AND NOT muted
    ORDER BY web_page_id, kind, position`.execute(db);
  return rows;
}

/** A fix of the report that is being changed. */
export type NewFix = Omit<Fix, 'id' | 'report_id'>;

/** A fix plan, and the number of causes of errors of each check that it leaves out. */
export interface FixPlan {
  readonly fixes: readonly NewFix[];
  readonly leftOut: ReadonlyMap<CheckKind, number>;
}

/** Replaces the fixes of a report. */
export async function saveFixes({ trx, reportId }: ReportTransaction, { fixes, leftOut }: FixPlan): Promise<void> {
  await trx.deleteFrom('fixes').where('report_id', '=', reportId).execute();
  await sql`
    UPDATE report_checks c SET causes_left_out = coalesce((
      SELECT l.causes FROM unnest(${[...leftOut.keys()]}::text[], ${[...leftOut.values()]}::integer[]) AS l (kind, causes)
      WHERE l.kind = c.kind), 0)
    WHERE c.report_id = ${reportId}`.execute(trx);
  if (fixes.length === 0) return;
  await trx
    .insertInto('fixes')
    .values(
      fixes.map((fix) => ({
        ...fix,
        message: storable(fix.message),
        // This text comes from the page: a script can put NUL in an attribute.
        markup: storable(fix.markup),
        cause: fix.cause && storable(fix.cause),
        selector: fix.selector && storable(fix.selector),
        style_rule: fix.style_rule && (storableJson(fix.style_rule) as never),
        background_rule: fix.background_rule && (storableJson(fix.background_rule) as never),
        also: storableJson(fix.also) as never,
        report_id: reportId,
      })),
    )
    .execute();
}

/** The number of fixes that `FixEffect` describes. */
const BEST_FIXES = 5;

/** The effect of the first fixes of a report's plan. */
export interface FixEffect {
  /** The number of these fixes: `BEST_FIXES`, or fewer if the plan is shorter. */
  readonly fixes: number;
  /** Pages that pass without them. */
  readonly passing_before: number;
  /** Pages that pass with all of them. */
  readonly passing_after: number;
}

/** Selects the effect of the stored fixes of the row of `reports`; null if there are none. */
export const fixEffect: RawBuilder<FixEffect | null> = sql`(
  SELECT jsonb_build_object('fixes', count(*), 'passing_before', max(f.passing_before),
    'passing_after', max(f.passing_after_plan))
  FROM fixes f WHERE f.report_id = reports.id AND f.position <= ${sql.lit(BEST_FIXES)} HAVING count(*) > 0)`;

/** A fix, with details of its issue type. */
export interface ListedFix extends Fix, Pick<CommonIssue, 'rule_id' | 'impact' | 'tags'> {
  /** Pages that pass once all earlier fixes in the plan are made. */
  readonly passing_before_plan: number;
  /** Whether other occurrences have different markup, so that its markup is only an example. */
  readonly markup_differs: boolean;
}

/** Selects `passing_before_plan` of a row of `fixes`. The plan includes issues that a viewer may not see. */
const passingBeforePlan = sql<number>`coalesce((
  SELECT b.passing_after_plan FROM fixes b WHERE b.report_id = fixes.report_id AND b.position = fixes.position - 1
), fixes.passing_before)`.as('passing_before_plan');

/** Counts the causes of errors that the plan of a report leaves out. */
export async function countCausesLeftOut(db: Executor, reportId: string, kinds: readonly CheckKind[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(causes_left_out), 0)::bigint AS count FROM report_checks
    WHERE report_id = ${reportId} AND kind = ANY(${kinds})`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns a page of the fixes of a report, in the order of the plan. */
export async function listFixes(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
  page: PageRequest,
): Promise<ListPage<ListedFix>> {
  const list = db
    .selectFrom('fixes')
    .where('report_id', '=', reportId)
    .where(sql<SqlBool>`(kind = ANY(${kinds}) OR EXISTS (
      SELECT FROM jsonb_array_elements(also) a WHERE a->>'kind' = ANY(${kinds})))`);
  const { total, rows: all } = await listPage(
    list,
    page,
    (each) => each.selectAll().select(passingBeforePlan).orderBy('position'),
    {
      id: 'id',
    },
  );
  const rows = all.map((fix) => asSeenBy(fix, kinds));
  const common = await db
    .selectFrom('common_issues')
    .select(['id', 'rule_id', 'impact', 'tags'])
    .where('report_id', '=', reportId)
    .where(sql<SqlBool>`id = ANY(${rows.map((fix) => fix.common_issue_id)})`)
    .execute();
  const differs = await findDifferingMarkup(db, rows);
  const issueTypeOf = new Map(common.map(({ id, ...issueType }) => [id, issueType]));
  return {
    total,
    rows: rows.map((fix) => ({
      ...fix,
      ...(issueTypeOf.get(fix.common_issue_id) ?? UNKNOWN_ISSUE_TYPE),
      markup_differs: differs(fix),
    })),
  };
}

/** Returns a fix with only the issues of these checks, under the first of these issues. */
function asSeenBy<Seen extends Fix>(fix: Seen, kinds: readonly CheckKind[]): Seen {
  const also = fix.also.filter(({ kind }) => kinds.includes(kind));
  if (kinds.includes(fix.kind) && also.length === fix.also.length) return fix;
  const seen = { ...fix, errors: fix.how_many };
  if (kinds.includes(fix.kind)) return { ...seen, also };
  const [first, ...others] = also;
  if (first === undefined) return { ...seen, also };
  return { ...seen, ...first, cluster: Buffer.from(first.cluster, 'hex'), ...NO_ELEMENT, also: others };
}

/** For an issue from another check than the first occurrence. */
const NO_ELEMENT = { selector: null, style_rule: null, background_rule: null, edited_color: null };

/** For an issue that was replaced after the fixes were planned. */
const UNKNOWN_ISSUE_TYPE = { rule_id: null, impact: null, tags: [] };
