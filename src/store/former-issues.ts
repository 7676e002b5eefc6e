import { type RawBuilder, sql } from 'kysely';
import { COMPARED_PLACES_MAX } from '../answers/compare-pages.ts';
import { FINGERPRINT_BYTES } from '../answers/identity.ts';
import type { CheckKind } from '../domain/check.ts';
import type { ReportChange } from './change-report.ts';
import type { Executor } from './database.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';
import type { FormerIssueTable } from './recheck-tables.ts';

/** What pages had before their re-checks: fixed issues, and the results that wait for a check that succeeds. */

/** Fixed kinds of issue that are kept of one check. */
export const FIXED_ISSUES_MAX = 50;
const messageMaxCharacters = 500;

/** A kind of issue that a page had in the result before. */
export interface IssueBefore
  extends Pick<FormerIssueTable, 'web_page_id' | 'position' | 'issue_type' | 'message' | 'rule_id' | 'impact'> {
  /** In hexadecimal; null for results of versions before. */
  readonly fingerprint: string | null;
  /** Null if the page cannot be compared: it has too many places, or is a result of a version before. */
  readonly places: Buffer | null;
  /** Null where they are not known. */
  readonly traces: Buffer | null;
}

/** Selects the issues of pages that are not muted; of a page that cannot be compared only one, without places. */
function issuesNow(kind: CheckKind, webPageIds: readonly number[]): RawBuilder<unknown> {
  return sql`
    SELECT web_page_id, position, fingerprint, issue_type, message, rule_id, impact,
      CASE WHEN is_comparable THEN places END AS places, CASE WHEN is_comparable THEN traces END AS traces
    FROM (
      SELECT i.web_page_id, i.position, k.fingerprint, k.issue_type, left(k.message, ${messageMaxCharacters}) AS message,
        k.rule_id, k.impact, i.fingerprints AS places, i.traces, row_number() OVER (PARTITION BY i.web_page_id) AS number,
        bool_and(i.fingerprints IS NOT NULL) OVER of_page
          AND sum(octet_length(i.fingerprints)) OVER of_page <= ${COMPARED_PLACES_MAX * FINGERPRINT_BYTES} AS is_comparable
      FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
      WHERE i.web_page_id = ANY(${webPageIds}) AND i.kind = ${kind} AND NOT i.muted
      WINDOW of_page AS (PARTITION BY i.web_page_id)
    ) found WHERE is_comparable OR number = 1`;
}

/** Returns the results before of pages, in document order: those that will be replaced, or the last ones before a failure. */
export async function issuesBefore(
  { trx }: ReportChange,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<IssueBefore[]> {
  const { rows } = await sql<IssueBefore>`
    SELECT web_page_id, position, encode(fingerprint, 'hex') AS fingerprint, issue_type, message, rule_id, impact, places, traces
    FROM (
      ${issuesNow(kind, webPageIds)}
      UNION ALL
      SELECT web_page_id, position, fingerprint, issue_type, message, rule_id, impact, places, traces
      FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND NOT is_fixed
    ) before ORDER BY position`.execute(trx);
  return rows;
}

/** Keeps the issues of pages whose check failed, before they are removed: the next result is compared with them. */
export async function keepIssues({ trx }: ReportChange, kind: CheckKind, webPageIds: readonly number[]): Promise<void> {
  await sql`
    WITH former AS (DELETE FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND is_fixed)
    INSERT INTO former_issues (web_page_id, kind, position, fingerprint, issue_type, message, rule_id, impact, how_many,
      is_fixed, places, traces)
    SELECT web_page_id, ${kind}, position, fingerprint, issue_type, message, rule_id, impact,
      coalesce(octet_length(places), 0) / ${FINGERPRINT_BYTES}::integer, false, places, traces
    FROM (${issuesNow(kind, webPageIds)}) kept`.execute(trx);
}

/** A kind of issue with the number of its places that were fixed. */
export interface FixedIssue extends Omit<IssueBefore, 'places' | 'traces'> {
  readonly how_many: number;
}

/** Replaces what is kept of pages by the issues that their re-checks fixed. */
export async function replaceFixedIssues(
  { trx }: ReportChange,
  kind: CheckKind,
  webPageIds: readonly number[],
  fixed: readonly FixedIssue[],
): Promise<void> {
  await sql`
    WITH former AS (DELETE FROM former_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind})
    INSERT INTO former_issues (web_page_id, kind, position, fingerprint, issue_type, message, rule_id, impact, how_many, is_fixed)
    SELECT web_page_id, ${kind}, position, decode(fingerprint, 'hex'), issue_type, message, rule_id, impact, how_many, true
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
): Promise<ListPage<ListedFixedIssue> & { /** Fixed places in the whole list. */ readonly places: number }> {
  const list = db
    .selectFrom('former_issues')
    .where('web_page_id', '=', webPageId)
    .where('kind', 'in', kinds)
    .where('is_fixed', '=', true);
  const { places } = await list
    .select(sql<number>`coalesce(sum(how_many), 0)::bigint`.as('places'))
    .executeTakeFirstOrThrow();
  const listed = await listPage(list, page, (rows) =>
    rows
      .select(['id', 'kind', 'fingerprint', 'issue_type', 'message', 'rule_id', 'impact', 'how_many'])
      .orderBy('kind')
      .orderBy('position')
      .orderBy('id'),
  );
  return { ...listed, places };
}
