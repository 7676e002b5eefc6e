import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { type Entry, openPromise, type ZipFile as ZipReader } from 'yauzl';
import { ZipFile } from 'yazl';
import { AppError } from '../../platform/errors.ts';

/** Backups of the whole database: decision 0002. */

const FORMAT = 1;
const MANIFEST = 'manifest.json';
const TABLES = 'tables/';
const MANIFEST_MAX_BYTES = 1_048_576;

/** The first file of a backup, which describes the others. */
interface Manifest {
  readonly sitewarden_backup: number;
  readonly migrations: readonly string[];
  /** The last value of each sequence; null if it has none yet. */
  readonly sequences: Readonly<Record<string, string | null>>;
}

/** A table and its columns, without generated columns, as SQL. */
interface Table {
  readonly name: string;
  readonly columns: string;
}

/**
 * Writes a snapshot of all rows of the database. Other transactions may change them at the same time.
 * @throws Error of the database or the output
 */
export async function writeBackup(connectionString: string, output: Writable): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const zip = new ZipFile();
    const failed = new AbortController();
    zip.on('error', (error) => failed.abort(error));
    const migrations = await readMigrations(client);
    const sequences = await readSequences(client);
    const manifest: Manifest = { sitewarden_backup: FORMAT, migrations, sequences };
    zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST);
    for (const { name, columns } of await readTables(client)) {
      zip.addReadStreamLazy(entryOf(name), (use) =>
        use(null, client.query(copyTo(`COPY "${name}" (${columns}) TO STDOUT (FORMAT binary)`))),
      );
    }
    zip.end();
    await pipeline(zip.outputStream, output, { signal: failed.signal }).catch((error: unknown) => {
      throw failed.signal.aborted ? failed.signal.reason : error;
    });
  });
}

/**
 * Fills a new database from a backup, in one transaction. Nothing is written before the whole file is verified.
 * @throws AppError invalid_usage if the file is not a backup of this version, or damaged; conflict if the database is not empty
 */
export async function restoreBackup(connectionString: string, path: string): Promise<void> {
  const { manifest, entries } = await verifyBackup(path);
  const zip = await openBackup(path);
  try {
    await withClient(connectionString, async (client) => {
      await requireSameSchema(client, manifest);
      const tables = await readTables(client);
      const absent = tables.find(({ name }) => !entries.has(entryOf(name)));
      if (absent !== undefined) throw unusable(`is damaged: it has no ${entryOf(absent.name)}`);
      await client.query('BEGIN');
      await requireEmpty(client);
      await withoutConstraints(client, tables, () => copyAll(client, tables, zip));
      await setSequences(client, manifest);
      await client.query('COMMIT');
      await client.query('ANALYZE');
    });
  } finally {
    zip.close();
  }
}

/** What a verified backup contains. */
interface VerifiedBackup {
  readonly manifest: Manifest;
  /** The names of the tables' entries. */
  readonly entries: ReadonlySet<string>;
}

/**
 * Reads all entries of a backup, and verifies their sizes and checksums; yauzl verifies sizes only.
 * @throws AppError invalid_usage if the file is not a whole backup, or was changed since it was written
 */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const zip = await openBackup(path);
  let [name, manifest]: [string, Manifest | null] = [MANIFEST, null];
  const entries = new Set<string>();
  try {
    for await (const entry of zip.eachEntry()) {
      name = entry.fileName;
      const isManifest = entry.fileName === MANIFEST;
      if (isManifest !== (manifest === null) || (isManifest && entry.uncompressedSize > MANIFEST_MAX_BYTES)) {
        throw unusable('is not a backup');
      }
      const content = await verifiedContent(zip, entry, isManifest);
      if (isManifest) manifest = parseManifest(content);
      else entries.add(name);
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : unusable(`is damaged at ${name}`, cause);
  } finally {
    zip.close();
  }
  if (manifest === null) throw unusable('is not a backup');
  return { manifest, entries };
}

/** Reads an entry and verifies its checksum. @returns its text if it is kept, else nothing */
async function verifiedContent(zip: ZipReader, entry: Entry, isKept: boolean): Promise<string> {
  const kept: Uint8Array[] = [];
  let checksum = 0;
  for await (const bytes of await zip.openReadStreamPromise(entry)) {
    checksum = crc32(bytes, checksum);
    if (isKept) kept.push(bytes);
  }
  if (checksum !== entry.crc32) throw new Error('The checksum differs.');
  return Buffer.concat(kept).toString();
}

