import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '../../src/commands/program.ts';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import {
  childOf,
  childrenOf,
  createInstallation,
  groupOf,
  type Installation,
  isJava,
  kill,
  type Serving,
} from '../helpers/command-line.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { linkedPage, pageNumber } from '../helpers/linked-pages.ts';
import { type ReportResult, resultOf } from '../helpers/report-result.ts';
import { collectingTerminal, runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { dripUntil, startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';
import { PASSWORD } from '../helpers/visitor.ts';

// The tests build on each other: one installation goes through everything, as a user's does.

const PAGES = 3;
/** What the second service runs first. */
const FAULT = 'process.once("SIGUSR2", () => { Promise.reject(new Error("nobody caught this")); });';
/** Longer than usual: each look connects to the database. */
const SLOW_POLL_MS = 150;
/** Pages from this one on are sent slowly until the gate is open, so that the report does not end before. */
const FIRST_GATED_PAGE = 3;

let installation: Installation;
let site: TestSite;
let serving: Serving;
/** A second service in the same data directory. */
let faulty: Serving;
/** Used once the installation's own validator has ended with its service, since Java takes seconds to start. */
const shared = await sharedValidator();
const draining = { ...shared, SITEWARDEN_DRAIN_SECONDS: '600' };
let gate = Promise.withResolvers<void>();
/** The result of an undisturbed report of the site. */
let undisturbed: ReportResult;

before(async () => {
  installation = createInstallation();
  site = await startTestSite({ '*': (request, response) => answer(request.url ?? '/', response) });
});
after(async () => {
  installation.remove();
  await site.stop();
});

async function answer(path: string, response: ServerResponse): Promise<void> {
  const number = pageNumber(path);
  const page = linkedPage(number, PAGES);
  if (number >= FIRST_GATED_PAGE) return dripUntil(gate.promise, response, page);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(page);
}

const closeGate = (): void => {
  gate = Promise.withResolvers<void>();
};

async function createReport(): Promise<string> {
  const attributes = {
    starting_url: `${site.origin}/`,
    max_pages: PAGES,
    rate_limit: 100,
    perform_html_checks: true,
    perform_a11y_checks: true,
  };
  const response = await fetch(`${serving.origin}/api/v1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.adminToken}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { attributes } }),
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  const document: { data: { id: string } } = JSON.parse(text);
  return document.data.id;
}

/** A connection for one query: the database may have been restarted a moment ago. */
async function ask<Result>(question: (db: ReturnType<Installation['open']>['db']) => Promise<Result>): Promise<Result> {
  const { db, close } = installation.open();
  try {
    return await question(db);
  } finally {
    await close();
  }
}

/** Resolves when the report has some results of both kinds, and is far from its end. */
async function inTheMiddle(reportId: string): Promise<void> {
  const isSo = () =>
    ask(async (db) => {
      const counts = await db.selectFrom('report_checks').selectAll().where('report_id', '=', reportId).execute();
      return counts.length === 2 && counts.every(({ checked }) => checked >= 1);
    });
  // A page may take a minute.
  await until(isSo, { timeoutMs: 55_000, pollMs: SLOW_POLL_MS });
}

/** Waits for the report's end; the database may be unavailable in the meantime. */
async function ended(reportId: string): Promise<void> {
  const isEnded = () =>
    ask(async (db) => {
      const report = await db.selectFrom('reports').select('status').where('id', '=', reportId).executeTakeFirst();
      return report?.status === 'finished' || report?.status === 'failed';
    }).catch(() => false);
  await until(isEnded, { timeoutMs: 240_000, pollMs: SLOW_POLL_MS });
}

/** Lets the report continue, waits for its end, and compares. */
async function endsTheSame(reportId: string): Promise<void> {
  gate.resolve();
  await ended(reportId);
  assert.deepEqual(await ask((db) => resultOf(db, reportId)), undisturbed);
  await ask((db) => assertCountsAddUp(db, reportId));
}

/** Resolves when no process of the installation is left. */
async function allGone(recorded: readonly number[]): Promise<void> {
  const left = () =>
    [...installation.processes(), ...recorded.flatMap((pid) => [pid, ...groupOf(pid)])].filter(
      (pid) => identifyProcess(pid) !== null,
    );
  await until(() => left().length === 0).catch(() => assert.deepEqual(left(), []));
}

test('two first starts in one data directory print the same link, which both accept until it is used', async () => {
  const [first, second] = await Promise.all([
    installation.serve(),
    installation.serve({ nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(FAULT)}`], env: shared }),
  ]);
  const services = [first, second];
  const secrets = await Promise.all(services.map(secretOf));
  assert.equal(new Set(secrets).size, 1);
  const open = () =>
    Promise.all(services.map(async ({ origin }) => (await fetch(`${origin}/auth/welcome/${secrets[0]}`)).status));
  assert.deepEqual(await open(), [200, 200]);
  const used = await fetch(`${second.origin}/auth/welcome/${secrets[0]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: second.origin },
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: PASSWORD }),
  });
  assert.equal(used.status, 200);
  assert.deepEqual(await open(), [404, 404]);
  serving = first;
  faulty = second;
});

test('an uncaught error is logged, and ends a process in order, but no other', async () => {
  const children = () =>
    installation.recordedChildren().filter((pid) => childrenOf(new Set([faulty.pid])).includes(pid));
  await until(() => children().length === 1);
  const recorded = children();
  faulty.child.kill('SIGUSR2');
  const { status, stderr } = await faulty.ended;
  assert.equal(status, 70);
  assert.match(stderr, /Unexpected error. Please report it: Error: nobody caught this\n +at /);
  for (const pid of recorded) await until(() => groupOf(pid).length === 0);
  await serving.ready();
});

/** Returns the secret of the link that a service prints. */
async function secretOf(service: Serving): Promise<string> {
  const secret = (): string | undefined => /\/welcome\/(\S+) \(/.exec(service.stdout())?.[1];
  await until(() => secret() !== undefined);
  return secret() ?? '';
}

test('serve is live, ready when every part responds, and completes a report', async () => {
  const live = await fetch(`${serving.origin}/health/live`);
  assert.equal(live.status, 200);
  await serving.ready();
  const ready = await fetch(`${serving.origin}/health/ready`);
  assert.deepEqual(await ready.json(), {
    status: 'ready',
    parts: { database: true, writable: true, queue: true, validator: true, browser: true },
    paused: false,
  });
  const reportId = await createReport();
  gate.resolve();
  await ended(reportId);
  undisturbed = await ask((db) => resultOf(db, reportId));
  assert.equal(undisturbed.report.num_pages, PAGES);
  assert.equal(undisturbed.pages.length, 2 * PAGES);
  assert.ok(undisturbed.pages.every(({ status, errors }) => status === 'checked' && errors > 0));
});

test('other commands work next to it without affecting it', async () => {
  const environment = { SITEWARDEN_DATA_DIR: installation.dataDir };
  const run = (args: readonly string[]) => runHere(args, environment);
  const account = await run(['account', 'create', '--email', 'beside@example.com']);
  assert.deepEqual([account.status, account.stderr], [0, '']);
  assert.match(account.stdout, /^[\da-f-]{36}\n$/);
  const token = await run(['token', 'create', '--account', 'beside@example.com']);
  assert.deepEqual([token.status, token.stderr], [0, '']);
  const answered = await fetch(`${serving.origin}/api/v1/reports`, {
    headers: { authorization: `Bearer ${token.stdout.trim().split('\n').at(-1)}` },
  });
  assert.equal(answered.status, 200);
  const credits = await run(['account', 'credits', '--account', 'beside@example.com', '--set', '12']);
  assert.deepEqual([credits.stdout, credits.stderr], ['12\n', '']);
  const others = await Promise.all([
    run(['account', 'credits', '--account', 'beside@example.com', '--set', 'unlimited']),
    run(['token', 'list']),
    run(['migrate']),
    // It would start Java in the same way as the service does.
    runHere(['doctor', '--deep', '--format', 'json'], { ...environment, ...shared }),
  ]);
  for (const { status, stderr, stdout } of others) assert.deepEqual([status, stderr], [0, ''], stdout);
  const { parts, findings } = JSON.parse(others.at(-1)?.stdout ?? '');
  const secrets = { part: 'secrets', ok: true, text: 'encrypted with the key in the data directory' };
  assert.deepEqual([parts.find(({ part }: { part: string }) => part === 'secrets'), findings], [secrets, []]);
  const args = ['check', `${site.origin}/`, '--no-a11y', '--max-pages', '2', '--rate-limit', '100'];
  const check = await runHere(args, { ...environment, ...shared });
  assert.equal(check.status, 1, check.stderr);
  await serving.ready();
});

test('a second serve on the same port reports the port and does not affect the first', async () => {
  const { port } = new URL(serving.origin);
  const elsewhere = join(installation.dataDir, 'second');
  const { status, stdout, stderr } = await installation.run(['serve'], {
    env: { PORT: port, SITEWARDEN_DATA_DIR: elsewhere },
  });
  assert.equal(existsSync(elsewhere), false, 'nothing was started for it');
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Set PORT or HOST to a different value.\n`,
  );
  await serving.ready();
});

