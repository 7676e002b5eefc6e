import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { markUrl } from '../../packages/client/marks.ts';
import { createMarkRefetcher } from '../../src/crawling/journeys/journeys-of-report.ts';
import { createJourneyTester } from '../../src/crawling/journeys/test-journey.ts';
import type { Site } from '../../src/crawling/open-site.ts';
import { refetchPages } from '../../src/crawling/start-crawling.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import type { LoginSession } from '../../src/domain/login-session.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { leasePollMs } from '../../src/logins/limits.ts';
import { createReportSessions } from '../../src/logins/report-sessions.ts';
import { createSessionSeal } from '../../src/logins/seal-session.ts';
import { createLoginTester } from '../../src/logins/test-login.ts';
import { AppError } from '../../src/platform/errors.ts';
import { claimCrawl } from '../../src/queue/claims.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { openDatabase } from '../../src/store/database.ts';
import { nextPageToRefetch, recheckPage, saveRefetchedPage } from '../../src/store/rechecks/page-recheck.ts';
import { readProgress } from '../../src/store/reports/crawl-progress.ts';
import {
  endReservation,
  extendReservation,
  findSession,
  type ReservationEnd,
  removeSession,
  replaceSession,
  reserveLogin,
  useTotpPeriod,
} from '../../src/store/reports/login-sessions.ts';
import { endCrawl } from '../../src/store/reports/report-end.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { quietLog } from '../helpers/browser.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { NO_JOURNEYS, NO_SESSIONS } from '../helpers/no-sessions.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages, WORKER } from '../helpers/played-report.ts';

/** Several processes share the session of a report: one signs in at a time, and only its result counts. */

const store = await openTestStore();
after(() => store.close());
const { db } = store;

const LEASE_MS = 60_000;
const WORKED = {
  ...{ sealed: Buffer.from('session'), maxMs: LEASE_MS },
  addSecrets: (earlier: Buffer | null) => Buffer.from(`${earlier ?? ''}secrets `),
};
const SESSION: LoginSession = {
  ...{ cookies: [], origin: 'https://example.com', localStorage: [], sessionStorage: [], url: 'https://example.com/' },
  ...{ loginPages: [], loginFields: [], hasPasswordField: false },
};
const FAILED = { failure: { code: 'login_failed', params: { why: { code: 'login_missing', params: {} } } } } as const;

async function newReport(): Promise<string> {
  const { reportId } = await reportWithPages(store);
  return reportId;
}
const holder = (reportId: string, number: number) => ({ reportId, number, by: randomUUID() });

test('one of many processes signs in, and the others get its session', async () => {
  const reportId = await newReport();
  const holders = Array.from({ length: 8 }, () => holder(reportId, 0));
  const reserved = await Promise.all(holders.map((one) => reserveLogin(db, one, LEASE_MS)));
  assert.equal(reserved.filter((outcome) => outcome === 'reserved').length, 1);
  const first = holders[reserved.indexOf('reserved')] ?? assert.fail();
  for (const other of holders.filter((one) => one !== first)) {
    assert.equal(await endReservation(db, other, FAILED), false);
    assert.equal(await endReservation(db, other, WORKED), false);
  }
  assert.equal(await endReservation(db, first, WORKED), true);
  const stored = await findSession(db, reportId);
  assert.deepEqual([stored.number, String(stored.sealed), stored.failure], [1, 'session', null]);
  assert.equal(await reserveLogin(db, holder(reportId, 0), LEASE_MS), 'busy', 'it knows an earlier session');
});

test('a process whose reservation has ended changes nothing any more', async () => {
  const reportId = await newReport();
  const [slow, next] = [holder(reportId, 0), holder(reportId, 0)];
  assert.equal(await reserveLogin(db, slow, 0), 'reserved');
  assert.equal(await reserveLogin(db, next, LEASE_MS), 'reserved');
  assert.equal(await extendReservation(db, slow, LEASE_MS), false);
  assert.equal(await endReservation(db, slow, FAILED), false);
  assert.equal((await findSession(db, reportId)).failure, null);
  assert.equal(await extendReservation(db, next, LEASE_MS), true);
  assert.equal(await endReservation(db, next, WORKED), true);
});

