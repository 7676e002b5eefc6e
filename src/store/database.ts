import { Kysely, PostgresDialect, Transaction } from 'kysely';
import pg from 'pg';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** A database or a transaction on it: what functions take that may be part of a greater transaction. */
export type Executor = Database | Transaction<Schema>;

/** Connections of one process. The embedded server allows 100 in all. */
const CONNECTIONS_MAX = 12;
const CONNECT_TIMEOUT_MS = 10_000;
/** A database that vanished without a word is noticed, instead of being waited for. */
const KEEP_ALIVE_DELAY_MS = 10_000;
const QUERY_TIMEOUT_MS = 120_000;

const types = new pg.TypeOverrides();
// Counts and ids stay far below 2^53, so they may be numbers.
types.setTypeParser(pg.types.builtins.INT8, Number);

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Opens a pool of connections; a connection is made when the first query needs it. */
export function openDatabase(connectionString: string, onError: (error: Error) => void): OpenDatabase {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: 'sitewarden',
    // To compile a statement or to start helpers for it takes longer than the longest of ours, and others want the cores.
    onConnect: async (client) => {
      await client.query('SET jit = off; SET max_parallel_workers_per_gather = 0');
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
