import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Executor } from '../database.ts';
import type { Schema } from '../schema.ts';

/** The progress of a reader of changes. */
export interface ChangeCursor {
  /** In seconds since 1970, by the database's clock. */
  readonly time: number;
  /** A `pg_snapshot`: the reader has seen every change that is visible in it. */
  readonly snapshot: string;
}

/** Whose changes to read: the reports of an account and its guests, or one report. */
export type ChangeSource = { readonly accountId: string } | { readonly reportId: string };

export interface ReportChanges {
  /** Where to continue. */
  readonly cursor: ChangeCursor;
  /** Ids of reports that were created or changed. */
  readonly changed: readonly string[];
  /** Ids of reports that were deleted. */
  readonly gone: readonly string[];
  /** False if there are too many changes to list, or if not all of them are known; the lists are empty in this case. */
  readonly isComplete: boolean;
}

/** More changes at once are not listed: reading the reports one by one would take longer than reading a list. */
const CHANGES_MAX = 100;
/** The maximum age of a cursor, in hours. */
const RESUMABLE_HOURS = 24;
/** Longer than any cursor is accepted, with time for the transaction that deletes old rows. */
const ABSENCES_KEPT_HOURS = 25;

const here = sql`pg_current_snapshot()::text AS snapshot, floor(extract(epoch FROM now()))::bigint AS time`;

/** Returns the cursor of a reader that has seen everything up to now. */
export async function currentCursor(db: Executor): Promise<ChangeCursor> {
  const { rows } = await sql<ChangeCursor>`SELECT ${here}`.execute(db);
  const [cursor] = rows;
  if (cursor === undefined) throw new Error('The database returned no snapshot');
  return cursor;
}

interface ChangeRow {
  /** Null for an unknown number of reports. */
  readonly id: string | null;
  readonly gone: boolean;
}

/** Reads the changes after a cursor: each change once, regardless of the duration of its transaction. */
export async function changesSince(
  db: Executor,
  source: ChangeSource,
  { time, snapshot }: ChangeCursor,
): Promise<ReportChanges> {
  const since = sql`${snapshot}::pg_snapshot`;
  // The first condition is for the index.
  const isNew = sql`changed_xid >= pg_snapshot_xmin(${since}) AND NOT pg_visible_in_snapshot(changed_xid, ${since})`;
  const changes = 'accountId' in source ? ofAccount(source.accountId, isNew) : ofReport(source.reportId, isNew);
  const { rows } = await sql<ChangeCursor & { readonly isKnown: boolean; readonly changes: readonly ChangeRow[] }>`
    SELECT ${here},
      pg_snapshot_xmax(${since}) <= pg_snapshot_xmax(pg_current_snapshot())
        AND to_timestamp(${time}) > now() - make_interval(hours => ${sql.lit(RESUMABLE_HOURS)}) AS "isKnown",
      (SELECT coalesce(jsonb_agg(c), '[]') FROM (
        SELECT id, gone FROM (${changes}) AS u LIMIT ${sql.lit(CHANGES_MAX + 1)}) AS c) AS changes`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no snapshot');
  const ids = (isGone: boolean) => row.changes.flatMap(({ id, gone }) => (id !== null && gone === isGone ? [id] : []));
  const isComplete = row.isKnown && row.changes.length <= CHANGES_MAX && row.changes.every(({ id }) => id !== null);
  return {
    cursor: { time: row.time, snapshot: row.snapshot },
    changed: isComplete ? ids(false) : [],
    gone: isComplete ? ids(true) : [],
    isComplete,
  };
}

function ofAccount(accountId: string, isNew: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT id, false AS gone FROM reports WHERE account_id = ${accountId} AND deleted_at IS NULL AND ${isNew}
    UNION ALL
    SELECT id, false FROM reports WHERE deleted_at IS NULL AND ${isNew} AND guest_account_id = ANY(ARRAY(
      SELECT g.id FROM guest_accounts g WHERE g.host_id = ${accountId} AND g.deleted_at IS NULL))
    UNION ALL
    SELECT report_id, true FROM report_absences WHERE account_id = ${accountId} AND ${isNew}`;
}

function ofReport(reportId: string, isNew: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    SELECT id, false AS gone FROM reports WHERE id = ${reportId} AND deleted_at IS NULL AND ${isNew}
    UNION ALL
    SELECT ${reportId}::uuid, true
    WHERE NOT EXISTS (SELECT FROM reports WHERE id = ${reportId} AND deleted_at IS NULL)`;
}

/** Records for the readers of a report that it is deleted. */
export async function recordDeletion(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    INSERT INTO report_absences (account_id, report_id)
    SELECT account_id, id FROM reports WHERE id = ${reportId}
    UNION
    SELECT g.host_id, r.id FROM reports r
    JOIN guest_accounts g ON g.id = r.guest_account_id AND g.deleted_at IS NULL WHERE r.id = ${reportId}`.execute(trx);
}

/** Records that an account can no longer see some reports, such as the reports of a guest. */
export async function recordLostReports(trx: Transaction<Schema>, accountId: string): Promise<void> {
  await trx.insertInto('report_absences').values({ account_id: accountId, report_id: null }).execute();
}

/** Deletes entries that no reader can request anymore. */
export async function deleteOldAbsences(db: Executor): Promise<void> {
  await db
    .deleteFrom('report_absences')
    .where(sql<boolean>`inserted_at < now() - make_interval(hours => ${sql.lit(ABSENCES_KEPT_HOURS)})`)
    .execute();
}