test('a login that fails ends the session for all, also for those that save its cookies', async () => {
  const reportId = await newReport();
  const first = holder(reportId, 0);
  await reserveLogin(db, first, LEASE_MS);
  await endReservation(db, first, WORKED);
  const second = holder(reportId, 1);
  await reserveLogin(db, second, LEASE_MS);
  await endReservation(db, second, FAILED);
  await replaceSession(db, { reportId, number: 1 }, WORKED);
  const { sealed, failure, secretsSealed } = await findSession(db, reportId);
  assert.deepEqual([sealed, failure], [null, FAILED.failure]);
  assert.equal(String(secretsSealed), 'secrets ');
});

test('a process that reads late does not take the login for a confirmation of its session', async () => {
  const reportId = await newReport();
  const first = holder(reportId, 0);
  await reserveLogin(db, first, LEASE_MS);
  const sealed = createSessionSeal(credentialStore.box).seal(reportId, SESSION);
  await endReservation(db, first, { ...sealed, maxMs: LEASE_MS });
  const second = holder(reportId, 1);
  await reserveLogin(db, second, LEASE_MS);

  let lateMs = 0;
  const late = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => delay(lateMs, result),
  });
  const withPage = async (): Promise<never> => assert.fail('It must wait for the other process.');
  const sessions = createReportSessions({ db: late, credentialStore, pool: { withPage }, log: quietLog });
  const access = { ...NO_ACCESS, login: { steps: [{ open: SESSION.url }], signed_in: null } };
  const site = { startingUrl: SESSION.url, siteUrl: null, viewport: DEFAULT_VIEWPORT };
  const state = sessions.verify({ id: reportId, access, ...site }, 1, new AbortController().signal);
  await delay(leasePollMs / 2);
  lateMs = 2 * leasePollMs;
  await delay(5 * leasePollMs);
  await endReservation(db, second, FAILED);
  assert.deepEqual(await state, { failure: FAILED.failure });
});

test('values to be masked that are stored during a login stay', async () => {
  const reportId = await newReport();
  const [first, second] = [holder(reportId, 0), holder(reportId, 1)];
  await reserveLogin(db, first, LEASE_MS);
  await endReservation(db, first, WORKED);
  await reserveLogin(db, second, LEASE_MS);
  await replaceSession(db, { reportId, number: 1 }, WORKED);
  await endReservation(db, second, WORKED);
  assert.equal(String((await findSession(db, reportId)).secretsSealed), 'secrets secrets secrets ');
});

test('only logins count as time spent on signing in', async () => {
  const reportId = await newReport();
  const spentWith = async (number: number, how: ReservationEnd): Promise<number> => {
    const one = holder(reportId, number);
    await reserveLogin(db, one, LEASE_MS);
    await sql`UPDATE login_sessions SET busy_since = now() - interval '1 hour' WHERE report_id = ${reportId}`.execute(
      db,
    );
    assert.equal(await endReservation(db, one, how), true);
    return Math.round((await findSession(db, reportId)).spentMs / 3_600_000);
  };
  const hours = [await spentWith(0, WORKED), await spentWith(1, 'not_needed')];
  const { confirmedMsAgo } = await findSession(db, reportId);
  hours.push(await spentWith(1, FAILED));
  assert.deepEqual(hours, [1, 1, 2]);
  assert.ok((confirmedMsAgo ?? 0) >= 3_600_000, 'the session may have ended since the look at it began');
});

