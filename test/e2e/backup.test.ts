import assert from 'node:assert/strict';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zipSync } from 'fflate';
import { sql } from 'kysely';
import { openPromise } from 'yauzl';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { restoreBackup, verifyBackup, writeBackup } from '../../src/store/backup/backup.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { Ended } from '../helpers/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { randomFrom } from '../helpers/random.ts';
import { runHere } from '../helpers/run-here.ts';

/** `backup` and `restore`: a new database gets the content of another one. */

let directory: string;
let file: string;
let [from, to]: TestDatabase[] = [];

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-backups-'));
  file = join(directory, 'site.backup');
  [from, to] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await using(from, async (db) => {
    const { id: accountId } = await ensureFirstAccount(db);
    await seedOneOfEach(db, { accountId, isShared: true });
  });
});
after(async () => {
  rmSync(directory, { recursive: true });
  await from?.drop();
  await to?.drop();
});

async function using<Result>(
  database: TestDatabase | undefined,
  use: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db, close } = openDatabase(database?.connectionString ?? '', () => undefined);
  try {
    return await use(db);
  } finally {
    await close();
  }
}

const run = (database: TestDatabase | undefined, ...args: string[]): Promise<Ended> =>
  runHere(args, { SITEWARDEN_DATA_DIR: directory, DATABASE_URL: database?.connectionString ?? '' });

