import { type SqlBool, sql } from 'kysely';
import type { CheckKind, Json } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import { decisionOf, type ShownDecision } from '../decisions/issue-decision.ts';
import { foldedTaggedWith, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { CommonIssue, Issue, WebPage } from '../schema.ts';
import { ISSUE_TYPE_COLUMNS, type IssueFilter, isCounted, messageContains } from './common-issues.ts';
import { unpackFirst, unpackOccurrences } from './packed-issues.ts';

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
  'new_occurrences',
  'muted',
  'inserted_at',
  'updated_at',
] as const;

interface IssueRow
  extends Pick<Issue, (typeof ISSUE_COLUMNS)[number]>,
    Pick<CommonIssue, 'fingerprint' | (typeof ISSUE_TYPE_COLUMNS)[number]> {
  readonly decision: ShownDecision | null;
}

/** An issue of one page, with all its occurrences. */
export interface PageIssue extends IssueRow {
  /** The engine's description of each occurrence, in document order. */
  readonly occurrences: Json;
}

/** An issue with its occurrences as they are stored. */
export interface StoredIssue extends IssueRow {
  readonly occurrences: Buffer;
  /** Of the web page. */
  readonly page_url: string;
}

/** A web page and its report. */
type PageOfReport = Pick<WebPage, 'id' | 'report_id'>;

/** Upper bound of an issue in JSON without its message and occurrences: two URLs in links, tags, times. */
const ROW_BYTES = 4_096;
/** Upper bound of the identity of an occurrence, and of its change, in JSON. */
const MARK_BYTES = 96;

/**
 * Returns a page of the issues of one kind of check on a web page, in document order.
 * @param maxBytes limit of the page as JSON; if it is larger, only the first occurrences of each issue are included
 */
