import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Database } from './database.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/**
 * Brings the database to the newest schema: every file of `migrations/` that was not applied yet, in the order of their
 * names, all in one transaction.
 * @returns the names of the migrations applied now
 * @throws AppError `migration_failed`
 */
export async function migrate(db: Database): Promise<string[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`.execute(trx);
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
