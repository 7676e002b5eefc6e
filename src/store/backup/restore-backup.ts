import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ZipFile as ZipReader } from 'yauzl';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import { isMisfit } from '../../platform/database-errors.ts';
import { AppError, messageOf } from '../../platform/errors.ts';
import { applyMigrations } from '../migrate.ts';
import { migrationNames } from '../migration-files.ts';
import { type BackupContents, entryOf, type Manifest, unusable } from './backup-format.ts';
import { copied, countContents, readTables, withClient } from './backup-tables.ts';
import { inOwnSchema } from './own-schema.ts';
import { openBackup } from './verify-backup.ts';

/**
 * Fills a new database from a backup of this version or of an earlier one, in one transaction: that version's schema is created,
 * filled and migrated.
 * @param restored.manifest from `verifyBackup`
 * @param restored.paused whether the new installation starts paused
 * @returns how much the database contains now
 * @throws AppError invalid_usage if the backup is from a newer version, or does not fit its schema; conflict if the database is
 *   not empty; migration_failed
 */
export async function restoreBackup(
  connectionString: string,
  { path, manifest, paused }: { readonly path: string; readonly manifest: Manifest; readonly paused: boolean },
): Promise<BackupContents> {
  let contents: BackupContents = { reports: 0, pages: 0 };
  const missing = await missingMigrations(manifest);
  const zip = await openBackup(path);
  try {
    await withClient(connectionString, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration]);
      await requireEmpty(client);
      await inOwnSchema(client, async () => {
        await applyMigrations(client, manifest.migrations);
        await fill(client, manifest, zip).catch((cause: unknown) => {
          throw isMisfit(cause)
            ? unusable(`does not fit the schema of its version: ${messageOf(cause)}`, cause)
            : cause;
        });
        await applyMigrations(client, missing);
        if (paused) await client.query(PAUSE);
      });
      contents = await countContents(client);
      await client.query('COMMIT');
      await client.query('ANALYZE');
    });
    return contents;
  } finally {
    zip.close();
  }
}

const PAUSE = `INSERT INTO installation (paused_at) VALUES (now())
  ON CONFLICT (is_only) DO UPDATE SET paused_at = coalesce(installation.paused_at, excluded.paused_at)`;

/** Returns the migrations of this version that a backup does not have. @throws AppError invalid_usage if it has others */
async function missingMigrations({ migrations, version }: Manifest): Promise<string[]> {
  const names = await migrationNames();
  const unknown = migrations.filter((name) => !names.includes(name));
  if (migrations.length > 0 && unknown.length === 0) return names.filter((name) => !migrations.includes(name));
  throw new AppError(
    'invalid_usage',
    `The file was made by another version (${version}), whose schema this version does not know: ${unknown.slice(0, 3).join(', ')}. ` +
      'Restore it with that version.',
  );
}

/** Fills the tables of the current schema. */
async function fill(client: Client, manifest: Manifest, zip: ZipReader): Promise<void> {
  const tables = Object.keys(await readTables(client));
  await withoutConstraints(client, tables, () => copyAll(client, manifest, zip));
  await setSequences(client, manifest);
}

/** The most that a new installation has of each: none, except for a token and the account that is created with the database. */
const ENTERED = {
  reports: 0,
  sites: 0,
  schedules: 0,
  mutings: 0,
  notification_channels: 0,
  api_tokens: 1,
  accounts: 1,
};

async function requireEmpty(client: Client): Promise<void> {
  const counts = Object.keys(ENTERED).map((table) => `(SELECT count(*)::integer FROM ${table}) AS ${table}`);
  const { rows } = await client.query<Partial<typeof ENTERED>>(`SELECT ${counts.join(', ')}`);
  const found = Object.entries({ ...rows[0] });
  if (Object.entries(ENTERED).every(([table, max]) => found.some(([name, count]) => name === table && count <= max)))
    return;
  const shown = found.map(([table, count]) => `${table.replace('_', ' ')} ${count}`).join(', ');
  throw new AppError(
    'conflict',
    `The database is not empty: ${shown}. ` +
      'Restore the backup into a new SITEWARDEN_DATA_DIR, or an empty DATABASE_URL.',
  );
}

/**
 * Calls `work` while the tables have no foreign keys and triggers: rows come table by table, and the backup contains the counts
 * that triggers maintain.
 */
async function withoutConstraints(client: Client, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(`
    SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`);
  const names = tables.map((name) => `"${name}"`);
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  // Migrations insert rows, too.
  await client.query(`TRUNCATE ${names.join(', ')}`);
  await work();
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of keys) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}

async function copyAll(client: Client, { tables }: Manifest, zip: ZipReader): Promise<void> {
  const missing = new Map(Object.entries(tables).map(([name, columns]) => [entryOf(name), copied(name, columns)]));
  for await (const entry of zip.eachEntry()) {
    const target = missing.get(entry.fileName);
    if (target === undefined) continue;
    missing.delete(entry.fileName);
    const rows = await zip.openReadStreamPromise(entry);
    await pipeline(rows, client.query(copyFrom(`COPY ${target} FROM STDIN (FORMAT binary)`)));
  }
}

async function setSequences(client: Client, { sequences }: Manifest): Promise<void> {
  for (const [name, value] of Object.entries(sequences)) {
    if (value !== null) await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value]);
  }
}
