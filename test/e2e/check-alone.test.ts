import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { openDatabase } from '../../src/store/database.ts';
import { livingWorkers } from '../../src/store/living-workers.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { createInstallation, type Installation } from '../helpers/command-line.ts';
import { page, withoutDuration } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { dripUntil, startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** `check` without a running service: it does the work itself, until Ctrl-C. */

const log = pino({ level: 'silent' });
/** For what is not about the validator's process: Java takes seconds to start. */
const shared = await sharedValidator();
let installation: Installation;
let site: TestSite;
const gate = Promise.withResolvers<void>();

before(async () => {
  installation = createInstallation();
  site = await startTestSite({
    '/good': page('Good', '<p>Nothing is wrong here.</p>'),
    '/slow': page('Slow', '<p><a href="/gated">Gated</a>'),
    '/gated': (_request, response) => dripUntil(gate.promise, response, page('Gated', '')),
  });
});
after(async () => {
  gate.resolve();
  installation.remove();
  await site.stop();
});

const gatedRequests = () => site.requests.filter(({ url }) => url === '/gated').length;

test('without another process, check does the work itself and leaves nothing', async () => {
  const args = ['check', `${site.origin}/good`, '--no-a11y', '--max-pages', '1'];
  const { status, stderr } = await installation.run(args, { env: shared });
  assert.equal(status, 0, stderr);
  assert.deepEqual([installation.processes(), installation.recordedChildren()], [[], []]);
});

test('an engine that does not start exits with 3', async () => {
  const { status, stderr } = await runHere(['check', `${site.origin}/good`, '--a11y', '--no-html'], {
    SITEWARDEN_DATA_DIR: installation.dataDir,
    SITEWARDEN_CHROMIUM: '/nonexistent',
  });
  assert.equal(status, 3, stderr);
  assert.match(stderr, /\n[^{\n]*\/nonexistent[^\n]*\n$/);
});

test('Ctrl-C exits with 130 and keeps the results so far', async () => {
  const present = join(installation.dataDir, 'present');
  mkdirSync(present);
  const output = ['--format', 'csv', '--output', join(present, 'new/reports')];
  const options = ['--max-pages', '2', '--rate-limit', '100', ...output];
  const running = installation.start(['check', `${site.origin}/slow`, '--no-html', ...options]);
  await until(() => running.stderr().includes('1 page found (maximum 2), 1 done') || running.child.exitCode !== null);
  assert.equal(installation.recordedChildren().length, 1, running.stderr());
  await until(() => site.requests.some(({ url }) => url === '/gated'));
  running.child.kill('SIGINT');
  const { status, stdout, stderr } = await running.ended;
  assert.equal(status, 130, stderr);
  assert.match(stderr, /\nStopping … Press Ctrl-C again to quit immediately\.\n/);
  const [, id] = /^Report (\S+) was saved in .* is running, read it at http:\/\/\S+\/reports\/\1$/m.exec(stdout) ?? [];
  assert.ok(id, stdout);
  assert.match(
    withoutDuration(stdout),
    /^\n\S+\/slow\n1 page found, stopped early after SECONDS\nThe report was stopped before it was complete\.\n(.*\n)*Accessibility {2}0 errors/,
  );
  assert.deepEqual(installation.recordedChildren(), []);
  // Processes of the browser end a moment after it was killed.
  await until(() => installation.processes().length === 0);
  // The folders for the files are removed again, since there are none.
  assert.deepEqual(readdirSync(present), []);
});

test('Ctrl-C keeps the report even if it cannot be stopped', async () => {
  const seen = gatedRequests();
  const running = installation.start(
    ['check', `${site.origin}/slow`, '--no-a11y', '--max-pages', '2', '--rate-limit', '100'],
    { env: shared },
  );
  await until(() => gatedRequests() > seen || running.child.exitCode !== null);
  const { db, close } = installation.open();
  await sql
    .raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Not now'; END $$;
      CREATE TRIGGER fail BEFORE UPDATE OF crawl_error ON reports FOR EACH ROW EXECUTE FUNCTION fail()`)
    .execute(db);
  running.child.kill('SIGINT');
  await close();
  const { stdout, stderr } = await running.ended;
  assert.match(stderr, /Not now/);
  const [, id] = /^Report (\S+) was saved in /m.exec(stdout) ?? [];
  assert.ok(id, stdout);
  const postgres = await startEmbeddedPostgres({ directory: join(installation.dataDir, 'postgres'), log });
  const again = openDatabase(postgres.connectionString, () => undefined);
  await sql`DROP FUNCTION fail CASCADE`.execute(again.db);
  const report = again.db.selectFrom('reports').select(['deleted_at', 'num_pages']).where('id', '=', id);
  assert.deepEqual(await report.executeTakeFirst(), { deleted_at: null, num_pages: 1 });
  await deleteReport(again.db, id);
  await again.close();
  await postgres.stop();
});

test('a second Ctrl-C exits at once', async () => {
  // A database that never responds: the start waits for it.
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  const connected = once(silent, 'connection');
  const DATABASE_URL = `postgres://x:y@127.0.0.1:${address.port}/z`;
  const running = installation.start(['check', `${site.origin}/good`, '--no-a11y'], { env: { DATABASE_URL } });
  const [socket]: Socket[] = await connected;
  running.child.kill('SIGINT');
  const stopping = 'Stopping … Press Ctrl-C again to quit immediately.\n';
  await until(() => running.stderr() === stopping);
  // Earlier, it would count as the copy that npm forwards.
  await delay(300);
  running.child.kill('SIGINT');
  const { status, stderr } = await running.ended;
  socket?.destroy();
  silent.close();
  assert.deepEqual([status, stderr], [130, stopping]);
});

test('while another process works on the database, check only watches, and takes over when there is none', async () => {
  const directory = join(installation.dataDir, 'postgres');
  const postgres = await startEmbeddedPostgres({ directory, log });
  const { db, close } = openDatabase(postgres.connectionString, () => undefined);
  // A worker that lives and does nothing.
  const worker = await joinWorkers(postgres.connectionString, db, log);
  assert.deepEqual(await livingWorkers(db), [worker.id()]);
  const seen = site.requests.length;
  const watching = installation.start(['check', `${site.origin}/good`, '--no-a11y', '--max-pages', '1'], {
    env: shared,
  });
  await until(() => watching.stderr().includes('Fetching the starting page'));
  // It asks for living workers until it starts to work itself. One of the queries comes from this test.
  const asked = new Set<string>();
  await until(async () => {
    const { rows } = await sql<{ at: string }>`
      SELECT query_start::text AS at FROM pg_stat_activity WHERE query LIKE '%AS workers (id)%' AND pid <> pg_backend_pid()`.execute(
      db,
    );
    for (const { at } of rows) asked.add(at);
    return asked.size > 2;
  });
  assert.equal(site.requests.length, seen, 'it leaves the crawl to the worker');
  assert.deepEqual(installation.recordedChildren(), [], 'it starts no engine');
  await worker.close();
  await close();
  const { status, stderr } = await watching.ended;
  assert.equal(status, 0, stderr);
  await postgres.stop();
});
