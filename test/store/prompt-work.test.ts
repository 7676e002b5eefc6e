import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { UNFINISHED_MAX } from '../../src/checking/check-pages.ts';
import { createInterpreter } from '../../src/checking/interpreter.ts';
import type { CheckEngine } from '../../src/checks/check-engine.ts';
import { createCrawledHosts } from '../../src/crawling/crawled-hosts.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { createMuting } from '../../src/reports/apply-mutings.ts';
import { startWork } from '../../src/reports/start-work.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { createMemoryBudget } from '../../src/spider/memory-budget.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { createRobotsFetcher } from '../../src/spider/robots.ts';
import { openDatabase } from '../../src/store/database.ts';
import { recheckPages } from '../../src/store/rechecks/page-recheck.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { stopReport } from '../../src/store/reports/report-end.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { quietLog } from '../helpers/browser.ts';
import { crawled, newReport, openTestStore, pagesOf } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { NO_JOURNEYS, NO_SESSIONS, WORKING_BROWSER } from '../helpers/no-sessions.ts';
import { NOTHING_FOUND, playedEngine } from '../helpers/played-checking.ts';
import { pageWith, startTestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** No work waits until a process looks for it, and a process needs only one connection for its work. */

const store = await openTestStore();
const site = await startTestSite({ '/': pageWith('/a', '/b'), '/a': pageWith(), '/b': pageWith() });
after(async () => {
  await site.stop();
  await store.close();
});

/** A failure that may be due to any page. */
const SILENT = { code: 'validator_silent', params: { text: '' } } as const;

/** Longer than any test: work that is found only by looking for it is not found. */
const NEVER = { sweepMs: 3_600_000, quietAfterMs: 0 };

/** Starts a process that works on reports with one connection and a second one to listen. It ends with the test. */
async function startProcess(
  t: TestContext,
  collect: (signal: AbortSignal) => Promise<unknown> = async () => undefined,
  health: Pick<CheckEngine, 'isReady' | 'isBroken'> = { isReady: async () => true },
) {
  // Without limits, what waits for a lock waits until the test fails.
  const limits = { connectionsMax: 1, statementTimeoutMs: 0, lockTimeoutMs: 0 };
  const { db, close } = openDatabase(store.connectionString, () => undefined, { use: 'work', limits });
  const worker = await joinWorkers(store.connectionString, db, quietLog, NEVER);
  const httpClient = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: 'sitewarden/test',
  });
  const limiters = createSharedLimiters(1_000);
  const hosts = createCrawledHosts({ db, limiters, log: quietLog });
  const interpreter = createInterpreter();
  const engine = playedEngine({
    ...health,
    collect: async (_, signal) => collect(signal).then(() => Buffer.from(NOTHING_FOUND)),
  });
  const work = startWork({
    backgroundDb: db,
    ...{
      db,
      worker,
      hosts,
      limiters,
      interpreter,
      credentialStore,
      sessions: NO_SESSIONS,
      journeys: NO_JOURNEYS,
      browser: WORKING_BROWSER,
      log: quietLog,
      engines: [engine],
    },
    planLimits: DEFAULT_LIMITS,
    userAgent: 'sitewarden/test',
    fetchPage: createPageFetcher({ httpClient }),
    fetchRobots: createRobotsFetcher({ httpClient }),
    budget: createMemoryBudget(),
    renderPage: () => Promise.reject(new Error('There is no browser in this test.')),
    busyAttempts: Number.POSITIVE_INFINITY,
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    hosts.stopWaiting();
    await work.stop();
    await hosts.close();
    await interpreter.close();
    await worker.close();
    await httpClient.close();
    await close();
  };
  t.after(stop);
  return { stop };
}

const startReport = () => newReport(store, `${site.origin}/`, { checks: ['a11y'], rate_limit: 1_000 });

/** Waits until a report has ended, and its insights are computed. */
const ended = (id: string): Promise<void> =>
  until(async () => {
    const report = await findReport(store.db, id);
    return report?.status === 'finished' && !report.insights_pending;
  });

