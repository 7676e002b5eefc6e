import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type ClientBase, DatabaseError } from 'pg';
import { plural } from '../domain/amounts.ts';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { isDiskFull } from '../platform/database-errors.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Database } from './database.ts';
import { migrationNames, migrationReleases, migrationText, type Releases, requiredBy } from './migration-files.ts';
import { runsConcurrently, statementsIn } from './migration-statements.ts';
import type { Schema } from './schema.ts';

const POSTGRES_MAJOR_MIN = 18;

const CREATE_MIGRATIONS =
  'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())';
/** PostgreSQL's error codes for statements that could not lock a table because of others. */
const LOCK_FAULTS = ['55P03', '40P01'];
/** How often to check whether another process is still migrating. */
const ASK_MS = 200;

/** In milliseconds. */
const TIMES: MigrationTimes = {
  othersMs: 60_000,
  // While a statement waits for a table, everyone else waits behind it. An autovacuum yields only after `deadlock_timeout`, which
  // is one second.
  lockMs: 2_000,
  pauseMs: 2_000,
  locksMs: 600_000,
};

export interface MigrationTimes {
  /** How long to wait while another process migrates. */
  readonly othersMs: number;
  /** How long a statement waits for a lock before its migration is rolled back and repeated. */
  readonly lockMs: number;
  /** The time between two attempts. */
  readonly pauseMs: number;
  /** How long to keep repeating a migration that gets no lock. */
  readonly locksMs: number;
}

export interface MigrateOptions {
  readonly times?: Partial<MigrationTimes>;
  readonly onApplied?: (name: string, ms: number) => void;
  /** Called when a migration is repeated, because others use its tables. */
  readonly onLocked?: (name: string) => void;
}

/** The schema of the first release. */
const FIRST = '0001_schema.sql';
/** The migrations of unreleased versions began with this one. */
const UNRELEASED_FIRST = '0001_foundation.sql';
/**
 * The last migrations of unreleased versions, each with the file that leads from it to the schema of the first release; null if
 * they are equal.
 */
const ADOPTED: Readonly<Record<string, string | null>> = {
  '0187_messages_composed_again.sql': 'unreleased/from_0187.sql',
  '0191_site_keys.sql': null,
};
/** Since the next migration, the database records the last migration that a process must know. */
const FIRST_REQUIRING = '0044_schema_requires.sql';

/** The migrations that the database has, and those it lacks for this version. */
interface SchemaState {
  readonly applied: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Applies all missing migrations in the order of their names: each in its own transaction, so that it locks its tables only
 * briefly, but for a new database all in one. A newer schema is left unchanged if it works with this version.
 * @returns the names of the migrations that were applied
 * @throws AppError `migration_failed`; `database_unavailable` if the server is too old
 */
export async function migrate(db: Database, { times = {}, ...on }: MigrateOptions = {}): Promise<string[]> {
  await requireVersion(db);
  // A read-only database rejects even `CREATE TABLE IF NOT EXISTS` for an existing table.
  if ((await missingMigrations(db)).length === 0) return [];
  const limits = { ...TIMES, ...times };
  const releases = await migrationReleases();
  return db.connection().execute(async (connection) => {
    await lock(connection, limits.othersMs);
    try {
      await sql.raw(CREATE_MIGRATIONS).execute(connection);
      await connection.transaction().execute((trx) => adoptUnreleased(trx));
      const { applied, missing } = await schemaState(connection);
      const batches = applied.length === 0 ? [missing] : missing.map((name) => [name]);
      for (const batch of batches) await applyRepeatedly(connection, batch, { limits, releases, on });
      return [...missing];
    } finally {
      await sql`SELECT pg_advisory_unlock(${ADVISORY_LOCKS.migration})`.execute(connection);
    }
  });
}

/** @throws AppError `database_unavailable` */
async function requireVersion(db: Database): Promise<void> {
  const { rows } = await sql<{ version: string }>`SELECT current_setting('server_version') AS version`.execute(db);
  const [{ version } = { version: '' }] = rows;
  if (Number.parseInt(version, 10) >= POSTGRES_MAJOR_MIN) return;
  throw new AppError(
    'database_unavailable',
    `The database runs PostgreSQL ${version}, but sitewarden requires PostgreSQL ${POSTGRES_MAJOR_MIN} or later. ` +
      'Upgrade it, or set DATABASE_URL to another server.',
  );
}

/**
 * Returns the migrations that `migrate` would apply, and changes nothing.
 * @throws AppError `migration_failed` as `migrate` does
 */
export async function missingMigrations(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ exists: boolean }>`SELECT to_regclass('migrations') IS NOT NULL AS exists`.execute(db);
  if (rows[0]?.exists !== true) return migrationNames();
  const applied = await appliedTo(db);
  if (applied.includes(UNRELEASED_FIRST)) return (await migrationNames()).slice(1);
  return (await schemaState(db)).missing;
}

