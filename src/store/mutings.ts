import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Executor } from './database.ts';
import { folded, foldedContains, type ListPage, listPage, type PageRequest } from './listing.ts';
import type { Muting } from './muting-tables.ts';
import type { Schema } from './schema.ts';

/** A muting as it is shown. */
export interface MutingRow extends Pick<Muting, (typeof COLUMNS)[number]> {
  /** Places of issues that it silences now, in all reports; one that several mutings silence counts for each. */
  readonly how_many: number;
}

export interface NewMuting {
  readonly accountId: string;
  /** Part of the URLs of pages. */
  readonly urlMatch: string;
  /** Part of the messages of issues. */
  readonly message: string;
  readonly comment: string;
}

const COLUMNS = ['id', 'account_id', 'url_match', 'message', 'comment'] as const;
const SHOWN = COLUMNS.map((column) => `mutings.${column}` as const);

const howMany = sql<number>`coalesce((SELECT how_many FROM muting_totals t WHERE t.muting_id = mutings.id), 0)`.as(
  'how_many',
);

const FROM_THE_START = sql`walk_pending = true, walked_report = DEFAULT, walked_page = NULL`;

/** Inserts a muting, whose walk over the existing reports is pending. */
export async function insertMuting(db: Executor, muting: NewMuting): Promise<number> {
  const { accountId, urlMatch, message, comment } = muting;
  const { id } = await db
    .insertInto('mutings')
    .values({ account_id: accountId, url_match: urlMatch, message, comment })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function countMutings(db: Executor, accountId: string): Promise<number> {
  const { count } = await mutingsOf(db, accountId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes a muting; its issues come back on its walk over the existing reports, after which the row goes, too. */
export async function markMutingDeleted(db: Executor, id: number): Promise<void> {
  await sql`UPDATE mutings SET deleted_at = now(), ${FROM_THE_START}
    WHERE id = ${id} AND deleted_at IS NULL`.execute(db);
}

export async function findMuting(db: Executor, id: number): Promise<MutingRow | undefined> {
  return db
    .selectFrom('mutings')
    .select(COLUMNS)
    .select(howMany)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** A page of an account's mutings, newest first. */
export async function listMutings(db: Executor, accountId: string, page: PageRequest): Promise<ListPage<MutingRow>> {
  return listPage(mutingsOf(db, accountId), page, (rows) => rows.select(COLUMNS).select(howMany).orderBy('id', 'desc'));
}

function mutingsOf(db: Executor, accountId: string) {
  return db.selectFrom('mutings').where('account_id', '=', accountId).where('deleted_at', 'is', null);
}

/**
 * A page of the mutings that silence at least one issue of a report, newest first. Those that a walk has yet to bring to the
 * report are not among them.
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
    .where(actsOn(reportId));
  return listPage(list, page, (rows) => rows.select(SHOWN).select(howMany).orderBy('mutings.id', 'desc'), {
    id: 'mutings.id',
  });
}

/** A text as mutings compare it: without regard to case, straight and typographic quotes alike. */
export function comparable(text: Expression<unknown>): RawBuilder<string> {
  return likeQuotes(folded(text));
}

function likeQuotes(text: Expression<string>): RawBuilder<string> {
  return sql<string>`translate(${text}, '‘’“”', '''''""')`;
}

/**
 * Whether a row of `mutings` acts on the report: on those of its account, and on those that guests made under it, while
 * the sharing lasts. One that was deleted does not, wherever its walk has got to.
 */
export function actsOn(reportId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`mutings.deleted_at IS NULL AND mutings.account_id IN (
    (SELECT account_id FROM reports WHERE id = ${reportId}),
    (SELECT g.host_id FROM reports r JOIN guest_accounts g ON g.id = r.guest_account_id
    WHERE r.id = ${reportId} AND g.deleted_at IS NULL))`;
}

/**
 * Sends the mutings of an account through all reports again, because others than before are theirs to act on once the
 * transaction commits; until then no muting is made. To be called before guest accounts or accounts are locked: a walk
 * waits for reports, and who holds a report may wait for these.
 */
export async function restartWalks(trx: Transaction<Schema>, accountId: string): Promise<void> {
  await lockMutings(trx, accountId);
  await sql`UPDATE mutings SET ${FROM_THE_START} WHERE account_id = ${accountId}`.execute(trx);
}

/** Keeps others from making mutings for the account until the transaction ends. */
export async function lockMutings(trx: Transaction<Schema>, accountId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.mutings}, hashtext(${accountId}))`.execute(trx);
}

/** A muting whose walk over the existing reports is under way, and how far it has got. */
export type MutingWalk = Pick<
  Muting,
  'id' | 'account_id' | 'url_match' | 'message' | 'deleted_at' | 'walked_report' | 'walked_page'
>;

/** Takes the walk that has rested longest, until the transaction ends; undefined when none is free. */
export async function takeWalk(trx: Transaction<Schema>): Promise<MutingWalk | undefined> {
  return trx
    .selectFrom('mutings')
    .select(['id', 'account_id', 'url_match', 'message', 'deleted_at', 'walked_report', 'walked_page'])
    .where('walk_pending', '=', true)
    .orderBy('walked_at')
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** The report that a walk goes on with; undefined when it has been through all. */
export async function reportOfWalk(trx: Transaction<Schema>, walk: MutingWalk): Promise<string | undefined> {
  const isLeft = sql<SqlBool>`deleted_at IS NULL
    AND ${walk.walked_page === null ? sql`id < ${walk.walked_report}` : sql`id <= ${walk.walked_report}`}`;
  // Each account has its reports in the order of their ids, and so has each guest account, also after its end.
  const { rows } = await sql<{ id: string }>`
    (SELECT id FROM reports WHERE account_id = ${walk.account_id} AND ${isLeft} ORDER BY id DESC LIMIT 1)
    UNION ALL
    SELECT made.id FROM guest_accounts g CROSS JOIN LATERAL (
      SELECT id FROM reports WHERE guest_account_id = g.id AND ${isLeft} ORDER BY id DESC LIMIT 1
    ) made WHERE g.host_id = ${walk.account_id}
    ORDER BY id DESC LIMIT 1`.execute(trx);
  return rows[0]?.id;
}

/** Whether a row of `common_issues` has the message of a muting in its own, or as its rule. */
function matchesMessage(message: string): RawBuilder<SqlBool> {
  const own = likeQuotes(sql<string>`coalesce(folded_message, ${folded(sql.ref('message'))})`);
  const given = comparable(sql`${message}::text`);
  return sql<SqlBool>`(strpos(${own}, ${given}) > 0 OR ${folded(sql.ref('rule_id'))} = ${given})`;
}

/** The next `max` pages of the report that the walk's muting may concern, in the order of their ids. */
export async function pagesOfWalk(
  trx: Transaction<Schema>,
  walk: MutingWalk,
  reportId: string,
  max: number,
): Promise<number[]> {
  const done = walk.walked_report === reportId ? (walk.walked_page ?? 0) : 0;
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM web_pages
    WHERE report_id = ${reportId} AND id > ${done} AND ${foldedContains(sql.ref('folded_url'), walk.url_match)} AND EXISTS (
      SELECT FROM common_issues WHERE report_id = ${reportId} AND ${matchesMessage(walk.message)})
    ORDER BY id LIMIT ${max}`.execute(trx);
  return rows.map((row) => row.id);
}

/** Notes how far the walk has got: through the report up to the page, or to the report's end where that is null. */
export async function moveWalk(
  trx: Transaction<Schema>,
  walk: MutingWalk,
  to: { readonly reportId: string; readonly page: number | null },
): Promise<void> {
  await sql`UPDATE mutings SET walked_report = ${to.reportId}, walked_page = ${to.page}, walked_at = clock_timestamp()
    WHERE id = ${walk.id}`.execute(trx);
}

/** Ends the walk, and with it the row of a muting that was deleted. */
export async function endWalk(trx: Transaction<Schema>, walk: MutingWalk): Promise<void> {
  if (walk.deleted_at === null) {
    await trx.updateTable('mutings').set({ walk_pending: false }).where('id', '=', walk.id).execute();
  } else {
    await trx.deleteFrom('mutings').where('id', '=', walk.id).execute();
  }
}