/** Locks a report as soon as the transactions before have ended, and keeps it locked for a while. */
function lockNext(id: string): Promise<unknown> {
  return store.db.transaction().execute(async (trx) => {
    await trx.selectFrom('reports').select('id').where('id', '=', id).forUpdate().execute();
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
}

test('reports, re-checks, mutings, stops and deletions begin at once', async (t) => {
  await startProcess(t);
  await startProcess(t);
  const id = await startReport();
  await ended(id);
  const pages = await pagesOf(store, id);
  assert.equal(pages.length, 3);

  await createMuting(store.db, {
    account_id: store.accountId,
    url_match: 'x',
    message: 'y',
    comment: '',
    expires_at: null,
  });
  const walks = store.db.selectFrom('mutings').select('id').where('walk_pending', '=', true);
  await until(async () => (await walks.execute()).length === 0);
  await deleteReport(store.db, id);
  await until(async () => (await pagesOf(store, id)).length === 0);
});

test('a re-check begins at once although another transaction locks its report', async (t) => {
  await startProcess(t);
  const id = await startReport();
  await ended(id);
  const [page] = await pagesOf(store, id);
  // The release of the host is also announced.
  await until(async () => (await store.db.selectFrom('host_claims').select('host').execute()).length === 0);
  const locked: Promise<unknown>[] = [];
  await store.db.transaction().execute(async (trx) => {
    assert.ok(await recheckPages(trx, id, { webPageIds: [page?.id ?? 0] }));
    locked.push(lockNext(id));
    await waitingForLocks(store.db, 1);
  });
  await Promise.all(locked);
  await ended(id);
});

test('another process continues at once with the work of a process that stops', async (t) => {
  const started = Promise.withResolvers<void>();
  const hanging = await startProcess(t, (signal) => {
    started.resolve();
    return once(signal, 'abort').then(() => signal.throwIfAborted());
  });
  const id = await startReport();
  await started.promise;
  await crawled(store, id);
  const claimed = store.db.selectFrom('checks').select('claimed_by').where('report_id', '=', id);
  await until(async () => (await claimed.execute()).every((check) => check.claimed_by !== null));
  await startProcess(t);
  // The first process has claimed enough, so the second checks these pages, and then waits for more.
  await ended(await startReport());
  await hanging.stop();
  await ended(id);
});

test('a process whose engine is broken leaves the checks to others, and continues at once when it is repaired', async (t) => {
  let isBroken = true;
  let runs = 0;
  const collect = async (): Promise<void> => {
    runs += 1;
    const failure = { code: 'validator_unavailable', params: { text: '' } } as const;
    if (isBroken) throw new CheckFault(failure, { permanent: false, blame: 'engine' });
  };
  await startProcess(t, collect, { isReady: async () => !isBroken, isBroken: () => isBroken });
  const claims = store.db.selectFrom('checks').select(['claimed_by', 'attempts']);
  const areFree = async (id: string): Promise<boolean> =>
    (await claims.where('report_id', '=', id).execute()).every(
      (check) => check.claimed_by === null && check.attempts === 0,
    );
  const id = await startReport();
  await crawled(store, id);
  await until(() => runs > 0);
  await until(() => areFree(id));
  const healthy = await startProcess(t);
  await ended(id);
  await healthy.stop();
  assert.equal(runs, 1);

  const next = await startReport();
  await crawled(store, next);
  assert.ok(await areFree(next));
  isBroken = false;
  await ended(next);
});

test('an outage that processes have not noticed yet is blamed on no page', async (t) => {
  let isUp = false;
  const collect = async (): Promise<void> => {
    if (!isUp) throw new CheckFault(SILENT, { permanent: false, blame: 'anybody' });
  };
  const health = { isReady: async () => isUp, isBroken: () => !isUp };
  for (let started = 0; started <= UNFINISHED_MAX + 1; started += 1) await startProcess(t, collect, health);
  const id = await startReport();
  await crawled(store, id);
  const claims = store.db.selectFrom('checks').select(['claimed_by', 'attempts']).where('report_id', '=', id);
  await until(async () => {
    const checks = await claims.execute();
    return checks.some(({ attempts }) => attempts > 0) && checks.every((check) => check.claimed_by === null);
  });
  isUp = true;
  await ended(id);
  const failed = store.db
    .selectFrom('checks')
    .select('error')
    .where('report_id', '=', id)
    .where('error', 'is not', null);
  assert.deepEqual(await failed.execute(), []);
});

test('a page that breaks the engine each time fails, also if it runs next to others', async (t) => {
  let isBroken = false;
  let runs = 0;
  const collect = async (): Promise<void> => {
    runs += 1;
    isBroken = true;
    throw new CheckFault(SILENT, { permanent: false, blame: 'anybody' });
  };
  // It is repaired once the process has noticed.
  const isReady = async (): Promise<boolean> => {
    const wasBroken = isBroken;
    isBroken = false;
    return !wasBroken;
  };
  await startProcess(t, collect, { isReady, isBroken: () => true });
  const id = await startReport();
  await crawled(store, id);
  await ended(id);
  const checks = await store.db.selectFrom('checks').select('error').where('report_id', '=', id).execute();
  assert.deepEqual(
    checks.map(({ error }) => error?.code),
    [SILENT.code, SILENT.code, SILENT.code],
  );
  // Twice next to others, and then alone.
  assert.equal(runs, checks.length * 3);
});

test('results of a locked report hold no connection that another report needs', async (t) => {
  const gate = Promise.withResolvers<void>();
  let started = 0;
  await startProcess(t, () => {
    started += 1;
    return gate.promise;
  });
  const locked = await startReport();
  await crawled(store, locked);
  await until(() => started > 0);
  await store.db.transaction().execute(async (trx) => {
    await trx.selectFrom('reports').select('id').where('id', '=', locked).forUpdate().execute();
    gate.resolve();
    // Its last check has run, so all of its results wait.
    await until(() => started === 3);
    await ended(await startReport());
    const checks = trx.selectFrom('checks').select('status').where('report_id', '=', locked);
    assert.ok((await checks.execute()).every(({ status }) => status === 'pending'));
  });
  await ended(locked);
});

test('the insights of a stopped report are computed at once although another transaction locks it', async (t) => {
  await startProcess(t, (signal) => once(signal, 'abort'));
  const id = await startReport();
  await crawled(store, id);
  const locked: Promise<unknown>[] = [];
  await store.db.transaction().execute(async (trx) => {
    await stopReport(trx, id);
    locked.push(lockNext(id));
    await waitingForLocks(store.db, 1);
  });
  await Promise.all(locked);
  await ended(id);
});
