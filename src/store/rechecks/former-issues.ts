import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { FINGERPRINT_BYTES } from '../../issues/identity.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { FormerIssueTable } from './recheck-tables.ts';

/** Earlier results of re-checked pages: fixed issues, and results that wait until a check succeeds. */

/** The maximum number of fixed issue types that are kept per check. */
export const FIXED_ISSUES_MAX = 50;
const messageMaxCharacters = 500;

const IS_NO_ERROR_BY_DECISION = sql`k.verdict = 'not_an_error'`;

/** An issue type of a page in the earlier result. */
export interface IssueBefore
  extends Pick<FormerIssueTable, 'web_page_id' | 'position' | 'issue_type' | 'message' | 'rule_id' | 'impact'> {
  readonly id: number;
  readonly tags: readonly string[];
  /** Whether it waits in `former_issues`, because the check has failed since. */
  readonly isFormer: boolean;
  /** In hexadecimal. */
  readonly fingerprint: string;
  readonly howMany: number;
}

/**
 * Returns the earlier results of pages, in document order: the results that will be replaced, or the last results before a
 * failure. Includes muted issues, but not issues that were decided not to be errors.
 */
export async function issuesBefore(
  { trx }: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<IssueBefore[]> {
  if (webPageIds.length === 0) return [];
  const columns = sql`issue_type, message, rule_id, impact, tags, encode(fingerprint, 'hex') AS fingerprint`;
  const howMany = (occurrences: string) =>
    sql`octet_length(${sql.ref(occurrences)}) / ${FINGERPRINT_BYTES}::integer AS "howMany"`;
  const { rows } = await sql<IssueBefore>`
    SELECT i.id, false AS "isFormer", web_page_id, position, ${columns}, ${howMany('fingerprints')}
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
    WHERE i.web_page_id = ANY(${webPageIds}) AND i.kind = ${kind} AND ${IS_NO_ERROR_BY_DECISION} IS NOT TRUE
    UNION ALL
    SELECT id, true, web_page_id, position, ${columns}, ${howMany('occurrences')}
    FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND NOT is_fixed
    ORDER BY position`.execute(trx);
  return rows;
}

/** An issue of the earlier result with its occurrences. */
export interface IssueWithOccurrencesBefore extends IssueBefore {
  readonly occurrences: Buffer;
  readonly traces: Buffer;
}

/** Reads the occurrences of issues of earlier results. */
export async function occurrencesBefore(
  { trx }: ReportTransaction,
  issues: readonly IssueBefore[],
): Promise<IssueWithOccurrencesBefore[]> {
  if (issues.length === 0) return [];
  const idsOf = (former: boolean) => issues.flatMap(({ id, isFormer }) => (isFormer === former ? id : []));
  const { rows } = await sql<Pick<IssueWithOccurrencesBefore, 'id' | 'isFormer' | 'occurrences' | 'traces'>>`
    SELECT id, false AS "isFormer", fingerprints AS occurrences, traces FROM issues WHERE id = ANY(${idsOf(false)})
    UNION ALL
    SELECT id, true, occurrences, traces FROM former_issues WHERE id = ANY(${idsOf(true)})`.execute(trx);
  const found = new Map(rows.map((row) => [`${row.isFormer} ${row.id}`, row]));
  return issues.flatMap((issue) => {
    const row = found.get(`${issue.isFormer} ${issue.id}`);
    return row === undefined ? [] : [{ ...issue, ...row }];
  });
}

/** Keeps the issues of pages whose check failed, before they are removed: the next result is compared with them. */
export async function keepIssues(
  { trx }: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<void> {
  await sql`
    WITH former AS (DELETE FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND is_fixed)
    INSERT INTO former_issues (web_page_id, kind, position, fingerprint, issue_type, message, rule_id, impact, tags, how_many,
      is_fixed, occurrences, traces)
    SELECT i.web_page_id, i.kind, i.position, k.fingerprint, k.issue_type, k.message, k.rule_id, k.impact, k.tags, i.how_many,
      false, i.fingerprints, i.traces
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
    WHERE i.web_page_id = ANY(${webPageIds}) AND i.kind = ${kind} AND ${IS_NO_ERROR_BY_DECISION} IS NOT TRUE`.execute(
    trx,
  );
}

/** An issue type with the number of its occurrences that were fixed. */
export interface FixedIssue extends Omit<IssueBefore, 'id' | 'isFormer' | 'howMany' | 'tags'> {
  readonly how_many: number;
}

/** Replaces the stored earlier issues of pages with the issues that their re-checks fixed. */
export async function replaceFixedIssues(
  { trx }: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
  fixed: readonly FixedIssue[],
): Promise<void> {
  await sql`
    WITH former AS (DELETE FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind})
    INSERT INTO former_issues (web_page_id, kind, position, fingerprint, issue_type, message, rule_id, impact, how_many, is_fixed)
    SELECT web_page_id, ${kind}, position, decode(fingerprint, 'hex'), issue_type, left(message, ${messageMaxCharacters}),
      rule_id, impact, how_many, true
    FROM jsonb_to_recordset(${JSON.stringify(fixed)}::jsonb) AS u(web_page_id bigint, position integer, fingerprint text,
      issue_type text, message text, rule_id text, impact text, how_many integer)`.execute(trx);
}

/** A fixed issue as it is listed. */
export interface ListedFixedIssue
  extends Pick<
    FormerIssueTable,
    'kind' | 'fingerprint' | 'issue_type' | 'message' | 'rule_id' | 'impact' | 'how_many'
  > {
  readonly id: number;
}

/** Returns a page of the issues that the last re-checks of a page fixed, by kind of check, in document order. */
export async function listFixedIssues(
  db: Executor,
  webPageId: number,
  kinds: readonly CheckKind[],
  page: PageRequest,
): Promise<ListPage<ListedFixedIssue> & { /** Fixed occurrences in the whole list. */ readonly occurrences: number }> {
  const list = db
    .selectFrom('former_issues')
    .where('web_page_id', '=', webPageId)
    .where('kind', 'in', kinds)
    .where('is_fixed', '=', true);
  const { occurrences } = await list
    .select(sql<number>`coalesce(sum(how_many), 0)::bigint`.as('occurrences'))
    .executeTakeFirstOrThrow();
  const listed = await listPage(list, page, (rows) =>
    rows
      .select(['id', 'kind', 'fingerprint', 'issue_type', 'message', 'rule_id', 'impact', 'how_many'])
      .orderBy('kind')
      .orderBy('position')
      .orderBy('id'),
  );
  return { ...listed, occurrences };
}
