import assert from 'node:assert/strict';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { zipSync } from 'fflate';
import { sql } from 'kysely';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { replaceDatabaseKey } from '../../src/store/backup/stored-secrets.ts';
import { verifyBackup } from '../../src/store/backup/verify-backup.ts';
import { writeBackup } from '../../src/store/backup/write-backup.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { pausedSince } from '../../src/store/pause.ts';
import { catalogOf } from '../helpers/catalog.ts';
import type { Ended } from '../helpers/command-line.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../helpers/database.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { randomFrom } from '../helpers/random.ts';
import { runHere } from '../helpers/run-here.ts';

/** `backup` and `restore`: a new database gets the content of another one. */

const EARLIER = join(import.meta.dirname, '../fixtures/backups');

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

/** The rows of tables without what commands record in the audit log, the values of sequences, and the constraints. */
const contentsOf = (database: TestDatabase | undefined): Promise<Record<string, unknown>> =>
  using(database, async (db) => {
    const { rows } = await sql<{ name: string }>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`.execute(
      db,
    );
    const tables = rows.filter(({ name }) => name !== 'migrations');
    const contents = await sql`${sql.join(
      tables.map(
        ({ name }) => sql`
          SELECT ${name}::text AS name, count(*) AS rows, md5(string_agg(t::text, '' ORDER BY t::text)) AS content
          FROM ${sql.table(name)} t WHERE to_jsonb(t) ->> 'actor' IS DISTINCT FROM 'command'`,
      ),
      sql` UNION ALL `,
    )}`.execute(db);
    const sequences = await sql`SELECT sequencename, last_value FROM pg_sequences
      WHERE sequencename <> 'audit_log_id_seq' ORDER BY 1`.execute(db);
    const constraints = await sql`
      SELECT conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2`.execute(
      db,
    );
    const triggers = await sql`SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`.execute(db);
    return {
      contents: contents.rows,
      sequences: sequences.rows,
      constraints: constraints.rows,
      triggers: triggers.rows,
    };
  });

test('backup writes a file that only its user can read, and restore fills a new database with the same', async () => {
  const written = await run(from, 'backup', file);
  assert.deepEqual([written.status, written.stderr], [0, '']);
  assert.match(written.stdout, /^Wrote \S+: \d+ reports? with \d+ pages?\nAlso back up secret\.key /);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.endsWith('.part')),
    [],
  );

  const restored = await run(to, 'restore', file);
  assert.deepEqual(
    [restored.status, restored.stdout, restored.stderr],
    [0, written.stdout.replace(/^Wrote (.*\n)[\s\S]*/, 'Restored $1'), ''],
  );
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
  const imported = await createTestDatabase();
  await using(imported, async (db) => {
    await seedOneOfEach(db, { accountId: (await ensureFirstAccount(db)).id });
    for (const table of ['reports', 'schedules']) await sql`DELETE FROM ${sql.table(table)}`.execute(db);
  });
  const onlySites = await run(imported, 'restore', file);
  assert.equal(onlySites.status, 2);
  assert.match(
    onlySites.stderr,
    /^The database is not empty: reports 0, sites \d, schedules 0, .* Restore the backup into/,
  );
  await imported.drop();
  const cut = join(directory, 'cut.backup');
  writeFileSync(cut, readFileSync(file).subarray(0, -100));
  const ended = await run(empty, 'restore', cut);
  assert.deepEqual(
    [ended.status, ended.stderr],
    [2, 'The file is not a backup, or is incomplete. Use another backup.\n'],
  );
  await using(from, (db) => sql`INSERT INTO migrations (name) VALUES ('9999_later.sql')`.execute(db));
  const later = join(directory, 'later.backup');
  await writeBackup(from?.connectionString ?? '', createWriteStream(later));
  await using(from, (db) => sql`DELETE FROM migrations WHERE name = '9999_later.sql'`.execute(db));
  const newer = await run(empty, 'restore', later);
  assert.equal(newer.status, 2);
  assert.match(
    newer.stderr,
    /another version \(0\.1\.0\), whose schema .* know: 9999_later\.sql\. Restore it with that/,
  );
  const absent = await run(empty, 'restore', join(directory, 'absent'));
  assert.equal(absent.status, 2);
  assert.match(absent.stderr, /cannot be read: ENOENT/);
  await empty.drop();
});

test('a full disk of the database ends restore with its reason, and changes nothing', async () => {
  const full = await createTestDatabase();
  await using(full, ensureFirstAccount);
  const before = await contentsOf(full);
  await runSql(
    full.connectionString,
    `CREATE FUNCTION run_out() RETURNS event_trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
     CREATE EVENT TRIGGER run_out ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION run_out()`,
  );
  const ended = await run(full, 'restore', file);
  await runSql(full.connectionString, 'DROP EVENT TRIGGER run_out; DROP FUNCTION run_out');
  const reason = 'The disk is full: could not extend file. Free up space, then run the command again.\n';
  assert.deepEqual([ended.status, ended.stderr], [1, reason]);
  assert.deepEqual(await contentsOf(full), before);
  await full.drop();
});

test('restore names the permission that the user of the database lacks', async () => {
  const other = await createTestDatabase();
  const role = `limited_${process.pid}`;
  await runSql(
    other.connectionString,
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT ALL ON SCHEMA public TO ${role};
     GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
  );
  const limited = new URL(other.connectionString);
  Object.assign(limited, { username: role, password: 'secret' });
  const ended = await run({ ...other, connectionString: limited.href }, 'restore', file);
  assert.deepEqual(
    [ended.status, ended.stderr.split('.')[0]],
    [1, 'The user of DATABASE_URL may not create schemas in this database, which restore requires'],
  );
  await runSql(other.connectionString, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await other.drop();
});

test('restore refuses a backup whose rows do not fit its schema', async () => {
  const other = await createTestDatabase();
  const misfit = join(directory, 'misfit.backup');
  await runSql(other.connectionString, 'ALTER TABLE schedules ADD COLUMN unknown integer');
  await writeBackup(other.connectionString, createWriteStream(misfit));
  await runSql(other.connectionString, 'ALTER TABLE schedules DROP COLUMN unknown');
  const ended = await run(other, 'restore', misfit);
  const problem = 'does not fit the schema of its version: column "unknown" of relation "schedules" does not exist';
  assert.deepEqual([ended.status, ended.stderr], [2, `The file ${problem}. Use another backup.\n`]);
  await other.drop();
});

test('backup of a folder without a database is refused, and creates none', async () => {
  const nowhere = join(directory, 'nowhere');
  const kept = readFileSync(file);
  const ended = await runHere(['backup', file], { SITEWARDEN_DATA_DIR: nowhere });
  assert.deepEqual(
    [ended.status, ended.stderr],
    [
      2,
      `There is no database in ${nowhere}. Set SITEWARDEN_DATA_DIR or DATABASE_URL to the same value as for serve.\n`,
    ],
  );
  assert.ok(!existsSync(nowhere));
  assert.deepEqual(readFileSync(file), kept);
});

test('restore says that the key of the backup is missing, and creates no other one', async () => {
  const [target, source] = [await createTestDatabase(), await createTestDatabase()];
  const sealed = join(directory, 'sealed.backup');
  const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-copy-'));
  const { keyId } = createSecretBox(newSecretKey());
  await using(source, (db) => replaceDatabaseKey(db, { keyId }));
  await writeBackup(source.connectionString, createWriteStream(sealed));
  const ended = await runHere(['restore', sealed], {
    SITEWARDEN_DATA_DIR: dataDir,
    DATABASE_URL: target.connectionString,
  });
  assert.equal(ended.status, 0);
  assert.match(
    ended.stdout,
    /^Restored \S+: .*\nThis installation does not have the key of the backup\. Before you start serve, copy/,
  );
  assert.ok(!existsSync(join(dataDir, 'secret.key')));
  rmSync(dataDir, { recursive: true });
  await Promise.all([target.drop(), source.drop()]);
});

/** Made with the first schema of 0.1.0. Each release adds the backup that it makes, so that later versions restore it. */
const EARLIER_BACKUPS = readdirSync(EARLIER).sort();

for (const name of EARLIER_BACKUPS) {
  test(`restore migrates ${name}, a backup of an earlier schema, and leaves other tables of the database`, async () => {
    const target = await createTestDatabase();
    const expected = await using(target, catalogOf);
    await runSql(target.connectionString, 'CREATE TABLE unrelated (value integer); INSERT INTO unrelated VALUES (7)');
    const restored = await run(target, 'restore', join(EARLIER, name));
    assert.deepEqual([restored.status, restored.stderr], [0, '']);
    assert.deepEqual(await runSql(target.connectionString, 'SELECT value FROM unrelated'), [{ value: 7 }]);
    await runSql(target.connectionString, 'DROP TABLE unrelated');
    assert.deepEqual(await using(target, catalogOf), expected);
    const [counts] = await runSql(
      target.connectionString,
      `SELECT (SELECT count(*)::integer FROM reports) AS reports, (SELECT count(*)::integer FROM sites) AS sites,
         (SELECT count(*)::integer FROM issues) AS issues, (SELECT count(*)::integer FROM schedules) AS schedules`,
    );
    assert.deepEqual(counts, { reports: 1, sites: 1, issues: 8, schedules: 1 });
    // The new installation continues: ids are not given twice.
    await using(target, async (db) => {
      const { id: accountId } = await ensureFirstAccount(db);
      await seedOneOfEach(db, { accountId });
    });
    await target.drop();
  });
}

test('backup - writes to standard output, and restore - reads from standard input', async () => {
  const streamed = join(directory, 'streamed.backup');
  const settings = { SITEWARDEN_DATA_DIR: directory, DATABASE_URL: from?.connectionString ?? '' };
  const written = await runHere(['backup', '-'], settings, { stdout: createWriteStream(streamed) });
  assert.equal(written.status, 0, written.stderr);
  assert.match(written.stderr, /^Wrote \d+ reports? with \d+ pages?\nAlso back up secret\.key /);
  const empty = await createTestDatabase();
  await runSql(empty.connectionString, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const refused = await run(empty, 'backup', streamed);
  assert.deepEqual([refused.status, refused.stdout], [2, '']);
  assert.match(refused.stderr, /^The database that DATABASE_URL names is empty: .* as for serve\.$/m);
  await empty.drop();
  const target = await createTestDatabase();
  const restoring = { ...settings, DATABASE_URL: target.connectionString };
  const restored = await runHere(['restore', '-', '--paused'], restoring, { stdin: createReadStream(streamed) });
  assert.deepEqual([restored.status, restored.stderr], [0, '']);
  assert.match(restored.stdout, /^Restored -: .*\nIt is paused\. To end the pause, run {2}\S.* resume\n$/);
  assert.notEqual(await using(target, pausedSince), null);
  // A backup that is made during a pause restores a paused installation.
  const again = await createTestDatabase();
  const duringPause = join(directory, 'paused.backup');
  assert.equal((await run(target, 'backup', duringPause)).status, 0);
  assert.match(
    (await run(again, 'restore', duringPause)).stdout,
    /^Restored \S+: .*\nIt is paused\. To end the pause, run /,
  );
  await again.drop();
  await runHere(['resume'], restoring);
  assert.deepEqual(await contentsOf(target), await contentsOf(from));
  await target.drop();
});

test('backup ends with the reason if its output takes no more', async () => {
  const settings = { SITEWARDEN_DATA_DIR: directory, DATABASE_URL: from?.connectionString ?? '' };
  const failing = (code: string): Writable => {
    let room = 3;
    const write = (_chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void => {
      room -= 1;
      done(room > 0 ? undefined : Object.assign(new Error(`${code}: write`), { code }));
    };
    return new Writable({ write });
  };
  const full = await runHere(['backup', '-'], settings, { stdout: failing('ENOSPC') });
  const problem = 'The backup cannot be written to standard output';
  assert.deepEqual(
    [full.status, full.stderr],
    [1, `${problem}: the disk is full. Free up space, then run the command again.\n`],
  );
  const closed = await runHere(['backup', '-'], settings, { stdout: failing('EPIPE') });
  assert.deepEqual([closed.status, closed.stderr], [1, `${problem}: EPIPE: write.\n`]);
  const screen = await runHere(['backup', '-'], settings, { stdout: Object.assign(failing('none'), { isTTY: true }) });
  assert.deepEqual([screen.status, screen.stderr.slice(0, 24)], [2, 'A backup is not text. Re']);
});

test('an encrypted backup can be restored with the identity of its recipient, and not without', async () => {
  const [identity, other] = await Promise.all([generateIdentity(), generateIdentity()]);
  const [right, wrong] = [join(directory, 'right.txt'), join(directory, 'wrong.txt')];
  writeFileSync(right, `# created by age-keygen\n${identity}\n`);
  writeFileSync(wrong, `${other}\n`);
  const encrypted = join(directory, 'encrypted.age');
  const written = await run(from, 'backup', '--recipient', await identityToRecipient(identity), encrypted);
  assert.equal(written.status, 0, written.stderr);
  const target = await createTestDatabase();
  const refusals = [
    await run(target, 'restore', encrypted),
    await run(target, 'restore', '--identity', wrong, encrypted),
    await run(target, 'restore', '--identity', encrypted, encrypted),
  ];
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [2, 2, 2],
  );
  assert.match(refusals[0]?.stderr ?? '', /^The backup is encrypted\. Pass the file .* --identity\.\n$/);
  assert.match(
    refusals[1]?.stderr ?? '',
    /^The file cannot be decrypted with the identity in \S+wrong\.txt: no identity/,
  );
  assert.match(refusals[2]?.stderr ?? '', /^The identity in \S+encrypted\.age cannot be used: /);
  const flipped = join(directory, 'flipped.age');
  const bytes = readFileSync(encrypted);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 500) ^ 1, bytes.length - 500);
  writeFileSync(flipped, bytes);
  const damaged = await run(target, 'backup', '--verify', '--identity', right, flipped);
  assert.deepEqual([damaged.status, damaged.stderr], [2, 'The file is damaged: invalid tag. Use another backup.\n']);
  const restored = await run(target, 'restore', '--identity', right, encrypted);
  assert.deepEqual([restored.status, restored.stderr], [0, '']);
  assert.deepEqual(await contentsOf(target), await contentsOf(from));
  const unknown = await run(from, 'backup', '--recipient', identity, encrypted);
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /must be the public key of an age identity/);
  await target.drop();
});

