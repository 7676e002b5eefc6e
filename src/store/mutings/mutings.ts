import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import type { Executor } from '../database.ts';
import { countRows, folded, foldedContains, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Schema } from '../schema.ts';
import { FROM_THE_START, isLeft, lastPageOf, type NextPages } from '../walks.ts';
import { recordEnds } from './ended-mutings.ts';
import type { Muting } from './muting-tables.ts';

/** A muting as the API shows it. */
export interface MutingRow extends Pick<Muting, (typeof COLUMNS)[number]> {
  /** Occurrences that it mutes in all reports, including occurrences that other mutings also mute. */
  readonly how_many: number;
  /** Reports in which it mutes at least one occurrence. */
  readonly num_reports: number;
  /** Whether `expires_at` has passed. In the background, it is then withdrawn from reports. */
  readonly is_expired: boolean;
}

/** A muting of an account. */
export type NewMuting = Pick<Muting, 'account_id' | 'url_match' | 'message' | 'comment' | 'expires_at'> &
  Partial<Pick<Muting, 'retroactive' | 'selector'>>;

const COLUMNS = [
  'id',
  'account_id',
  'report_id',
  'url_match',
  'message',
  'selector',
  'comment',
  'expires_at',
  'retroactive',
] as const;
const SHOWN = COLUMNS.map((column) => `mutings.${column}` as const);

const COMPUTED = [
  sql<number>`coalesce((SELECT how_many FROM muting_totals t WHERE t.muting_id = mutings.id), 0)`.as('how_many'),
  sql<number>`coalesce((SELECT num_reports FROM muting_totals t WHERE t.muting_id = mutings.id), 0)`.as('num_reports'),
  sql<boolean>`coalesce(mutings.expires_at <= now(), false)`.as('is_expired'),
] as const;

