import { Kysely, PostgresDialect, sql, Transaction } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** A database or a transaction on it: what functions take that may be part of a greater transaction. */
export type Executor = Database | Transaction<Schema>;

const CONNECT_TIMEOUT_MS = 10_000;
/** A database that vanished without a word is noticed, instead of being waited for. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** After its own limit of a statement, a server that says nothing is given up. */
const ANSWER_GRACE_MS = 20_000;

/** What a pool of connections is for, and so what the server lets its statements take. 0 is no limit. */
interface PoolLimits {
  /**
   * Of one process. Requests and work have pools of their own, so that neither starves the other. The embedded server
   * allows 100 connections in all: enough for four processes of 22, those of the worker and of the lease included.
   */
  readonly connectionsMax: number;
  /** Until the server cancels a statement. */
  readonly statementTimeoutMs: number;
  /** Until it gives up waiting for a lock of another transaction; before the statement's time is up. */
  readonly lockTimeoutMs: number;
  /** Until it ends a transaction that asks nothing: its process hangs, and others wait for its locks. */
  readonly idleInTransactionTimeoutMs: number;
}

const POOLS = {
  /** People wait for the answer. The slowest list on ten million issues takes far less than a second. */
  requests: {
    connectionsMax: 10,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 10_000,
    idleInTransactionTimeoutMs: 60_000,
  },
  /** Nobody waits, and what takes too long is done again from the start: the limits are only for what hangs. */
  work: {
    connectionsMax: 10,
    statementTimeoutMs: 100_000,
    lockTimeoutMs: 30_000,
    idleInTransactionTimeoutMs: 60_000,
  },
  /** A migration may have to rewrite a large table. How long it waits for another process, `migrate` says. */
  migration: { connectionsMax: 1, statementTimeoutMs: 0, lockTimeoutMs: 0, idleInTransactionTimeoutMs: 0 },
} as const satisfies Record<string, PoolLimits>;

const types = new pg.TypeOverrides();
// Counts and ids stay far below 2^53, so they may be numbers.
types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseUse = keyof typeof POOLS;

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** What it is used for. Default `requests`. */
  readonly use?: DatabaseUse;
  /** Other limits than those of the use. */
  readonly limits?: Partial<PoolLimits>;
}

/** Opens a pool of connections; a connection is made when the first query needs it. */
export function openDatabase(
  connectionString: string,
  onError: (error: Error) => void,
  { use = 'requests', limits = {} }: DatabaseOptions = {},
): OpenDatabase {
  const { connectionsMax, statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs } = {
    ...POOLS[use],
    ...limits,
  };
  const pool = new pg.Pool({
    connectionString,
    types,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + ANSWER_GRACE_MS }),
    application_name: 'sitewarden',
    onConnect: async (client) => {
      // To compile a statement or to start helpers for it takes longer than the longest of ours, and others want the cores.
      await client.query(`SET jit = off; SET max_parallel_workers_per_gather = 0;
        SET statement_timeout = ${statementTimeoutMs}; SET lock_timeout = ${lockTimeoutMs};
        SET idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`);
    },
  });
  // An idle connection may be lost when the server restarts; the next query makes a new one.
  pool.on('error', onError);
  // One in use between two queries of a transaction has nobody to tell; the next query fails and tells.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, close: () => db.destroy() };
}

/** Reads one state of the database, whatever others commit meanwhile; in a transaction that is under way, as that one does. */
export function inSnapshot<Result>(db: Executor, read: (trx: Transaction<Schema>) => Promise<Result>): Promise<Result> {
  if (db instanceof Transaction) return read(db);
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** Runs in a transaction: in the one that is under way, else in a new one. */
export function inTransaction<Result>(
  db: Executor,
  run: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return db instanceof Transaction ? run(db) : db.transaction().execute(run);
}

/** Runs in a savepoint of a transaction: what it did is undone when it throws, and the transaction can go on. */
export async function inSavepoint<Result>(trx: Transaction<Schema>, run: () => Promise<Result>): Promise<Result> {
  await sql`SAVEPOINT part`.execute(trx);
  try {
    return await run();
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT part`.execute(trx);
    throw error;
  }
}

/** The name and version of the server; throws when it does not answer. */
export async function serverVersion(db: Executor): Promise<string> {
  const { rows } = await sql<{ version: string }>`SELECT split_part(version(), ' on ', 1) AS version`.execute(db);
  return rows[0]?.version ?? 'it answers';
}
