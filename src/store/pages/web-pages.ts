import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { partOfJourney } from '../../../packages/client/marks.ts';
import type { SeenAs } from '../../../packages/client/seen-as.ts';
import type { CheckKind } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { ISSUE_SUMS } from '../../domain/counts.ts';
import type { RecheckCounts } from '../../issues/diff-recheck.ts';
import type { Executor } from '../database.ts';
import { COMMON_COUNTS, isCounted, isOfChoice, type MutedChoice } from '../issues/common-issues.ts';
import { type ListHints, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Check, ExcludedUrl, Report, WebPage, WebPageStatus } from '../schema.ts';
import { pageUrlContains } from './page-url.ts';
import { MARK } from './screenshots.ts';
import { type CheckStateFilter, hasCheckIn, inOrder, pagesByCheck, type WebPageOrder } from './web-page-order.ts';

export const WEB_PAGE_STATUSES = [
  'pending',
  'checking',
  'checked',
  'failed',
] as const satisfies readonly WebPageStatus[];

/** The possible results of occurrences in the re-check of a page. */
export const RECHECK_OUTCOMES = ['fixed', 'still', 'new'] as const satisfies readonly (keyof RecheckCounts)[];

export interface WebPageCheck extends Pick<Check, (typeof CHECK_COLUMNS)[number]> {
  /** Whether the report stores raw checks of this kind. */
  readonly store_raw: boolean;
  /** Whether a screenshot of it is stored. */
  readonly has_screenshot: boolean;
  /** When the engine found its result, as JSON; null if that is not known. */
  readonly found_at: string | null;
}

/** A page as the API shows it, with its enabled kinds of check. */
export interface WebPageWithChecks extends Pick<WebPage, (typeof COLUMNS)[number]> {
  /** Whether its document is stored. */
  readonly has_document: boolean;
  readonly checks: Readonly<Record<CheckKind, WebPageCheck>>;
}

export interface WebPageFilter {
  /** Part of the page's URL, or of the URL that a journey reached. */
  readonly url?: string | undefined;
  readonly status?: WebPageStatus | undefined;
  /** The name of a journey, whose marks are included. */
  readonly journey?: string | undefined;
  /** How the page was checked: in any of these ways. */
  readonly seen?: readonly SeenAs[] | undefined;
  /** The kinds of check that determine the page's status, if the reader cannot see the others. Default: all. */
  readonly statusOf?: readonly CheckKind[] | undefined;
  /** The results of occurrences in the last re-check of the page by one of the kinds of check. */
  readonly recheck?:
    | { readonly outcome: (typeof RECHECK_OUTCOMES)[number]; readonly kinds: readonly CheckKind[] }
    | undefined;
  /** States that the page's checks must all have; each kind once. */
  readonly checkStates?: readonly CheckStateFilter[];
  /** Common issues that the page must all have. */
  readonly commonIssues?: readonly { readonly kind: CheckKind; readonly id: number }[];
  /** Which issues of the common issues count. Default `false`. */
  readonly muted?: MutedChoice | undefined;
}

const COLUMNS = [
  'id',
  'report_id',
  'status',
  'url',
  'reached_url',
  'linked_from',
  'http_status',
  'content_type',
  'title',
  'is_signed_in',
  'render_error',
  'last_checked_at',
  'inserted_at',
  'updated_at',
] as const;

const hasDocument = sql<boolean>`web_pages.document_hash IS NOT NULL`.as('has_document');

const CHECK_COLUMNS = [
  'status',
  'error',
  'notes',
  'opened_states',
  'consent',
  'recheck',
  'reused_from',
  ...ISSUE_SUMS,
] as const;

function checksIn(reportId: string) {
  const columns = CHECK_COLUMNS.map((column) => sql`${sql.lit(column)}, ${sql.ref(`c.${column}`)}`);
  return sql<WebPageWithChecks['checks']>`(
    SELECT coalesce(json_object_agg(c.kind, json_build_object(${sql.join(columns)}, 'found_at', c.found_at, 'store_raw', c.kind = ANY(ARRAY(
      SELECT rc.kind FROM report_checks rc WHERE rc.report_id = ${reportId} AND rc.store_raw)), 'has_screenshot', EXISTS (
      SELECT FROM screenshots s WHERE s.web_page_id = c.web_page_id AND s.kind IN (c.kind, ${MARK})))), '{}')
    FROM checks c WHERE c.web_page_id = web_pages.id)`.as('checks');
}