/** Inserts a muting that has yet to be applied to existing reports. */
export async function insertMuting(db: Executor, muting: NewMuting): Promise<number> {
  // Selectors are only matched when a page is checked, so nothing changes in existing reports.
  const row = { ...muting, walk_pending: muting.selector == null };
  const { id } = await db.insertInto('mutings').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function countMutings(db: Executor, accountId: string): Promise<number> {
  return countRows(mutingsOf(db, accountId));
}

export async function countSelectors(db: Executor, accountId: string): Promise<number> {
  return countRows(mutingsOf(db, accountId).where('selector', 'is not', null));
}

/** Hides a muting. Once its issues in existing reports are shown again, `finishMuting` deletes the row. */
export async function markMutingDeleted(db: Executor, id: number): Promise<void> {
  await recordEnds(
    db,
    sql`UPDATE mutings SET deleted_at = now(), ${FROM_THE_START}
      WHERE id = ${id} AND deleted_at IS NULL RETURNING id, inserted_at`,
  );
}

/** Finds a muting of an account. */
export async function findMuting(db: Executor, id: number): Promise<MutingRow | undefined> {
  return db
    .selectFrom('mutings')
    .select(COLUMNS)
    .select(COMPUTED)
    .where('id', '=', id)
    .where('report_id', 'is', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Returns a page of an account's mutings, newest first. */
export async function listMutings(db: Executor, accountId: string, page: PageRequest): Promise<ListPage<MutingRow>> {
  return listPage(mutingsOf(db, accountId), page, (rows) =>
    rows.select(COLUMNS).select(COMPUTED).orderBy('id', 'desc'),
  );
}

function mutingsOf(db: Executor, accountId: string) {
  const all = db.selectFrom('mutings').where('account_id', '=', accountId);
  return all.where('report_id', 'is', null).where('deleted_at', 'is', null);
}

/**
 * Returns a page of the mutings that mute at least one issue of a report, newest first. A new muting is missing until it has been
 * applied to the report.
 */
export async function listReportMutings(
  db: Executor,
  reportId: string,
  page: PageRequest,
): Promise<ListPage<MutingRow>> {
  const list = db
    .selectFrom('mutings')
    .innerJoin('report_mutings as r', (join) =>
      join.onRef('r.muting_id', '=', 'mutings.id').on('r.report_id', '=', reportId),
    )
    .where('r.how_many', '>', 0)
    .where(appliesTo(reportId));
  return listPage(list, page, (rows) => rows.select(SHOWN).select(COMPUTED).orderBy('mutings.id', 'desc'), {
    id: 'mutings.id',
  });
}

/** Normalizes a text for comparison with mutings, which ignore case and treat straight and typographic quotes alike. */
export function comparable(text: Expression<unknown>): RawBuilder<string> {
  return likeQuotes(folded(text));
}

function likeQuotes(text: Expression<string>): RawBuilder<string> {
  return sql<string>`translate(${text}, '‘’“”', '''''""')`;
}

/**
 * Builds the condition that a muting applies to the report: it is neither deleted nor expired, and belongs to the report, to its
 * account or to the host of its guest account.
 */
export function appliesTo(reportId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`mutings.deleted_at IS NULL AND NOT mutings.expired AND (mutings.report_id = ${reportId}
    OR mutings.report_id IS NULL AND mutings.account_id IN (
      (SELECT account_id FROM reports WHERE id = ${reportId}),
      (SELECT g.host_id FROM reports r JOIN guest_accounts g ON g.id = r.guest_account_id
      WHERE r.id = ${reportId} AND g.deleted_at IS NULL)))`;
}

/**
 * Schedules all mutings of an account to be applied again, because the transaction changes the reports to which they apply. No
 * muting can be created until it ends. Call it before locking guest accounts or accounts: applying a muting locks reports, and
 * transactions that hold a report may wait for these accounts.
 */
export async function reapplyMutings(trx: Transaction<Schema>, accountId: string): Promise<void> {
  await lockMutings(trx, accountId);
  await sql`UPDATE mutings SET ${FROM_THE_START} WHERE account_id = ${accountId} AND report_id IS NULL`.execute(trx);
}

/** Whether a muting of an account has yet to be applied to reports, or withdrawn from them. */
export async function hasPendingMutings(db: Executor, accountId: string): Promise<boolean> {
  const pending = db
    .selectFrom('mutings')
    .select('id')
    .where('account_id', '=', accountId)
    .where('walk_pending', '=', true);
  return (await pending.limit(1).execute()).length > 0;
}

/** Whether any muting changes the results at a report's end, or has done so and is being withdrawn. */
export async function hasRetroactive(trx: Transaction<Schema>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM reports r JOIN mutings m ON m.account_id IN (r.account_id, r.payer_id)
    WHERE r.id = ${reportId} AND m.retroactive LIMIT 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Marks mutings as expired when their time has passed: from then on, they match nothing. They are then applied again, so that
 * issues that only they muted are shown.
 */
export async function expireMutings(trx: Transaction<Schema>): Promise<void> {
  await recordEnds(
    trx,
    sql`UPDATE mutings SET expired = true, ${FROM_THE_START} WHERE id IN (
      SELECT id FROM mutings WHERE expires_at <= now() AND NOT expired AND deleted_at IS NULL
      FOR NO KEY UPDATE SKIP LOCKED) RETURNING id, inserted_at`,
  );
}

/** Prevents other transactions from creating mutings for the account until this transaction ends. */
export async function lockMutings(trx: Transaction<Schema>, accountId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.mutings}, hashtext(${accountId}))`.execute(trx);
}

/** Returns the next report to apply a muting to; undefined after the last. */
export async function nextReportOf(trx: Transaction<Schema>, muting: Muting): Promise<string | undefined> {
  const isToDo = sql<SqlBool>`deleted_at IS NULL AND ${isLeft(muting)}`;
  // Indexes list the reports of each account, and of each guest account, in the order of their ids.
  const { rows } = await sql<{ id: string }>`
    (SELECT id FROM reports WHERE account_id = ${muting.account_id} AND ${isToDo} ORDER BY id DESC LIMIT 1)
    UNION ALL
    SELECT made.id FROM guest_accounts g CROSS JOIN LATERAL (
      SELECT id FROM reports WHERE guest_account_id = g.id AND ${isToDo} ORDER BY id DESC LIMIT 1
    ) made WHERE g.host_id = ${muting.account_id}
    ORDER BY id DESC LIMIT 1`.execute(trx);
  return rows[0]?.id;
}

/** Builds the condition that a common issue's message contains the message of a muting, or that its rule equals it. */
export function matchesMessage(message: string): RawBuilder<SqlBool> {
  const own = likeQuotes(sql<string>`coalesce(folded_message, ${folded(sql.ref('message'))})`);
  const given = comparable(sql`${message}::text`);
  return sql<SqlBool>`(strpos(${own}, ${given}) > 0 OR ${folded(sql.ref('rule_id'))} = ${given})`;
}

/** Returns the next pages of the report that the muting may match, at most `max`, in the order of their ids. */
export async function nextPagesOf(
  trx: Transaction<Schema>,
  muting: Muting,
  reportId: string,
  max: number,
): Promise<NextPages> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM web_pages
    WHERE report_id = ${reportId} AND id > ${lastPageOf(muting, reportId)} AND ${foldedContains(sql.ref('folded_url'), muting.url_match)} AND (EXISTS (
        SELECT FROM common_issues WHERE report_id = ${reportId} AND ${matchesMessage(muting.message)})
      OR ${muting.retroactive} AND EXISTS (SELECT FROM issues_before_recheck b WHERE b.web_page_id = web_pages.id))
    ORDER BY id LIMIT ${max}`.execute(trx);
  return { ids: rows.map((row) => row.id), isLast: rows.length < max };
}

/** The number of reports among which the latest report of each starting URL is searched. */
const REPORTS_MAX = 200;
/**
 * Reports are added, the newest first, until they have this many pages: counting their issues takes a few hundred milliseconds.
 */
const PAGES_MAX = 5_000;
/** The maximum number of matching issue types that are counted. */
const ISSUE_TYPES_MAX = 5_000;
/** The number of issue types to list. */
const ISSUE_TYPES_SHOWN = 10;

interface PreviewedIssueType {
  readonly kind: CheckKind;
  readonly message: string;
  readonly how_many: number;
}

interface MutingPreview {
  /** Matching occurrences, including muted ones. */
  readonly how_many: number;
  readonly num_web_pages: number;
  /** The most frequent issue types, at most `ISSUE_TYPES_SHOWN`. */
  readonly kinds: readonly PreviewedIssueType[];
  /** Reports and pages that were searched. */
  readonly num_reports: number;
  readonly num_web_pages_searched: number;
  /** Whether the latest report of each starting URL was searched completely. */
  readonly is_complete: boolean;
}

/** Counts the occurrences that a muting would match in the latest reports of an account. */
export async function previewMuting(
  db: Executor,
  accountId: string,
  { urlMatch, message }: { readonly urlMatch: string; readonly message: string },
): Promise<MutingPreview> {
  const { reportIds, isComplete } = await latestReports(db, accountId);
  const { rows: pages } = await sql<{ id: number; matches: boolean }>`
    SELECT p.id, ${foldedContains(sql.ref('p.folded_url'), urlMatch)} AS matches
    FROM unnest(${reportIds}::uuid[]) AS r(id) CROSS JOIN LATERAL (
      SELECT id, folded_url FROM web_pages WHERE report_id = r.id ORDER BY id LIMIT ${PAGES_MAX + 1}
    ) p LIMIT ${PAGES_MAX + 1}`.execute(db);
  const searched = pages.slice(0, PAGES_MAX);
  const matching = searched.flatMap(({ id, matches }) => (matches ? [id] : []));
  const { rows: issueTypeIds } = await sql<{ id: number }>`
    SELECT id FROM common_issues WHERE report_id = ANY(${reportIds}::uuid[]) AND ${matchesMessage(message)}
    LIMIT ${ISSUE_TYPES_MAX + 1}`.execute(db);
  const counted = issueTypeIds.slice(0, ISSUE_TYPES_MAX).map(({ id }) => id);
  const counts = await countMatches(db, matching, counted);
  return {
    ...counts,
    num_reports: reportIds.length,
    num_web_pages_searched: searched.length,
    is_complete: isComplete && pages.length <= PAGES_MAX && issueTypeIds.length <= ISSUE_TYPES_MAX,
  };
}

/** Returns the latest report of each starting URL, newest first, until they have `PAGES_MAX` pages in total. */
async function latestReports(db: Executor, accountId: string): Promise<{ reportIds: string[]; isComplete: boolean }> {
  const { rows } = await sql<{ id: string; starting_url: string; num_pages: number }>`
    SELECT id, starting_url, num_pages FROM reports
    WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY id DESC LIMIT ${REPORTS_MAX}`.execute(db);
  const seen = new Set<string>();
  const latest = rows.filter(({ starting_url: url, num_pages: numPages }) => {
    if (numPages === 0 || seen.has(url)) return false;
    seen.add(url);
    return true;
  });
  let pages = 0;
  const chosen = latest.filter(({ num_pages: numPages }) => {
    const isNeeded = pages < PAGES_MAX;
    pages += numPages;
    return isNeeded;
  });
  return {
    reportIds: chosen.map(({ id }) => id),
    isComplete: chosen.length === latest.length && rows.length < REPORTS_MAX,
  };
}

async function countMatches(
  db: Executor,
  pageIds: readonly number[],
  issueTypeIds: readonly number[],
): Promise<Pick<MutingPreview, 'how_many' | 'num_web_pages' | 'kinds'>> {
  if (pageIds.length === 0 || issueTypeIds.length === 0) return { how_many: 0, num_web_pages: 0, kinds: [] };
  const { rows } = await sql<Pick<MutingPreview, 'how_many' | 'num_web_pages' | 'kinds'>>`
    WITH on_pages AS MATERIALIZED (
      -- Their number is limited, unlike the number of issues of a kind.
      SELECT i.* FROM unnest(${pageIds}::bigint[]) AS p (id) CROSS JOIN LATERAL (
        -- One by one: for all at once, PostgreSQL may skip through the index of common issues, which takes seconds.
        SELECT common_issue_id, web_page_id, how_many FROM issues WHERE web_page_id = p.id OFFSET 0) i
    ), found AS MATERIALIZED (
      SELECT * FROM on_pages WHERE common_issue_id = ANY(${issueTypeIds})
    ), kinds AS (
      SELECT c.kind, c.message, sum(f.how_many) AS how_many
      FROM found f JOIN common_issues c ON c.id = f.common_issue_id GROUP BY c.kind, c.message
      ORDER BY how_many DESC, c.message LIMIT ${ISSUE_TYPES_SHOWN}
    )
    SELECT coalesce(sum(how_many), 0)::bigint AS how_many, count(DISTINCT web_page_id) AS num_web_pages,
      coalesce((SELECT json_agg(kinds) FROM kinds), '[]') AS kinds FROM found`.execute(db);
  return rows[0] ?? { how_many: 0, num_web_pages: 0, kinds: [] };
}