/** What a command says about a file that is not whole. */
const REFUSAL =
  /^The file (is damaged|is not a backup|has format .*, but this version reads format).* Use another backup\.$/s;

test('a backup of which any byte was changed, or of which any part is missing, is refused', async () => {
  const whole = readFileSync(file);
  const damaged = join(directory, 'damaged.backup');
  const random = randomFrom();
  const refuses = async (bytes: Buffer, where: string): Promise<void> => {
    writeFileSync(damaged, bytes);
    const refused = await verifyBackup(damaged).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
    assert.match(refused, REFUSAL, where);
  };
  for (let count = 0; count < 60; count += 1) {
    const bytes = Buffer.from(whole);
    // Half of them in the directory of the archive, at its end.
    const share = count % 2 === 0 ? random() : 1 - random() ** 4 / 4;
    const position = Math.min(Math.floor(share * bytes.length), bytes.length - 1);
    bytes.writeUInt8(bytes.readUInt8(position) ^ (1 << Math.floor(random() * 8)), position);
    await refuses(bytes, `byte ${position} of ${bytes.length}`);
  }
  for (let count = 0; count < 16; count += 1) {
    const length = count < 8 ? whole.length - 1 - count * 5 : Math.floor(random() * whole.length);
    await refuses(whole.subarray(0, length), `the first ${length} bytes`);
  }
  await refuses(Buffer.concat([whole, Buffer.of(0)]), 'one byte more');
});

