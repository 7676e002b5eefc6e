import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { measureBackups } from '../../src/metrics/measure-backups.ts';
import { composeMessage } from '../../src/notifications/compose-message.ts';
import { messageText } from '../../src/notifications/digest-text.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { backUpIfDue, startScheduledBackups } from '../../src/schedules/scheduled-backups.ts';
import { describeBackups, readBackupState } from '../../src/store/backup/backup-state.ts';
import { verifyBackup } from '../../src/store/backup/verify-backup.ts';
import { writeBackup } from '../../src/store/backup/write-backup.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { claimDelivery } from '../../src/store/notifications/notification-deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { PATIENT_DATABASE } from '../helpers/patience.ts';
import { until } from '../helpers/until.ts';

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
  {
    into = directory,
    processes = 1,
    backupRecipient = null as string | null,
    signal = new AbortController().signal,
  } = {},
): Promise<void> {
  const { connectionString } = database;
  const settings = { backupDir: into, backupTimeMs: 2 * HOUR_MS, backupsKept: 2, backupRecipient };
  const parts = { ...settings, db: open.db, connectionString, clock: () => new Date(time), log, sendsEmail: true };
  await Promise.all(Array.from({ length: processes }, () => backUpIfDue(parts, into, signal)));
}

/** The channels that are due for a message, and what it says to people. */
async function takeMessages(): Promise<string[][]> {
  const delivery = await claimDelivery(open.db, {
    seconds: 120,
    busy: { channels: [], accounts: [] },
    takesEmails: true,
  });
  if (delivery === undefined) return [];
  const message = await composeMessage(open.db, delivery, 'https://checks.example.com');
  assert.ok(message);
  const { title, sentences } = messageText(message, 'https://checks.example.com');
  return [[`${delivery.channel.kind} ${delivery.channel.target}`, title, ...sentences], ...(await takeMessages())];
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
  measureBackups(registry, open.db, { backupDir: directory });
  assert.match(await registry.metrics(), /^sitewarden_backup_last_timestamp_seconds 1799917200$/m);
  const none = new Registry();
  measureBackups(none, open.db, { backupDir: null });
  assert.doesNotMatch(await none.metrics(), /^sitewarden/m);
});

test('a failed backup is logged as an error, shown, and tried again an hour later', async () => {
  const blocked = join(directory, 'file');
  writeFileSync(blocked, '');
  lines.length = 0;
  const { id } = await ensureFirstAccount(open.db);
  await sql`UPDATE accounts SET email = 'ops@example.com' WHERE id = ${id}`.execute(open.db);
  // Another operator has a channel, and so has an account that is no operator.
  await sql`WITH others AS (
      INSERT INTO accounts (email, operator) VALUES ('slack@example.com', true), ('user@example.com', false) RETURNING id, email)
    INSERT INTO notification_channels (account_id, kind, name, target, events, worse_when, schedule_ids, active, confirmed_at)
    SELECT id, 'slack', '', email, '{backup.failed,backup.recovered}', '{}', ARRAY[uuidv7()], true, now() FROM others`.execute(
    open.db,
  );
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
  await lookAt('2027-01-15T03:00:00Z', { into: blocked });
  await lookAt('2027-01-15T04:00:00Z');
  assert.ok(readdirSync(directory).includes('sitewarden-20270115T040000Z.zip'));
  assert.equal((await readBackupState(open.db)).backup_error, null);
  const failed = [
    'The scheduled backup of checks.example.com failed',
    `Reason: ${state.backup_error}`,
    'The last complete one is from 2027-01-14T09:00:00.000Z.',
    'sitewarden tries again every hour, and sends another message when backups work again.',
  ];
  const recovered = [
    'Scheduled backups of checks.example.com work again',
    'The scheduled backup was written and verified.',
  ];
  // Each message is kept until it is delivered, also when the next one is recorded before.
  assert.deepEqual((await takeMessages()).sort(), [
    ['email ops@example.com', ...recovered],
    ['email ops@example.com', ...failed],
    ['slack slack@example.com', ...recovered],
    ['slack slack@example.com', ...failed],
  ]);
  await lookAt('2027-01-16T02:00:00Z', {
    backupRecipient: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  });
  const encrypted = readFileSync(join(directory, 'sitewarden-20270116T020000Z.zip.age'), 'latin1');
  assert.match(encrypted, /^age-encryption\.org\/v1\n-> X25519 /);
});

const errors = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);

test('a folder that cannot be used is logged at the start', async () => {
  const file = join(directory, 'a-file');
  writeFileSync(file, '');
  const settings = {
    backupDir: join(file, 'backups'),
    backupTimeMs: 2 * HOUR_MS,
    backupsKept: 2,
    backupRecipient: null,
  };
  const clock = () => new Date(0);
  const { connectionString } = database;
  const backups = startScheduledBackups({ ...settings, db: open.db, connectionString, clock, log, sendsEmail: true });
  await until(() =>
    lines.some((line) => line.includes('Scheduled backups will fail, because their folder cannot be used')),
  );
  await backups.stop();
  rmSync(file);
});

test('a backup stops at once when it is broken off, leaves nothing, has not failed, and is made again', async () => {
  const into = join(directory, 'broken-off');
  const stopping = new AbortController();
  lines.length = 0;
  const holder = openDatabase(database.connectionString, () => undefined, PATIENT_DATABASE);
  await holder.db.transaction().execute(async (trx) => {
    // The backup waits for this table.
    await sql`LOCK TABLE reports`.execute(trx);
    const looking = lookAt('2027-01-17T02:00:00Z', { into, signal: stopping.signal });
    await until(async () => {
      const { rows } = await sql`SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE 'COPY "reports"%' AND wait_event_type = 'Lock'`.execute(open.db);
      return rows.length === 1;
    });
    stopping.abort();
    await looking;
  });
  await holder.close();
  assert.deepEqual([readdirSync(into), errors()], [[], []]);
  assert.equal((await readBackupState(open.db)).backup_failed_at, null);
  await lookAt('2027-01-17T02:01:00Z', { into });
  assert.deepEqual(readdirSync(into), ['sitewarden-20270117T020100Z.zip']);
});

test('an old backup that cannot be deleted does not make the new one fail', async () => {
  const into = join(directory, 'not-deleted');
  // Only files can be deleted.
  mkdirSync(join(into, 'sitewarden-20260101T000000Z.zip'), { recursive: true });
  lines.length = 0;
  for (const day of [18, 19, 20]) await lookAt(`2027-01-${day}T02:00:00Z`, { into });
  assert.deepEqual(readdirSync(into).sort(), [
    'sitewarden-20260101T000000Z.zip',
    'sitewarden-20270119T020000Z.zip',
    'sitewarden-20270120T020000Z.zip',
  ]);
  assert.deepEqual(errors(), []);
  assert.equal((await readBackupState(open.db)).backup_error, null);
  assert.ok(lines.some((line) => line.includes('Could not delete an old backup')));
});

test('the digest of a backup is the one of its file', async () => {
  const recipients = [null, 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'];
  for (const recipient of recipients) {
    const file = join(directory, 'digest.zip');
    const { digest } = await writeBackup(database.connectionString, createWriteStream(file), recipient);
    assert.deepEqual(digest, createHash('sha256').update(readFileSync(file)).digest());
  }
});