/** Returns the identity with which a page was requested. @param report as its reader sees it */
export function signedInAs(
  { is_signed_in: isSignedIn }: Pick<WebPage, 'is_signed_in'>,
  { signed_in, signed_in_as }: Pick<Report, 'signed_in' | 'signed_in_as'>,
): Pick<Report, 'signed_in' | 'signed_in_as'> {
  return isSignedIn ? { signed_in, signed_in_as } : { signed_in: null, signed_in_as: null };
}

/** Returns a page of a report's web pages. Without `orders`, in the order of their ids. */
export async function listWebPages(
  db: Executor,
  reportId: string,
  filter: WebPageFilter,
  page: PageRequest,
  orders: readonly WebPageOrder[] = [],
): Promise<ListPage<WebPageWithChecks>> {
  let list = db.selectFrom('web_pages').where('web_pages.report_id', '=', reportId);
  if (filter.url !== undefined) list = list.where(pageUrlContains('web_pages', reportId, filter.url));
  if (filter.status !== undefined) list = list.where(statusOf(filter.statusOf), '=', filter.status);
  if (filter.journey !== undefined) {
    list = list.where(sql<SqlBool>`strpos(web_pages.url, ${partOfJourney(filter.journey)}) > 0`);
  }
  if (filter.seen !== undefined) list = list.where(wasSeen(filter.seen));
  if (filter.recheck !== undefined) list = list.where(hasRecheck(filter.recheck));
  for (const states of filter.checkStates ?? []) list = list.where(hasCheckIn(reportId, states));
  for (const common of filter.commonIssues ?? []) {
    list = list.where('web_pages.id', 'in', (eb) =>
      eb
        .selectFrom('issues')
        .innerJoin('common_issues', 'common_issues.id', 'issues.common_issue_id')
        .select('issues.web_page_id')
        .where('common_issues.id', '=', common.id)
        .where('common_issues.kind', '=', common.kind)
        .where('common_issues.report_id', '=', reportId)
        .where(isCounted(filter.muted)),
    );
  }
  const select = (pages: typeof list) =>
    inOrder(pages.select(COLUMNS).select([hasDocument, checksIn(reportId)]), orders);
  return listPage(list, page, select, { id: 'web_pages.id', ...(await shortcut(db, reportId, filter, orders)) });
}

const isSignedIn = sql<SqlBool>`(web_pages.is_signed_in
  AND EXISTS (SELECT FROM reports r WHERE r.id = web_pages.report_id AND r.signed_in IS NOT NULL))`;

const SEEN: Readonly<Record<SeenAs, RawBuilder<SqlBool>>> = {
  signed_in: isSignedIn,
  stranger: sql`NOT ${isSignedIn}`,
  journey: sql`web_pages.reached_url IS NOT NULL`,
  states: hasCheckThat(sql`c.opened_states > 0`),
  banner_dismissed: hasCheckThat(sql`c.consent = 'dismissed'`),
  banner_kept: hasCheckThat(sql`c.consent = 'kept'`),
};

function hasCheckThat(condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql`EXISTS (SELECT FROM checks c WHERE c.web_page_id = web_pages.id AND ${condition})`;
}

