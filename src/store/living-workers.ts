import { sql } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Executor } from './database.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';

/** Selects the ids of the living workers in this database: the second keys of their advisory locks. */
export const living = sql`
  SELECT objid::bigint::bit(32)::integer FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${sql.lit(ADVISORY_LOCKS.worker)} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const isLost = sql<boolean>`workers.id NOT IN (${living})`;

/** Returns the ids of the living workers: each holds its lock as long as its process runs. */
export async function livingWorkers(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM (${living}) AS workers (id) ORDER BY id`.execute(db);
  return rows.map(({ id }) => id);
}

/** What a process reports about itself. */
export interface WorkerProcess {
  /** The name of its machine. */
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** `serve`, `work` or another command. */
  readonly command: string;
  /** The kinds of checks that it runs. */
  readonly engines: readonly string[];
}

/** A process that works on reports. */
export interface WorkerInfo extends WorkerProcess {
  readonly id: number;
  readonly joinedAt: Date;
  /** Whether it has its connection to the database now. */
  readonly isRunning: boolean;
  /** When it was found to have ended; null while it runs, and until another process has noticed. */
  readonly endedAt: Date | null;
  readonly crawls: number;
  readonly checks: number;
}

/** How long processes that were killed or lost stay listed. */
const LOST_KEPT_DAYS = 1;

/** Records a process under its new id, in place of its earlier ids and of a killed process that it replaces. */
export async function recordWorker(db: Executor, id: number, worker: WorkerProcess): Promise<void> {
  const { host, pid } = worker;
  await db.deleteFrom('workers').where('host', '=', host).where('pid', '=', pid).where(isLost).execute();
  const row = { ...worker, engines: [...worker.engines], id, joined_at: sql<Date>`now()`, ended_at: null };
  await db
    .insertInto('workers')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Removes a process that ends normally. */
export async function removeWorker(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('workers').where('id', '=', id).execute();
}

/** Records when processes were found lost: they were killed, or have lost their connection. */
export async function recordLostWorkers(db: Executor): Promise<void> {
  const lost = { ended_at: sql<Date>`now()` };
  await db.updateTable('workers').set(lost).where('ended_at', 'is', null).where(isLost).execute();
}

/** Deletes the processes that were lost some time ago. */
export async function deleteLostWorkers(db: Executor): Promise<void> {
  await recordLostWorkers(db);
  const isOld = sql<boolean>`ended_at < now() - make_interval(days => ${sql.lit(LOST_KEPT_DAYS)})`;
  await db.deleteFrom('workers').where(isOld).execute();
}

/** Lists the processes: running ones first, then the newest first. */
export function listWorkers(db: Executor, page: PageRequest): Promise<ListPage<WorkerInfo>> {
  const isRunning = sql<boolean>`workers.id IN (${living})`;
  return listPage(db.selectFrom('workers'), page, (rows) =>
    rows
      .select(['workers.id', 'host', 'pid', 'version', 'command', 'engines', 'joined_at as joinedAt'])
      .select(isRunning.as('isRunning'))
      .select(sql<Date | null>`CASE WHEN NOT ${isRunning} THEN ended_at END`.as('endedAt'))
      .select(sql<number>`(SELECT count(*) FROM reports WHERE crawled_by = workers.id)::integer`.as('crawls'))
      .select(sql<number>`(SELECT count(*) FROM checks WHERE claimed_by = workers.id)::integer`.as('checks'))
      .orderBy(isRunning, 'desc')
      .orderBy('joined_at', 'desc')
      .orderBy('workers.id'),
  );
}