/** @throws AppError `migration_failed` if the schema lacks migrations of this version */
export async function requireMigrated(db: Database): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing.length === 0) return;
  throw new AppError(
    'migration_failed',
    `The database is missing ${plural(missing.length, 'migration')} of this version, starting with ${missing[0]}. ` +
      'Run the command migrate of this version first: SITEWARDEN_MIGRATE is false, so other commands do not migrate.',
  );
}

/**
 * Applies migrations to the current schema of a connection, in its transaction, and records them. The first migration needs an
 * empty schema.
 * @throws AppError `migration_failed`; Error of the database if its disk is full
 */
export async function applyMigrations(client: ClientBase, names: readonly string[]): Promise<void> {
  const releases = await migrationReleases();
  await client.query(CREATE_MIGRATIONS);
  for (const name of names) {
    await client.query(inTransaction(await migrationText(name))).catch((cause: unknown) => {
      throw isDiskFull(cause) ? cause : failed(name, cause);
    });
    await client.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
    if (name > FIRST_REQUIRING) await client.query(SET_REQUIRES, [requiredBy(name, releases)]);
  }
}

const SET_REQUIRES = `INSERT INTO installation (schema_requires) VALUES ($1)
  ON CONFLICT (is_only) DO UPDATE SET schema_requires = excluded.schema_requires`;

/** Indexes cannot be built concurrently in a transaction. */
function inTransaction(text: string): string {
  return text.replaceAll(/\bINDEX CONCURRENTLY\b/gi, 'INDEX');
}

/** @throws AppError `migration_failed` if the database is from a newer version, with whose schema this version does not work */
async function schemaState(db: Kysely<Schema>): Promise<SchemaState> {
  const names = await migrationNames();
  const applied = await appliedTo(db);
  const unknown = applied.filter((name) => !names.includes(name));
  const missing = names.filter((name) => !applied.includes(name));
  if (unknown.length > 0 && !(missing.length === 0 && (await toleratesNewer(db, names)))) {
    throw new AppError(
      'migration_failed',
      `The database was created by a newer version (${unknown.join(', ')}). Run that version, or restore an older backup.`,
    );
  }
  return { applied, missing };
}

async function toleratesNewer(db: Kysely<Schema>, names: readonly string[]): Promise<boolean> {
  const row = await db.selectFrom('installation').select('schema_requires').executeTakeFirst();
  return names.includes(row?.schema_requires ?? '');
}