function wasSeen(ways: readonly SeenAs[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(
    ways.map((way) => SEEN[way]),
    sql` OR `,
  )})`;
}

function statusOf(kinds: readonly CheckKind[] | undefined): RawBuilder<WebPageStatus> {
  if (kinds === undefined) return sql`web_pages.status`;
  return sql`coalesce((
    SELECT CASE WHEN bool_or(status = 'failed') THEN 'failed' WHEN bool_and(status = 'checked') THEN 'checked'
      WHEN bool_or(status = 'checked') THEN 'checking' ELSE 'pending' END
    FROM checks WHERE web_page_id = web_pages.id AND kind = ANY(${[...kinds]}) HAVING count(*) > 0), web_pages.status)`;
}

function hasRecheck({ outcome, kinds }: NonNullable<WebPageFilter['recheck']>): RawBuilder<SqlBool> {
  return sql<SqlBool>`EXISTS (
    SELECT FROM checks c WHERE c.web_page_id = web_pages.id AND c.kind = ANY(${[...kinds]})
      AND (c.recheck->>${outcome})::integer > 0)`;
}

/**
 * Returns the stored totals of the lists that may be long: all pages of a report, pages with a common issue, and pages in a
 * state.
 */
async function shortcut(
  db: Executor,
  reportId: string,
  filter: WebPageFilter,
  orders: readonly WebPageOrder[],
): Promise<Pick<ListHints, 'total' | 'ids'>> {
  const { url, status, journey, seen, recheck, checkStates = [], commonIssues = [], muted = 'false' } = filter;
  if ([url, status, journey, seen, recheck].some((value) => value !== undefined) || commonIssues.length > 1) return {};
  const [common] = commonIssues;
  if (common !== undefined && checkStates.length > 0) return {};
  if (common === undefined) {
    const byCheck = await pagesByCheck(db, reportId, checkStates, orders);
    if (byCheck !== undefined) return byCheck;
    if (checkStates.length > 0) return {};
    const report = await db.selectFrom('reports').select('num_pages').where('id', '=', reportId).executeTakeFirst();
    return { total: report?.num_pages ?? 0 };
  }
  return pagesWithIssue(db, reportId, common, muted, orders);
}

async function pagesWithIssue(
  db: Executor,
  reportId: string,
  common: { readonly kind: CheckKind; readonly id: number },
  muted: MutedChoice,
  orders: readonly WebPageOrder[],
): Promise<Pick<ListHints, 'total' | 'ids'>> {
  const issue = await db
    .selectFrom('common_issues')
    .select(COMMON_COUNTS[muted].numWebPages.as('num_web_pages'))
    .where('id', '=', common.id)
    .where('kind', '=', common.kind)
    .where('report_id', '=', reportId)
    .where(isOfChoice(muted))
    .executeTakeFirst();
  const ids = db
    .selectFrom('issues')
    .select('web_page_id as id')
    .distinct()
    .where('common_issue_id', '=', common.id)
    .where(isCounted(muted))
    .orderBy('web_page_id');
  return { total: issue?.num_web_pages ?? 0, ...(orders.length === 0 && { ids }) };
}

export async function findWebPage(db: Executor, reportId: string, id: number): Promise<WebPageWithChecks | undefined> {
  return db
    .selectFrom('web_pages')
    .select(COLUMNS)
    .select([hasDocument, checksIn(reportId)])
    .where('report_id', '=', reportId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the first other page of a report with the same document; undefined if there is none. */
export async function findSameDocument(
  db: Executor,
  reportId: string,
  id: number,
): Promise<Pick<WebPage, 'id' | 'url'> | undefined> {
  const hash = db.selectFrom('web_pages').select('document_hash').where('id', '=', id);
  const pages = db.selectFrom('web_pages').select(['id', 'url']).where('document_hash', '=', hash);
  return pages.where('report_id', '=', reportId).where('id', '<>', id).orderBy('id').limit(1).executeTakeFirst();
}

/** Returns a page of a report's excluded URLs, newest first. */
export async function listExcludedUrls(
  db: Executor,
  reportId: string,
  page: PageRequest,
): Promise<ListPage<ExcludedUrl>> {
  const list = db.selectFrom('excluded_urls').where('report_id', '=', reportId);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}

/** A page with notes about how it was checked. */
interface NotedPage {
  readonly url: string;
  readonly notes: readonly CheckNote[];
}

/** Returns the first pages of a report that have notes, in the order of discovery, and their number. */
export async function listNotedPages(
  db: Executor,
  reportId: string,
  limit: number,
): Promise<{ readonly total: number; readonly rows: readonly NotedPage[] }> {
  const { rows } = await sql<NotedPage & { readonly total: number }>`
    SELECT p.url, c.notes, (count(*) OVER ())::integer AS total
    FROM checks c JOIN web_pages p ON p.id = c.web_page_id
    WHERE c.report_id = ${reportId} AND c.notes <> '[]'
    ORDER BY p.id, c.kind LIMIT ${limit}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows };
}