test('browser and database are killed in the middle of a report, which ends the same', async () => {
  closeGate();
  const reportId = await createReport();
  await inTheMiddle(reportId);
  // `test/contract/vnu-server.test.ts` kills the validator, which takes seconds to start again.
  const victims = [installation.recordedChildren().find((child) => !isJava(child)), installation.postgresPid()];
  for (const pid of victims) kill(pid ?? assert.fail());
  await endsTheSame(reportId);
  await serving.ready();
  for (const pid of victims) assert.equal(identifyProcess(pid ?? 0), null);
});

for (const killed of ['process', 'wrapper'] as const) {
  test(`the ${killed} of serve is killed in the middle of a report: the next start finishes it`, async () => {
    closeGate();
    const reportId = await createReport();
    await inTheMiddle(reportId);
    const children = installation.recordedChildren();
    assert.equal(children.length, killed === 'process' ? 2 : 1);
    kill(killed === 'wrapper' ? serving.pid : childOf(serving.pid));
    await serving.ended;
    // Without its wrapper, the process stops in order; after a kill, only the database keeps running.
    if (killed === 'wrapper') await allGone(children);
    for (const pid of children) await until(() => groupOf(pid).length === 0);
    serving = await installation.serve({ env: draining });
    await endsTheSame(reportId);
    await serving.ready();
  });
}