async function appliedTo(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Lets a database of an unreleased version continue as a database of the first release, if its schema is the same or can be
 * converted.
 * @throws AppError `migration_failed` if the database is older
 */
async function adoptUnreleased(trx: Kysely<Schema>): Promise<void> {
  const applied = await appliedTo(trx);
  if (!applied.includes(UNRELEASED_FIRST)) return;
  const last = applied.at(-1) ?? '';
  const file = ADOPTED[last];
  if (file === undefined) {
    throw new AppError(
      'migration_failed',
      `The database was created by an unreleased version before 0.1.0 (${last}), which cannot be upgraded. ` +
        'Use a new SITEWARDEN_DATA_DIR, or an empty DATABASE_URL.',
    );
  }
  if (file !== null) await run(trx, file, await migrationText(file));
  await sql`DELETE FROM migrations`.execute(trx);
  await sql`INSERT INTO migrations (name) VALUES (${FIRST})`.execute(trx);
}

interface Applying {
  readonly limits: MigrationTimes;
  readonly releases: Releases;
  readonly on: Pick<MigrateOptions, 'onApplied' | 'onLocked'>;
}

/** Applies migrations in one transaction, and repeats it while others keep it from locking a table. */
async function applyRepeatedly(
  connection: Kysely<Schema>,
  names: readonly string[],
  applying: Applying,
): Promise<void> {
  const { limits, on } = applying;
  const from = performance.now();
  for (;;) {
    try {
      return await applyBatch(connection, names, applying);
    } catch (error) {
      const name = names[0] ?? '';
      if (!isLocked(error instanceof AppError ? error.cause : error)) throw error;
      if (performance.now() - from > limits.locksMs) throw lockedFor(name, limits.locksMs, error);
      on.onLocked?.(name);
      await delay(limits.pauseMs);
    }
  }
}

async function applyBatch(
  connection: Kysely<Schema>,
  names: readonly string[],
  { limits, releases, on }: Applying,
): Promise<void> {
  const [name = ''] = names;
  const text = await migrationText(name);
  if (names.length === 1 && runsConcurrently(text)) {
    const from = performance.now();
    await sql`SELECT set_config('lock_timeout', '0', false)`.execute(connection);
    for (const statement of statementsIn(text)) await run(connection, name, statement, STATEMENT_BY_STATEMENT);
    await connection.transaction().execute((trx) => record(trx, name, releases));
    on.onApplied?.(name, performance.now() - from);
    return;
  }
  const took: [name: string, ms: number][] = [];
  await connection.transaction().execute(async (trx) => {
    await sql`SET LOCAL lock_timeout = ${sql.lit(limits.lockMs)}`.execute(trx);
    for (const one of names) {
      const from = performance.now();
      await run(trx, one, inTransaction(await migrationText(one)));
      await record(trx, one, releases);
      took.push([one, performance.now() - from]);
    }
  });
  for (const one of took) on.onApplied?.(...one);
}

async function record(trx: Kysely<Schema>, name: string, releases: Releases): Promise<void> {
  await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(trx);
  if (name <= FIRST_REQUIRING) return;
  const requires = requiredBy(name, releases);
  await sql`INSERT INTO installation (schema_requires) VALUES (${requires})
    ON CONFLICT (is_only) DO UPDATE SET schema_requires = excluded.schema_requires`.execute(trx);
}

async function run(db: Kysely<Schema>, name: string, text: string, outcome?: string): Promise<void> {
  try {
    await sql.raw(text).execute(db);
  } catch (cause) {
    throw failed(name, cause, outcome);
  }
}

const CHANGED_NOTHING = 'It changed nothing.';
/** Appended to the error of a failed migration that builds an index concurrently. */
const STATEMENT_BY_STATEMENT = 'The next attempt repeats all of its statements.';

function isLocked(cause: unknown): boolean {
  return cause instanceof DatabaseError && LOCK_FAULTS.includes(String(cause.code));
}

function lockedFor(name: string, ms: number, cause: unknown): AppError {
  const message =
    `Migration ${name} could not lock its tables for ${ms / 1_000} s, because others use them, such as a backup. ` +
    'It changed nothing. Run migrate again when the tables are no longer in use.';
  return new AppError('migration_failed', message, { cause });
}

/** @param cause the error, whose details name the conflicting rows */
function failed(name: string, cause: unknown, outcome = CHANGED_NOTHING): AppError {
  const detail = cause instanceof DatabaseError && cause.detail !== undefined ? ` ${cause.detail}` : '';
  const remedy = 'docs/upgrade.md says what to do.';
  const message = `Migration ${name} failed: ${messageOf(cause)}.${detail} ${outcome} ${remedy}`;
  return new AppError('migration_failed', message, { cause });
}

/**
 * Makes sure that only one process migrates at a time. Polls, because a statement that waits for the lock would keep the other
 * process from building an index concurrently.
 */
async function lock(connection: Kysely<Schema>, timeoutMs: number): Promise<void> {
  const from = performance.now();
  for (;;) {
    const { rows } = await sql<{ isMine: boolean }>`
      SELECT pg_try_advisory_lock(${ADVISORY_LOCKS.migration}) AS "isMine"`.execute(connection);
    if (rows[0]?.isMine === true) return;
    if (performance.now() - from > timeoutMs) {
      throw new AppError(
        'migration_failed',
        `Another process has been migrating the database for ${timeoutMs / 1_000} s. Try again when it has finished.`,
      );
    }
    await delay(ASK_MS);
  }
}