/** @throws AppError invalid_usage */
async function openBackup(path: string): Promise<ZipReader> {
  return await openPromise(path, { autoClose: false }).catch((cause: unknown) => {
    throw unusable('is not a backup, or not a whole one', cause);
  });
}

async function withClient(connectionString: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, keepAlive: true });
  // Queries report that the connection is lost.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

async function readSequences(client: pg.Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string; value: string | null }>(
    'SELECT sequencename AS name, last_value AS value FROM pg_sequences WHERE schemaname = current_schema()',
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
    GROUP BY c.relname ORDER BY c.relname`);
  return rows;
}

function entryOf(table: string): string {
  return `${TABLES}${table}`;
}

/** The first account is created when the database is opened. */
async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ reports: number; schedules: number; accounts: number }>(`
    SELECT (SELECT count(*)::integer FROM reports) AS reports, (SELECT count(*)::integer FROM schedules) AS schedules,
      (SELECT count(*)::integer FROM accounts) AS accounts`);
  const { reports = 0, schedules = 0, accounts = 0 } = rows[0] ?? {};
  if (reports === 0 && schedules === 0 && accounts <= 1) return;
  throw new AppError(
    'conflict',
    `The database is not empty: reports ${reports}, schedules ${schedules}, accounts ${accounts}. ` +
      'Restore the backup into a new SITEWARDEN_DATA_DIR, or an empty DATABASE_URL.',
  );
}

/**
 * Works on tables without foreign keys and triggers: rows come table by table, and the backup contains the counts that triggers
 * maintain.
 */
async function withoutConstraints(
  client: pg.Client,
  tables: readonly Table[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(`
    SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`);
  const names = tables.map(({ name }) => `"${name}"`);
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${names.join(', ')}`);
  await work();
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of keys) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}

async function copyAll(client: pg.Client, tables: readonly Table[], zip: ZipReader): Promise<void> {
  const missing = new Map(tables.map((table) => [entryOf(table.name), table]));
  for await (const entry of zip.eachEntry()) {
    const table = missing.get(entry.fileName);
    if (table === undefined) continue;
    missing.delete(entry.fileName);
    const rows = client.query(copyFrom(`COPY "${table.name}" (${table.columns}) FROM STDIN (FORMAT binary)`));
    await pipeline(await zip.openReadStreamPromise(entry), rows).catch((cause: unknown) => {
      throw unusable(`is damaged at ${entry.fileName}`, cause);
    });
  }
}

async function setSequences(client: pg.Client, { sequences }: Manifest): Promise<void> {
  for (const [name, value] of Object.entries(sequences)) {
    if (value !== null) await client.query('SELECT setval(quote_ident($1)::regclass, $2::bigint)', [name, value]);
  }
}

/** Refuses backups of another schema: a backup of an older version is upgraded after it is restored. */
async function requireSameSchema(client: pg.Client, { migrations }: Manifest): Promise<void> {
  const ours = new Set(await readMigrations(client));
  const different = [...new Set(migrations).symmetricDifference(ours)].sort();
  if (different.length > 0) {
    throw unusable(
      `was made by another version: the schemas differ by ${different.slice(0, 3).join(', ')}${different.length > 3 ? ' and others' : ''}. ` +
        'Restore it with that version, then upgrade',
    );
  }
}

const MANIFEST_SCHEMA = Type.Object({
  sitewarden_backup: Type.Integer(),
  migrations: Type.Array(Type.String()),
  sequences: Type.Record(Type.String(), Type.Union([Type.String({ pattern: '^\\d+$' }), Type.Null()])),
});

function parseManifest(json: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch (cause) {
    throw unusable('is not a backup', cause);
  }
  const { sitewarden_backup: format } = Object(manifest);
  if (format !== FORMAT) throw unusable(`has another format (${format}) than this version reads (${FORMAT})`);
  if (!Check(MANIFEST_SCHEMA, manifest)) throw unusable(`is damaged at ${MANIFEST}`);
  return manifest;
}

function unusable(problem: string, cause?: unknown): AppError {
  return new AppError('invalid_usage', `The file ${problem}. Nothing was restored.`, { cause });
}