export async function listIssues(
  db: Executor,
  { id: webPageId, report_id: reportId }: PageOfReport,
  kind: CheckKind,
  filter: IssueFilter,
  page: PageRequest,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ListPage<PageIssue>> {
  let list = found(db, webPageId, kind).where('common.report_id', '=', reportId).where('common.kind', '=', kind);
  list = list.where(isCounted(filter.muted));
  if (filter.text !== undefined) list = list.where(messageContains('common', reportId, filter.text));
  if (filter.tags !== undefined) list = list.where(foldedTaggedWith(sql.ref('common.folded_tags'), filter.tags));
  const { total, rows } = await listPage(
    list,
    page,
    (issues) => issues.select(SELECTION).orderBy('issues.position').orderBy('issues.id'),
    { id: 'issues.id' },
  );
  const others = rows.reduce((bytes, { message }) => bytes + Buffer.byteLength(JSON.stringify(message)) + ROW_BYTES, 0);
  const occurrences = await unpackFirst(rows, maxBytes - others, MARK_BYTES);
  return { total, rows: rows.map((row, index) => ({ ...row, occurrences: occurrences[index] ?? [] })) };
}

export async function findIssue(
  db: Executor,
  webPageId: number,
  kind: CheckKind,
  id: number,
): Promise<PageIssue | undefined> {
  const row = await found(db, webPageId, kind).select(SELECTION).where('issues.id', '=', id).executeTakeFirst();
  return row && unpacked(row);
}

/** Returns an issue of any page, with the URL of the page. */
export async function findIssueWithPage(
  db: Executor,
  id: number,
): Promise<(PageIssue & Pick<StoredIssue, 'page_url'>) | undefined> {
  const row = await storedIssues(db).where('issues.id', '=', id).executeTakeFirst();
  return row && unpacked(row);
}

/** Returns the ids of the first issues of a common issue that are not muted, in the order of the pages. */
export async function firstIssuesOf(db: Executor, commonIssueId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select('id')
    .where('common_issue_id', '=', commonIssueId)
    .where('muted', '=', false)
    .orderBy('web_page_id')
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the issues of some pages that are not muted: by page, kind of check and position. */
export async function issuesOfPages(
  db: Executor,
  pageIds: readonly number[],
  kinds: readonly CheckKind[],
): Promise<StoredIssue[]> {
  return storedIssues(db)
    .where('issues.muted', '=', false)
    .where(sql<SqlBool>`issues.web_page_id = ANY(${[...pageIds]})`)
    .where('issues.kind', 'in', kinds)
    .orderBy('issues.web_page_id')
    .orderBy('issues.kind')
    .orderBy('issues.position')
    .orderBy('issues.id')
    .execute();
}

/** Returns the issues with these ids that are muted, or those that are not muted, in any order. */
export function issuesById(db: Executor, ids: readonly number[], areMuted: boolean): Promise<StoredIssue[]> {
  return storedIssues(db)
    .where('issues.muted', '=', areMuted)
    .where(sql<SqlBool>`issues.id = ANY(${[...ids]})`)
    .execute();
}

/**
 * Returns the issues of common issues with the number of their occurrences: in the order of the common issues, then of the pages.
 * @param first maximum number of issues of each common issue; null for all
 * @param areMuted whether they are muted
 */
export async function issuesOfTypes(
  db: Executor,
  commonIssueIds: readonly number[],
  first: number | null,
  areMuted: boolean,
): Promise<Pick<Issue, 'id' | 'how_many'>[]> {
  const { rows } = await sql<Pick<Issue, 'id' | 'how_many'>>`
    SELECT i.id, i.how_many FROM unnest(${[...commonIssueIds]}::bigint[]) WITH ORDINALITY AS kinds (id, position)
    CROSS JOIN LATERAL (
      SELECT id, how_many, web_page_id, position FROM issues WHERE common_issue_id = kinds.id AND muted = ${areMuted}
      ORDER BY web_page_id, position, id LIMIT ${first}) i
    ORDER BY kinds.position, i.web_page_id, i.position, i.id`.execute(db);
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

/** Returns the pages that have unmuted issues with the same rule or, without a rule, the same message. */
export async function pagesWithRule(
  db: Executor,
  { report_id, kind, rule_id, message }: Pick<CommonIssue, 'report_id' | 'kind' | 'rule_id' | 'message'>,
  pageIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const isSame =
    rule_id === null ? sql<SqlBool>`rule_id IS NULL AND message = ${message}` : sql<SqlBool>`rule_id = ${rule_id}`;
  const rows = await db
    .selectFrom('issues')
    .select('web_page_id')
    .distinct()
    .where(sql<SqlBool>`common_issue_id = ANY(ARRAY(
      SELECT id FROM common_issues WHERE report_id = ${report_id} AND kind = ${kind} AND ${isSame}))`)
    .where('muted', '=', false)
    .where(sql<SqlBool>`web_page_id = ANY(${[...pageIds]})`)
    .execute();
  return new Set(rows.map((row) => row.web_page_id));
}

const SELECTION = [
  ...ISSUE_COLUMNS.map((column) => `issues.${column}` as const),
  ...ISSUE_TYPE_COLUMNS.map((column) => `common.${column}` as const),
  'common.fingerprint',
  'issues.occurrences',
  decisionOf('issues').as('decision'),
] as const;

function found(db: Executor, webPageId: number, kind: CheckKind) {
  return db
    .selectFrom('issues')
    .innerJoin('common_issues as common', 'common.id', 'issues.common_issue_id')
    .where('issues.web_page_id', '=', webPageId)
    .where('issues.kind', '=', kind);
}

function storedIssues(db: Executor) {
  return db
    .selectFrom('issues')
    .innerJoin('common_issues as common', 'common.id', 'issues.common_issue_id')
    .innerJoin('web_pages as page', 'page.id', 'issues.web_page_id')
    .select([...SELECTION, 'page.url as page_url']);
}

function unpacked<Row extends { occurrences: Buffer }>(row: Row): Row & { occurrences: Json } {
  return { ...row, occurrences: unpackOccurrences(row.occurrences) };
}
