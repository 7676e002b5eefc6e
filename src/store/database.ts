import { Kysely, PostgresDialect, sql, Transaction } from 'kysely';
import pg from 'pg';
import { isDiskFull, isReadOnly, isTransient } from '../platform/database-errors.ts';
import { databaseConnectionsMax } from '../platform/limits.ts';
import { connectPatiently } from './connect-patiently.ts';
import { PreparingClient } from './preparing-client.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** A database or a transaction on it, for functions that may be part of a larger transaction. */
export type Executor = Database | Transaction<Schema>;

/** Detects a server that has disappeared without closing its connections. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** How long after the server's own limit this process abandons a statement. */
const ANSWER_GRACE_MS = 20_000;

/** Limits of a pool of connections and of its statements. 0 is no limit. */
interface PoolLimits {
  /** Of one process. */
  readonly connectionsMax: number;
  /** For opening a connection, or for waiting until one in the pool is free. */
  readonly connectTimeoutMs: number;
  /** The server cancels a statement after this time. */
  readonly statementTimeoutMs: number;
  /** The server cancels a statement that has waited this long for a lock; less than the statement timeout. */
  readonly lockTimeoutMs: number;
  /** The server ends a transaction that has been idle this long: its process hangs, and others wait for its locks. */
  readonly idleInTransactionTimeoutMs: number;
}

/** Long, because a process that starts connects while it loads modules and starts engines, and no shorter than a statement. */
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * No client waits, and a statement that takes too long starts again from the beginning: only hung statements should hit these
 * limits.
 */
const ofWork = { statementTimeoutMs: 100_000, lockTimeoutMs: 30_000, idleInTransactionTimeoutMs: 60_000 } as const;

const POOLS = {
  /** Clients wait for the response. The slowest list on ten million issues takes far less than a second. */
  requests: {
    connectionsMax: databaseConnectionsMax.requests,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: 30_000,
    lockTimeoutMs: 10_000,
    idleInTransactionTimeoutMs: 60_000,
  },
  work: { ...ofWork, connectionsMax: databaseConnectionsMax.work, connectTimeoutMs: CONNECT_TIMEOUT_MS },
  /** Tasks with long statements, which wait for each other. */
  background: {
    ...ofWork,
    connectionsMax: databaseConnectionsMax.background,
    connectTimeoutMs: ofWork.statementTimeoutMs,
  },
  /** A migration may rewrite a large table. `migrate` limits how long it waits for another process. */
  migration: {
    connectionsMax: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  },
} as const satisfies Record<string, PoolLimits>;

const types = new pg.TypeOverrides();
// Counts and ids stay far below 2^53, so they may be numbers.
types.setTypeParser(pg.types.builtins.INT8, Number);

export type DatabaseUse = keyof typeof POOLS;

/** The use of a pool of connections. */
export interface PoolUse {
  readonly connectionsMax: number;
  /** `waiting` are queries without a connection. */
  connections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Calls the listener with the time that each query has waited for a connection, in milliseconds. */
  onWait(listener: (ms: number) => void): void;
}

export interface OpenDatabase {
  readonly db: Database;
  readonly use: PoolUse;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Default `requests`. */
  readonly use?: DatabaseUse;
  /** Override the limits that `use` implies. */
  readonly limits?: Partial<PoolLimits>;
}

