import { readdir, readFile } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import { DatabaseError } from 'pg';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
/** How long another process may migrate before this one gives up waiting: less than a query may take. */
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the database to the newest schema: every file of `migrations/` that was not applied yet, in the order of their
 * names, all in one transaction.
 * @returns the names of the migrations applied now
 * @throws AppError `migration_failed`
 */
export async function migrate(db: Database, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return db.transaction().execute(async (trx) => {
    await lock(trx, lockTimeoutMs);
    await sql`CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`.execute(
      trx,
    );
    const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(trx);
    const applied = new Set(rows.map((row) => row.name));
    const unknown = [...applied].filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      throw new AppError(
        'migration_failed',
        `The database was made by a newer version (${unknown.join(', ')}). Run that version, or restore an older backup.`,
      );
    }
    const missing = names.filter((name) => !applied.has(name));
    for (const name of missing) {
      const text = await readFile(new URL(name, MIGRATIONS), 'utf8');
      try {
        await sql.raw(text).execute(trx);
      } catch (cause) {
        throw new AppError('migration_failed', `Migration ${name} failed: ${messageOf(cause)}`, { cause });
      }
      await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(trx);
    }
    return missing;
  });
}

/** One process migrates at a time. The statements of migrations wait for their own locks as long as they have to. */
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