test('SIGTERM with time to drain: it is not ready, but responds, until the time has passed', async () => {
  const headers = { authorization: `Bearer ${installation.adminToken}` };
  const recorded = installation.recordedChildren();
  assert.ok(recorded.length > 0, 'there is something that could be left');
  const stream = await fetch(`${serving.origin}/api/v1/events`, { headers });
  serving.child.kill('SIGTERM');
  const ready = async () => fetch(`${serving.origin}/health/ready`);
  await until(async () => (await ready()).status === 503);
  assert.equal(Object(await (await ready()).json()).status, 'draining');
  const reports = await fetch(`${serving.origin}/api/v1/reports`, { headers });
  assert.deepEqual([reports.status, reports.headers.get('connection')], [200, 'close']);
  // A later SIGTERM ends the wait; a copy at once does not. While a process exits, a signal would kill it.
  const isClosed = (): Promise<boolean> =>
    ready().then(
      () => false,
      () => true,
    );
  await until(async () => (await isClosed()) || !serving.child.kill('SIGTERM'), { pollMs: 500 });
  assert.equal((await serving.ended).status, 0);
  const waits = [...(await stream.text()).matchAll(/^retry: (\d+)$/gm)].map(([, ms]) => Number(ms));
  assert.equal(waits.length, 2, 'the last one says when to reconnect');
  await allGone(recorded);
});

test('SIGINT stops it without draining, and commands still work', async () => {
  const environment = { SITEWARDEN_DATA_DIR: installation.dataDir };
  const { terminal, printed } = collectingTerminal({
    ...{ ...environment, ...draining, PORT: '0' },
    SITEWARDEN_CHROMIUM: '/nonexistent',
  });
  const waitToClose = () => assert.fail('it drains');
  await runCommand(['serve'], Object.assign(terminal, { untilStopped: async () => 'SIGINT' as const, waitToClose }));
  assert.equal(terminal.exitStatus ?? 0, 0, printed.stderr);
  const tokens = await runHere(['token', 'list'], environment);
  assert.deepEqual([tokens.status, tokens.stderr], [0, '']);
  await allGone([]);
});