/** The rows of tables, the values of sequences, and the constraints. */
const contentsOf = (database: TestDatabase | undefined): Promise<Record<string, unknown>> =>
  using(database, async (db) => {
    const { rows } = await sql<{ name: string }>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`.execute(
      db,
    );
    const contents: Record<string, unknown> = {};
    for (const { name } of rows.filter((table) => table.name !== 'migrations')) {
      const found =
        await sql`SELECT count(*), md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${sql.table(name)} t`.execute(db);
      contents[name] = found.rows[0];
    }
    const sequences = await sql`SELECT sequencename, last_value FROM pg_sequences ORDER BY 1`.execute(db);
    const constraints = await sql`
      SELECT conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2`.execute(
      db,
    );
    const triggers = await sql`SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`.execute(db);
    return { ...contents, sequences: sequences.rows, constraints: constraints.rows, triggers: triggers.rows };
  });

test('backup writes a file that only its user can read, and restore fills a new database with the same', async () => {
  const written = await run(from, 'backup', file);
  assert.deepEqual([written.status, written.stderr], [0, '']);
  assert.match(written.stdout, /^Wrote .*\nAlso back up secret\.key /);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.endsWith('.part')),
    [],
  );

  const restored = await run(to, 'restore', file);
  assert.deepEqual([restored.status, restored.stdout, restored.stderr], [0, `Restored ${file}\n`, '']);
  assert.deepEqual(await contentsOf(to), await contentsOf(from));
});

test('restore refuses a database in use, and files that are not a whole backup of this schema', async () => {
  const inUse = await run(to, 'restore', file);
  assert.equal(inUse.status, 2);
  assert.match(
    inUse.stderr,
    /^The database is not empty: reports 1, .* Restore the backup into a new SITEWARDEN_DATA_DIR/,
  );
  const empty = await createTestDatabase();
  const cut = join(directory, 'cut.backup');
  writeFileSync(cut, readFileSync(file).subarray(0, -100));
  const ended = await run(empty, 'restore', cut);
  assert.deepEqual(
    [ended.status, ended.stderr],
    [2, 'The file is not a backup, or not a whole one. Nothing was restored.\n'],
  );
  await using(from, (db) => sql`INSERT INTO migrations (name) VALUES ('9999_later.sql')`.execute(db));
  const later = join(directory, 'later.backup');
  await writeBackup(from?.connectionString ?? '', createWriteStream(later));
  const newer = await run(empty, 'restore', later);
  assert.equal(newer.status, 2);
  assert.match(
    newer.stderr,
    /made by another version: the schemas differ by 9999_later\.sql\. Restore it with that version/,
  );
  const absent = await run(empty, 'restore', join(directory, 'absent'));
  assert.equal(absent.status, 2);
  assert.match(absent.stderr, /cannot be read: ENOENT/);
  await empty.drop();
});

/** The entries of a backup as they are read: names and contents. */
async function entriesOf(path: string): Promise<ReadonlyMap<string, string>> {
  const zip = await openPromise(path, { autoClose: false });
  const entries = new Map<string, string>();
  try {
    for await (const entry of zip.eachEntry()) {
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
      entries.set(entry.fileName, Buffer.concat(chunks).toString('base64'));
    }
  } finally {
    zip.close();
  }
  return entries;
}

test('restore refuses a file in which one byte was flipped, before it writes anything', async () => {
  const empty = await createTestDatabase();
  const before = await contentsOf(empty);
  const whole = readFileSync(file);
  const expected = await entriesOf(file);
  const { entries: names } = await verifyBackup(file);
  const damaged = join(directory, 'damaged.backup');
  const random = randomFrom();
  let refused = 0;
  for (let count = 0; count < 150; count += 1) {
    const bytes = Buffer.from(whole);
    // The central directory at the end has the names, the sizes and the checksums.
    const at = Math.floor(count % 2 === 0 ? random() * bytes.length : bytes.length * (1 - random() ** 4 / 4));
    const position = Math.min(at, bytes.length - 1);
    bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << Math.floor(random() * 8)), position);
    writeFileSync(damaged, bytes);
    const error = await verifyBackup(damaged).then(
      ({ entries }) => (entries.symmetricDifference(names).size === 0 ? null : 'another table'),
      (cause: unknown) => cause,
    );
    // Times, versions and headers that are not read do not matter.
    if (error === 'another table') refused += 1;
    else if (error === null) assert.deepEqual(await entriesOf(damaged), expected, `byte ${at}`);
    else {
      refused += 1;
      assert.match(String(error), /The file is (damaged at|not a backup).* Nothing was restored\.$/s);
    }
  }
  assert.ok(refused > 75, `${refused}`);

  const flipped = Buffer.from(whole);
  // The compressed content of an entry follows its name.
  const name = 'tables/accounts';
  const data = whole.indexOf(name) + name.length + 20;
  flipped.writeUInt8(flipped.readUInt8(data) ^ 1, data);
  writeFileSync(damaged, flipped);
  await assert.rejects(restoreBackup(empty.connectionString, damaged), /damaged at tables/);
  assert.deepEqual(await contentsOf(empty), before);
  const ended = await run(empty, 'restore', damaged);
  assert.equal(ended.status, 2);
  assert.match(ended.stderr, /^The file is damaged at tables\/\w+\. Nothing was restored\.\n$/);
  await empty.drop();
});

test('restore refuses archives that are not backups in one sentence', async () => {
  const empty = await createTestDatabase();
  const manifest = JSON.stringify({ sitewarden_backup: 1 });
  const archives: readonly (readonly [name: string, content: string][])[] = [
    [['manifest.json', '{ "sitewarden_backup": ']],
    [['manifest.json', 'null']],
    [['manifest.json', '{ "sitewarden_backup": 1, "migrations": 7 }']],
    [['manifest.json', '{ "sitewarden_backup": 1, "migrations": [], "sequences": [1] }']],
    [
      ['manifest.json', manifest],
      ['../outside', 'x'],
    ],
    [
      ['manifest.json', manifest],
      ['/absolute', 'x'],
    ],
    [['tables/reports', 'x']],
    [],
  ];
  for (const entries of archives) {
    const archive = join(directory, 'archive.backup');
    writeFileSync(archive, zipOf(entries));
    const ended = await run(empty, 'restore', archive);
    assert.equal(ended.status, 2, JSON.stringify(entries));
    assert.match(ended.stderr, /^The file .*Nothing was restored\.\n$/, JSON.stringify(entries));
  }
  await empty.drop();
});

/** Writes an archive with names that libraries refuse to write. */
function zipOf(entries: readonly (readonly [name: string, content: string])[]): Buffer {
  const archive = zipSync(
    Object.fromEntries(entries.map(([name, content]) => [name, new TextEncoder().encode(content)])),
    { level: 0 },
  );
  return Buffer.from(archive);
}