/** Opens a pool of connections. It connects at the first query. */
export function openDatabase(
  connectionString: string,
  onError: (error: Error) => void,
  { use = 'requests', limits = {} }: DatabaseOptions = {},
): OpenDatabase {
  const { connectionsMax, connectTimeoutMs, statementTimeoutMs, ...others } = { ...POOLS[use], ...limits };
  const pool = new pg.Pool({
    connectionString,
    // Requests are not repeated if a migration makes a plan stale, and their statements vary more.
    ...(use === 'work' && { Client: PreparingClient }),
    types,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + ANSWER_GRACE_MS }),
    application_name: 'sitewarden',
    onConnect: async (client) => {
      // Compiling a statement or starting parallel workers takes longer than running any of these, and occupies the cores.
      await client.query(`SET jit = off; SET max_parallel_workers_per_gather = 0;
        SET statement_timeout = ${statementTimeoutMs}; SET lock_timeout = ${others.lockTimeoutMs};
        SET idle_in_transaction_session_timeout = ${others.idleInTransactionTimeoutMs}`);
    },
  });
  // An idle connection may be lost when the server restarts; the next query opens a new connection.
  pool.on('error', onError);
  // If a connection is lost between two queries of a transaction, the next query reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const waited = new Set<(ms: number) => void>();
  const connect = async (): Promise<pg.PoolClient> => {
    const begunAt = performance.now();
    try {
      return await connectPatiently(
        () => pool.connect(),
        () => pool.ending,
      );
    } finally {
      for (const listener of waited) listener(performance.now() - begunAt);
    }
  };
  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } });
  const db = new Kysely<Schema>({ dialect });
  const connections: PoolUse['connections'] = () => ({
    total: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  return {
    db,
    use: { connectionsMax, connections, onWait: (listener) => waited.add(listener) },
    close: () => db.destroy(),
  };
}

/** Reads from one snapshot of the database; in an existing transaction, at that transaction's isolation level. */
export function inSnapshot<Result>(db: Executor, read: (trx: Transaction<Schema>) => Promise<Result>): Promise<Result> {
  if (db instanceof Transaction) return read(db);
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** Runs in the existing transaction, or else in a new one. */
export function inTransaction<Result>(
  db: Executor,
  run: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return db instanceof Transaction ? run(db) : db.transaction().execute(run);
}

/**
 * Lets the rest of a transaction use generic plans, which do not depend on parameters and which the server keeps: planning a
 * statement on many tables takes longer than executing it. Only for statements whose best plan is the same for all parameters.
 */
export async function keepPlans(trx: Executor): Promise<void> {
  await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(trx);
}

/** Runs in a savepoint: if `run` throws, its changes are rolled back and the transaction can continue. */
export async function inSavepoint<Result>(trx: Transaction<Schema>, run: () => Promise<Result>): Promise<Result> {
  await sql`SAVEPOINT part`.execute(trx);
  try {
    return await run();
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT part`.execute(trx);
    throw error;
  }
}

/** Runs in the existing transaction, or else in a new one, and rolls back all changes. Returns what `run` returned. */
export function withoutEffect<Result>(
  db: Executor,
  run: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (trx) => {
    await sql`SAVEPOINT rehearsal`.execute(trx);
    const result = await run(trx);
    await sql`ROLLBACK TO SAVEPOINT rehearsal`.execute(trx);
    return result;
  });
}

/**
 * Writes the bookkeeping of a read, such as when a token was last used. While the database accepts no changes, this is skipped.
 */
export async function bookkeep(work: Promise<unknown>): Promise<void> {
  await unlessRefused(work, isTransient);
}

/**
 * Writes data that saves work for later reads, such as a list that they would otherwise compute again.
 * @returns whether it was written: false while the database is read-only or full. Throws if the database is busy or unavailable,
 *   so that the caller does not compute the same data again.
 */
export function keep(work: Promise<unknown>): Promise<boolean> {
  return unlessRefused(work, (error) => isReadOnly(error) || isDiskFull(error));
}

async function unlessRefused(work: Promise<unknown>, isExpected: (error: unknown) => boolean): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return false;
  }
}

/** Rows that `isWritable` has the server write: about 800 kB. */
const PROBED_ROWS = 60_000;

/**
 * Returns whether the server accepts changes: a standby, a read-only server and a server with a full disk do not. To detect a
 * full disk, it has the server collect more rows than fit into memory, which creates a temporary file and changes no table.
 * @throws Error of a server that does not respond
 */
export function isWritable(db: Database): Promise<boolean> {
  const writing = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{
      isAccepting: boolean;
    }>`SELECT current_setting('transaction_read_only') = 'off' AS "isAccepting"`.execute(trx);
    if (rows[0]?.isAccepting !== true) return false;
    await sql`SET LOCAL work_mem = '64kB'`.execute(trx);
    await sql`SELECT count(*) FROM generate_series(1, ${PROBED_ROWS}::integer)`.execute(trx);
    return true;
  });
  return writing.catch((error: unknown) => {
    if (isDiskFull(error)) return false;
    throw error;
  });
}

/** Returns the name and version of the server; throws if it does not respond. */
export async function serverVersion(db: Executor): Promise<string> {
  const { rows } = await sql<{ version: string }>`SELECT split_part(version(), ' on ', 1) AS version`.execute(db);
  return rows[0]?.version ?? 'it responds';
}
