import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { createTestDatabase } from './database.ts';

/** A database as an earlier version left it. */
export interface EarlierDatabase extends OpenDatabase {
  /** Closes and removes it. */
  drop(): Promise<void>;
}

/** Creates a database with all migrations before another one. @param migration the name of its file */
export async function databaseBefore(migration: string): Promise<EarlierDatabase> {
  const database = await createTestDatabase();
  const open = openDatabase(database.connectionString, () => undefined);
  const folder = new URL('../../migrations/', import.meta.url);
  const earlier = (await readdir(folder)).filter((name) => name.endsWith('.sql') && name < migration).sort();
  await sql`DROP SCHEMA public CASCADE`.execute(open.db);
  await sql`CREATE SCHEMA public`.execute(open.db);
  await sql`CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`.execute(
    open.db,
  );
  for (const name of earlier) {
    await sql.raw(await readFile(new URL(name, folder), 'utf8')).execute(open.db);
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(open.db);
  }
  return {
    ...open,
    async drop() {
      await open.close();
      await database.drop();
    },
  };
}
