import { readdir, readFile } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import { type ClientBase, DatabaseError } from 'pg';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { isDiskFull } from '../platform/database-errors.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const CREATE_MIGRATIONS =
  'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())';
/** How long to wait for another process that migrates: less than the timeout of a query. */
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** The schema of the first release. */
const FIRST = '0001_schema.sql';
/** The migrations of unreleased versions began with this one. */
const UNRELEASED_FIRST = '0001_foundation.sql';
/** The last migrations of unreleased versions, with the file that leads from each to the schema of the first release. */
const ADOPTED: Readonly<Record<string, string | null>> = {
  '0187_messages_composed_again.sql': 'unreleased/from_0187.sql',
  '0191_site_keys.sql': null,
};

/**
 * Applies all missing migrations from `migrations/` in the order of their names, in one transaction.
 * @returns the names of the migrations that were applied
 * @throws AppError `migration_failed`
 */
export async function migrate(db: Database, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<string[]> {
  const names = await migrationNames();
  return db.transaction().execute(async (trx) => {
    await lock(trx, lockTimeoutMs);
    await sql.raw(CREATE_MIGRATIONS).execute(trx);
    const applied = await adoptUnreleased(trx, await appliedTo(trx));
    const unknown = applied.filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      throw new AppError(
        'migration_failed',
        `The database was created by a newer version (${unknown.join(', ')}). Run that version, or restore an older backup.`,
      );
    }
    const missing = names.filter((name) => !applied.includes(name));
    for (const name of missing) {
      await run(trx, name);
      await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(trx);
    }
    return missing;
  });
}

/** Returns the names of all migrations of this version, in their order. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
}

/**
 * Applies migrations to the current schema of a connection, in its transaction, and records them. The first ones need an empty
 * schema.
 * @throws AppError `migration_failed`; Error of the database if its disk is full
 */
export async function applyMigrations(client: ClientBase, names: readonly string[]): Promise<void> {
  await client.query(CREATE_MIGRATIONS);
  for (const name of names) {
    await client.query(await textOf(name)).catch((cause: unknown) => {
      throw isDiskFull(cause) ? cause : failed(name, cause);
    });
    await client.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
  }
}

async function appliedTo(trx: Transaction<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(trx);
  return rows.map(({ name }) => name);
}

/**
 * Lets a database of an unreleased version continue as one of the first release, if its schema is the same or leads to it.
 * @returns the migrations that have been applied, in the names of released versions
 * @throws AppError `migration_failed` if the database is older
 */
async function adoptUnreleased(trx: Transaction<Schema>, applied: readonly string[]): Promise<readonly string[]> {
  if (!applied.includes(UNRELEASED_FIRST)) return applied;
  const last = applied.at(-1) ?? '';
  const file = ADOPTED[last];
  if (file === undefined) {
    throw new AppError(
      'migration_failed',
      `The database is of an unreleased version before 0.1.0 (${last}), which cannot be upgraded. ` +
        'Use a new SITEWARDEN_DATA_DIR, or an empty DATABASE_URL.',
    );
  }
  if (file !== null) await run(trx, file);
  await sql`DELETE FROM migrations`.execute(trx);
  await sql`INSERT INTO migrations (name) VALUES (${FIRST})`.execute(trx);
  return [FIRST];
}

function textOf(name: string): Promise<string> {
  return readFile(new URL(name, MIGRATIONS), 'utf8');
}

async function run(trx: Transaction<Schema>, name: string): Promise<void> {
  const text = await textOf(name);
  try {
    await sql.raw(text).execute(trx);
  } catch (cause) {
    throw failed(name, cause);
  }
}

/** @param cause whose details name the conflicting rows */
function failed(name: string, cause: unknown): AppError {
  const detail = cause instanceof DatabaseError && cause.detail !== undefined ? ` ${cause.detail}` : '';
  const remedy = 'The database is unchanged. docs/upgrade.md says what to do.';
  const message = `Migration ${name} failed: ${messageOf(cause)}.${detail} ${remedy}`;
  return new AppError('migration_failed', message, { cause });
}

/** Makes sure that one process migrates at a time. The statements of migrations wait for locks without a limit. */
async function lock(trx: Transaction<Schema>, timeoutMs: number): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(timeoutMs)}`.execute(trx);
  try {
    await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`.execute(trx);
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code !== LOCK_NOT_AVAILABLE) throw cause;
    throw new AppError(
      'migration_failed',
      `Another process has been migrating the database for ${timeoutMs / 1_000} s. Try again when it has finished.`,
      { cause },
    );
  }
  await sql`SET LOCAL lock_timeout = 0`.execute(trx);
}
