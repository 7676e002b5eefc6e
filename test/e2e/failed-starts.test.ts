import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createInstallation, type Ended, type Installation } from '../helpers/command-line.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';

// A failed start says why. It also exits below the wrapper, whose channel to the command used to keep both alive.

const COMMANDS: readonly (readonly string[])[] = [
  ['serve'],
  ['check', 'http://127.0.0.1:9/'],
  ['account', 'create', '--email', 'a@example.com'],
  ['account', 'list'],
  ['account', 'plan', '--account', 'a@example.com', '--set', 'pro'],
  ['account', 'credits', '--account', 'a@example.com', '--set', '1'],
  ['token', 'create', '--account', 'a@example.com'],
  ['token', 'list'],
  ['token', 'revoke', '1'],
  ['migrate'],
];

let installation: Installation;
let file: string;
/** Accepts connections and says nothing. */
let silent: Server;
const sockets = new Set<Socket>();

before(async () => {
  installation = createInstallation();
  file = join(installation.dataDir, 'file');
  writeFileSync(file, '');
  silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
after(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  installation.remove();
});

// On a busy machine the event loop stalls, which logs a warning.
const SETTINGS = { PORT: '0', SITEWARDEN_LOG_LEVEL: 'error', ...(await sharedValidator()) };

const start = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
  runHere(args, { SITEWARDEN_DATA_DIR: installation.dataDir, ...SETTINGS, ...env });

function assertFailed({ status, stdout, stderr }: Ended, reason: RegExp, what: string): void {
  // For check, 1 stands for issues.
  assert.deepEqual([status, stdout], [what.startsWith('check') ? 3 : 1, ''], `${what}: ${stderr}`);
  assert.match(stderr, reason, what);
  assert.equal(stderr.split('\n').length, 2, `one sentence and nothing else: ${stderr}`);
}

const databaseAt = (port: number): Readonly<Record<string, string>> => ({
  DATABASE_URL: `postgres://nobody:nothing@localhost:${port}/nowhere`,
});

test('every command fails if the data directory is a file', async () => {
  const ended = await Promise.all(COMMANDS.map((args) => start(args, { SITEWARDEN_DATA_DIR: file })));
  for (const [index, result] of ended.entries()) {
    assertFailed(
      result,
      /^The data directory .*file cannot be used: .* is not a directory\. Set /,
      `${COMMANDS[index]}`,
    );
  }
});

test('a command that fails ends its process and the wrapper', async () => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
    installation.run(args, { env: { ...SETTINGS, ...env } });
  const [directory, database] = await Promise.all([
    run(['migrate'], { SITEWARDEN_DATA_DIR: file }),
    run(['check', 'http://127.0.0.1:9/'], databaseAt(1)),
  ]);
  assertFailed(directory, /^The data directory .*file cannot be used: /, 'migrate');
  assertFailed(database, /^The database cannot be used: connect ECONNREFUSED .*:1\b/, 'check');
});

test('every command fails if the database refuses connections', async () => {
  const commands = [...COMMANDS, ['work']];
  const ended = await Promise.all(commands.map((args) => start(args, databaseAt(1))));
  for (const [index, result] of ended.entries()) {
    assertFailed(result, /^The database cannot be used: connect ECONNREFUSED .*:1\b.*\. Check /, `${commands[index]}`);
  }
});

test('a start fails if the database accepts connections and never responds', async () => {
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  for (const result of await Promise.all(
    [['serve'], ['migrate']].map((args) => start(args, databaseAt(address.port))),
  )) {
    assertFailed(result, /^The database cannot be used: .*timeout.*\. Check /, 'silent');
  }
});

test('doctor exits after a part fails', async () => {
  const database = await createTestDatabase();
  const [noDirectory, noDatabase, noBrowser] = await Promise.all([
    start(['doctor'], { SITEWARDEN_DATA_DIR: file }),
    start(['doctor'], databaseAt(1)),
    start(['doctor', '--deep'], {
      DATABASE_URL: database.connectionString,
      SITEWARDEN_CHROMIUM: '/nonexistent',
      SITEWARDEN_SMTP_URL: 'smtp://127.0.0.1:1',
      SITEWARDEN_MAIL_FROM: 'checks@example.com',
    }),
  ]);
  await database.drop();
  assert.deepEqual([noDirectory.status, noDatabase.status, noBrowser.status], [1, 1, 1], noBrowser.stdout);
  assert.match(noDirectory.stdout, /^FAIL {2}disk {6}The data directory .* is not a directory/m);
  assert.match(noDatabase.stdout, /^FAIL {2}database {2}The database cannot be used/m);
  assert.match(noBrowser.stdout, /^FAIL {2}browser {3}.*\/nonexistent/m);
  assert.match(
    noBrowser.stdout,
    /^FAIL {2}email {5}.*ECONNREFUSED.*: start the mail server, or fix SITEWARDEN_SMTP_URL$/m,
  );
  assert.match(noBrowser.stdout, /^ok {4}disk[\s\S]*^ok {4}sums {6}recounted 0 reports$[\s\S]*^ok {4}stuck/m);
});

test('an invalid setting fails the start with 2', async () => {
  const { status, stderr } = await start(['serve'], { SITEWARDEN_LOG_LEVEL: 'loud' });
  assert.equal(status, 2);
  assert.match(stderr, /^SITEWARDEN_LOG_LEVEL must be one of /);
});

test('an unwritable directory fails the start', async () => {
  const locked = join(installation.dataDir, 'locked');
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  // Root can write anywhere except here, where Node.js would try forever to create the directory.
  const path = process.getuid?.() === 0 ? '/proc/sitewarden/data' : locked;
  const [ended, checked] = await Promise.all([
    start(['migrate'], { SITEWARDEN_DATA_DIR: path }),
    start(['check', 'http://127.0.0.1:9/', '--format', 'json', '--output', path], {}),
  ]);
  assertFailed(ended, /^The data directory .* cannot be used: (ENOENT|EACCES)/, path);
  assert.equal(checked.status, 2);
  assert.match(checked.stderr, /^--output .* is not writable: (ENOENT|EACCES)/);
});
