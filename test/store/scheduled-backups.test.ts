import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Registry } from 'prom-client';
import { createLogger } from '../../src/platform/logger.ts';
import { backUpIfDue, measureBackups } from '../../src/schedules/scheduled-backups.ts';
import { describeBackups, readBackupState } from '../../src/store/backup/backup-state.ts';
import { verifyBackup } from '../../src/store/backup/verify-backup.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let open: OpenDatabase;
let directory: string;
before(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.connectionString, () => undefined);
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-scheduled-'));
});
after(async () => {
  await open?.close();
  await database?.drop();
  rmSync(directory, { recursive: true, force: true });
});

const lines: string[] = [];
const log = createLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });

/** Looks for a due backup at a time, as any number of processes. */
async function lookAt(
  time: string,
  { into = directory, processes = 1, backupRecipient = null as string | null } = {},
): Promise<void> {
  const { connectionString } = database;
  const settings = { backupDir: into, backupTimeMs: 2 * HOUR_MS, backupsKept: 2, backupRecipient };
  const parts = { ...settings, db: open.db, connectionString, clock: () => new Date(time), log };
  await Promise.all(Array.from({ length: processes }, () => backUpIfDue(parts, into)));
}

test('a backup is made at once, then daily at its time, by one of several processes, and the newest are kept', async () => {
  writeFileSync(join(directory, 'sitewarden-20260101T000000Z.zip.1.part'), 'of a killed process');
  writeFileSync(join(directory, 'other.zip'), 'not ours');
  await lookAt('2027-01-10T15:00:00Z', { processes: 3 });
  await lookAt('2027-01-11T01:59:00Z');
  assert.deepEqual(readdirSync(directory).sort(), ['other.zip', 'sitewarden-20270110T150000Z.zip']);
  await lookAt('2027-01-11T02:00:30Z');
  await lookAt('2027-01-14T09:00:00Z');
  assert.deepEqual(readdirSync(directory).sort(), [
    'other.zip',
    'sitewarden-20270111T020030Z.zip',
    'sitewarden-20270114T090000Z.zip',
  ]);
  await verifyBackup(join(directory, 'sitewarden-20270114T090000Z.zip'));

  const state = await readBackupState(open.db);
  assert.equal(describeBackups(state, new Date('2027-01-14T12:30:00Z')), 'the last one is 3 hours old');
  assert.throws(
    () => describeBackups(state, new Date('2027-01-17T00:00:00Z')),
    /^Error: the last one is 63 hours old: /,
  );
  const registry = new Registry();
  measureBackups(registry, open.db, { backupDir: directory, backupTimeMs: 0, backupsKept: 2, backupRecipient: null });
  assert.match(await registry.metrics(), /^sitewarden_backup_last_timestamp_seconds 1799917200$/m);
});

test('a failed backup is logged as an error, shown, and tried again an hour later', async () => {
  const blocked = join(directory, 'file');
  writeFileSync(blocked, '');
  lines.length = 0;
  await lookAt('2027-01-15T02:00:00Z', { into: blocked });
  await lookAt('2027-01-15T02:59:00Z', { into: blocked });
  const failures = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
  assert.deepEqual(
    failures.map(({ msg }) => msg),
    ['The scheduled backup failed; will retry in an hour'],
  );
  const state = await readBackupState(open.db);
  assert.throws(
    () => describeBackups(state, new Date('2027-01-15T03:00:00Z')),
    /18 hours old, and the next one failed: /,
  );
  await lookAt('2027-01-15T03:00:00Z');
  assert.ok(readdirSync(directory).includes('sitewarden-20270115T030000Z.zip'));
  assert.equal((await readBackupState(open.db)).backup_error, null);
  await lookAt('2027-01-16T02:00:00Z', {
    backupRecipient: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  });
  const encrypted = readFileSync(join(directory, 'sitewarden-20270116T020000Z.zip.age'), 'latin1');
  assert.match(encrypted, /^age-encryption\.org\/v1\n-> X25519 /);
});