test('at the end of a report, its session is removed, and what has to be masked stays', async () => {
  const reportId = await newReport();
  const [first, late] = [holder(reportId, 0), holder(reportId, 1)];
  await reserveLogin(db, first, LEASE_MS);
  await endReservation(db, first, WORKED);
  await reserveLogin(db, late, LEASE_MS);
  await removeSession(db, reportId);
  assert.equal(await endReservation(db, late, WORKED), false);
  const { number, sealed, secretsSealed } = await findSession(db, reportId);
  assert.deepEqual([number, sealed, String(secretsSealed)], [0, null, 'secrets ']);
  for (const ended of [sql`status = 'finished'`, sql`status = 'checking', deleted_at = now()`]) {
    await sql`UPDATE reports SET ${ended} WHERE id = ${reportId}`.execute(db);
    assert.equal(await reserveLogin(db, holder(reportId, 0), LEASE_MS), 'gone');
  }
});

test('cookies that come with a page that is fetched again are stored before its checks can run', async () => {
  const { reportId, pageIds } = await reportWithPages(store, 'before');
  const [pageId = 0] = pageIds;
  await recheckPage(db, reportId, pageId);
  const claim = await claimCrawl(db, WORKER);
  assert.ok(claim?.reportId === reportId);
  const hash = async () => {
    const page = db.selectFrom('web_pages').select('document_hash').where('id', '=', pageId);
    return (await page.executeTakeFirst())?.document_hash?.toString('hex');
  };
  const before = await hash();
  const seen: unknown[] = [];
  const saveSession = async () => void seen.push(await hash());
  const fetch = (url: string) =>
    documentPage({ url, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.from('<p>after') });
  await refetchPages(db, claim, fetch, new AbortController().signal, { saveSession });
  assert.deepEqual(seen, [before]);
  assert.notEqual(await hash(), before);
  await endCrawl(db, claim);
});

test('a mark that is checked again without a session names the login that failed', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const [pageId = 0] = pageIds;
  const startingUrl = 'http://site.test/';
  const url = markUrl(startingUrl, { journey: 'Pay', step: 'Done' });
  await db.updateTable('web_pages').set({ url, reached_url: startingUrl }).where('id', '=', pageId).execute();
  await recheckPage(db, reportId, pageId);
  const report = await findReport(db, reportId);
  const journeys = [{ name: 'Pay', steps: [{ fill: '#card', secret: true as const }, { check: 'Done' }] }];
  const parts = { db, credentialStore, journeys: NO_JOURNEYS, report: { ...(report ?? assert.fail()), journeys } };
  const site = { closedBecause: FAILED.failure, access: NO_ACCESS, redaction: null } as unknown as Site;
  const claim = { reportId, claimId: 0, isFirst: true };
  const { content } = await createMarkRefetcher(parts, site, claim, new AbortController().signal)({ url });
  assert.deepEqual('failure' in content && content.failure, FAILED.failure);
  // After an interruption, only the re-checks that were pending then fail.
  await db.updateTable('reports').set({ acting_journey: 'Pay' }).where('id', '=', reportId).execute();
  const refetchMark = createMarkRefetcher(parts, site, claim, new AbortController().signal);
  const codes = [await refetchMark({ url }), await refetchMark({ url })].map(
    ({ content: found }) => 'failure' in found && found.failure.code,
  );
  assert.deepEqual(codes, ['journey_interrupted', FAILED.failure.code]);
  // Its marks come before the marks of other journeys, which would be recorded in its place, and its record ends with them.
  const [, otherId = 0] = pageIds;
  const other = markUrl(startingUrl, { journey: 'Cancel it', step: 'Done' });
  await db.updateTable('web_pages').set({ url: other, reached_url: startingUrl }).where('id', '=', otherId).execute();
  await recheckPage(db, reportId, otherId);
  await db.updateTable('reports').set({ acting_journey: 'Cancel it' }).where('id', '=', reportId).execute();
  const begun = await claimCrawl(db, WORKER);
  assert.ok(begun?.reportId === reportId);
  const next = await nextPageToRefetch(db, reportId);
  assert.ok(next?.url === other);
  const atMark = { screenshot: null, reachedUrl: startingUrl, collected: new Map() };
  assert.ok(await saveRefetchedPage(db, begun, next, failedPage(FAILED.failure), atMark));
  assert.equal((await nextPageToRefetch(db, reportId))?.url, url);
  assert.equal((await readProgress(db, reportId)).acting_journey, null);
  await db.updateTable('reports').set({ crawl_pending: false }).where('id', '=', reportId).execute();
});