test('decrypted backups that a killed process has left are deleted, folders of a living process are not', async () => {
  // No process has this number.
  const names = [`sitewarden-restore-${2 ** 30}-killed`, `sitewarden-restore-${process.ppid}-living`];
  const folders = names.map((name) => join(tmpdir(), name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  assert.equal((await run(from, 'backup', '--verify', file)).status, 0);
  assert.deepEqual(
    folders.map((folder) => existsSync(folder)),
    [false, true],
  );
  rmSync(folders[1] ?? '', { recursive: true });
});

test('restore changes nothing if the backup is damaged, and backup --verify finds the damage without a database', async () => {
  const empty = await createTestDatabase();
  const before = await contentsOf(empty);
  const damaged = join(directory, 'flipped.backup');
  const flipped = readFileSync(file);
  // The compressed content of an entry follows its name.
  const name = 'tables/accounts';
  const data = flipped.indexOf(name) + name.length + 20;
  flipped.writeUInt8(flipped.readUInt8(data) ^ 1, data);
  writeFileSync(damaged, flipped);
  const restored = await run(empty, 'restore', damaged);
  assert.equal(restored.status, 2);
  assert.match(restored.stderr, /^The file is damaged at tables\/\w+\. Use another backup\.\n$/);
  assert.deepEqual(await contentsOf(empty), before);
  await empty.drop();

  const nowhere = { SITEWARDEN_DATA_DIR: join(directory, 'nowhere') };
  const found = await runHere(['backup', '--verify', damaged], nowhere);
  assert.deepEqual([found.status, found.stdout, found.stderr], [2, '', restored.stderr]);
  const whole = await runHere(['backup', '--verify', file], nowhere);
  assert.equal(whole.status, 0, whole.stderr);
  assert.match(
    whole.stdout,
    /^\S+ is complete and unchanged: \d+ reports? with \d+ pages? in \d+ tables, made by version \d+\.\d+\.\d+ at 20\S+Z\n$/,
  );
  assert.equal(existsSync(nowhere.SITEWARDEN_DATA_DIR), false);
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
    assert.match(ended.stderr.trimEnd(), REFUSAL, JSON.stringify(entries));
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