test('an account tries one login or journey at a time, on all processes', async (t) => {
  const other = openDatabase(store.connectionString, () => undefined);
  t.after(other.close);
  const { promise: isOpened, resolve: opened } = Promise.withResolvers<void>();
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const withPage = async (): Promise<never> => {
    opened();
    await isEnded;
    throw new Error('The browser ends.');
  };
  const partsOn = (database: typeof db) => ({ db: database, credentialStore, pool: { withPage }, limits: {} });
  const login = { steps: [{ open: 'https://example.com/login' }], signed_in: null };
  const site = { startingUrl: 'https://example.com/', siteUrl: null, viewport: DEFAULT_VIEWPORT };
  const owner = { id: randomUUID(), access: { ...NO_ACCESS, login }, ...site };
  const toTest = { journey: { name: 'Start', steps: [{ open: '/' }] }, access: NO_ACCESS, ...site };
  const first = createLoginTester(partsOn(db))(store.accountId, owner);
  await isOpened;
  const refused = { code: 'conflict', message: /You are already trying a login or journey/ };
  for (const database of [db, other.db]) {
    await assert.rejects(createLoginTester(partsOn(database))(store.accountId, owner), refused);
    await assert.rejects(createJourneyTester(partsOn(database))(store.accountId, toTest), refused);
  }
  end();
  assert.equal((await first).failure?.code, 'login_failed');
  const { failure } = await createJourneyTester(partsOn(other.db))(store.accountId, toTest);
  assert.equal(failure?.code, 'journey_broke_off');
});

/** A report whose pages wait for a check with a login. */
async function reportWithLogin(): Promise<string> {
  const reportId = await newReport();
  const access = { ...NO_ACCESS, login: { steps: [{ open: 'https://example.com/login' }], signed_in: null } };
  const sealed = credentialStore.seal(access, `report ${reportId}`);
  await db.updateTable('reports').set({ site_access: sealed }).where('id', '=', reportId).execute();
  return reportId;
}

test('a check that cannot sign in because the browser is missing waits', async (t) => {
  const reportId = await reportWithLogin();
  let failures = 0;
  const open = async () => {
    failures += 1;
    if (failures <= 3) throw new AppError('browser_failed_to_start', 'The browser did not start.');
    return { number: 1, session: SESSION };
  };
  await startPlayedChecking(t, store, async () => undefined, { sessions: { ...NO_SESSIONS, open } });
  assert.deepEqual(await a11yErrorsOf(store, reportId), [null]);
});

test('the values of a session are masked in the errors of checks', async (t) => {
  const reportId = await reportWithLogin();
  const sessions = {
    ...NO_SESSIONS,
    open: async () => ({ number: 1, session: SESSION }),
    secrets: async () => ['token-0123456789abcdef'],
  };
  const fail = async (): Promise<never> => {
    const url = 'https://example.com/?sid=token-0123456789abcdef';
    throw new CheckFault({ code: 'replaces_itself', params: { url } }, { permanent: true });
  };
  await startPlayedChecking(t, store, fail, { sessions });
  const [error] = await a11yErrorsOf(store, reportId);
  assert.match(error ?? '', /sid=\*{22}/);
});

test('a one-time password is used once, and old ones are forgotten', async () => {
  const [key, other] = [Buffer.from('key'), Buffer.from('other')];
  const uses = await Promise.all(Array.from({ length: 6 }, () => useTotpPeriod(db, key, 100)));
  assert.equal(uses.filter((isFree) => isFree).length, 1);
  assert.deepEqual([await useTotpPeriod(db, key, 99), await useTotpPeriod(db, key, 101)], [false, true]);
  await sql`UPDATE used_totp_periods SET used_at = now() - interval '2 days'`.execute(db);
  await useTotpPeriod(db, other, 1);
  const rows = await db.selectFrom('used_totp_periods').select('key_code').execute();
  assert.deepEqual(
    rows.map(({ key_code: code }) => String(code)),
    ['other'],
  );
});
