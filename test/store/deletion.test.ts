import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { refetchPages } from '../../src/crawling/start-crawling.ts';
import type { FetchedDocument } from '../../src/domain/check.ts';
import type { CrawlClaim } from '../../src/domain/crawl.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { joinWorkers, type Worker } from '../../src/queue/worker.ts';
import { deleteOldReports, startPurging, startRetention } from '../../src/reports/retention.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { endCrawl } from '../../src/store/reports/report-end.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';
import { identified } from '../helpers/identities.ts';
import { PATIENT_DATABASE } from '../helpers/patience.ts';
import { rowCounts } from '../helpers/row-counts.ts';
import { until } from '../helpers/until.ts';

const log = pino({ level: 'silent' });
const DAY_MS = 86_400_000;
const { signal } = new AbortController();

describe('deletion', () => {
  let store: TestStore;
  /** The parts of a second process. */
  let second: OpenDatabase;
  let workers: Worker[];
  let empty: Readonly<Record<string, number>>;

  before(async () => {
    store = await openTestStore();
    second = openDatabase(store.connectionString, () => undefined, PATIENT_DATABASE);
    workers = await Promise.all([store.db, second.db].map((db) => joinWorkers(store.connectionString, db, log)));
    empty = await rowCounts(store.db);
  });
  beforeEach(async () => {
    assert.deepEqual(await rowCounts(store.db), empty, 'an earlier test has left something');
  });
  after(async () => {
    for (const worker of workers ?? []) await worker.close();
    await second?.close();
    await store?.close();
  });

  /** A living worker: claims of others would be freed. */
  const workerId = (): number => workers[0]?.id() ?? assert.fail('no worker has joined');

  /** Two processes that purge deleted reports. */
  const startPurgers = () => {
    const purgers = workers.map((worker, index) =>
      startPurging({ db: index === 0 ? store.db : second.db, worker, log }),
    );
    return { stop: () => Promise.all(purgers.map((purger) => purger.stop())) };
  };
  const purge = async (): Promise<void> => {
    const purgers = startPurgers();
    await until(async () => (await store.db.selectFrom('reports').select('id').execute()).length === 0);
    await purgers.stop();
  };
  const document = (url: string, text: string): FetchedDocument => ({
    url,
    httpStatus: 200,
    contentType: 'text/html',
    headers: [],
    body: Buffer.from(`<!DOCTYPE html><title>${text}</title>`),
  });
  const page = async (number: number, text: string) => {
    const url = `http://site.test/${number}`;
    return { url, linkedFrom: null, turn: number, content: await documentPage(document(url, text)) };
  };
  const claimOf = async (reportId: string): Promise<CrawlClaim> => {
    const { claimId } = await store.db
      .updateTable('reports')
      .set({ crawled_by: workerId(), crawl_claim_id: sql<number>`nextval('claim_ids')` })
      .where('id', '=', reportId)
      .returning('crawl_claim_id as claimId')
      .executeTakeFirstOrThrow();
    return { reportId, claimId: claimId ?? 0, isFirst: true };
  };
  /** Lets a crawl find pages with these documents. */
  const crawl = async (reportId: string, texts: readonly string[]): Promise<CrawlClaim> => {
    const claim = await claimOf(reportId);
    const pages = await Promise.all(texts.map((text, index) => page(index + 1, text)));
    const discovered = pages.map(({ url }, position) => {
      const found = { linkedFrom: null, depth: 0, target: null, httpStatus: 200, detail: null };
      return { position, url, outcome: 'page' as const, ...found };
    });
    await saveCrawlProgress(store.db, claim, { pages, discovered });
    return claim;
  };
  const pagesOf = async (reportId: string): Promise<number[]> => {
    const rows = await store.db.selectFrom('web_pages').select('id').where('report_id', '=', reportId).execute();
    return rows.map(({ id }) => id);
  };

  test('leaves nothing of a report of any size', async () => {
    const reportId = await newReport(store, 'http://site.test/', {
      checks: ['html', 'a11y'],
      store_raw_checks: ['html', 'a11y'],
      exclusions: ['/private'],
    });
    const claim = await crawl(
      reportId,
      Array.from({ length: 450 }, (_, index) => `Document ${index % 300}`),
    );
    await sql`INSERT INTO discovered_urls (report_id, position, url, depth)
      SELECT ${reportId}, n, 'http://site.test/found/' || n, 1 FROM generate_series(1000, 13000) AS n`.execute(
      store.db,
    );
    await endCrawl(store.db, claim);
    for (const kind of ['html', 'a11y'] as const) {
      const checks = await claimChecks(store.db, kind, workerId(), 400);
      const results = checks.map(({ webPageId, claimId }, index) => {
        const common = { subType: null, ruleId: null, helpUrl: null, impact: null, tags: [], occurrences: [1] };
        const issue = {
          ...common,
          type: 'error' as const,
          message: `Kind ${index}`,
          url: 'http://frame.test/',
          howMany: 1,
        };
        return {
          webPageId,
          claimId,
          outcome: { issues: [packIssue(identified(issue))], raw: { raw: Buffer.from('raw'), omitted: 0 } },
        };
      });
      await saveCheckResults(store.db, reportId, kind, results);
    }
    const full = await rowCounts(store.db);
    for (const table of [
      'documents',
      'web_pages',
      'checks',
      'issues',
      'common_issues',
      'raw_checks',
      'discovered_urls',
    ]) {
      assert.ok((full[table] ?? 0) > 200, `${table} has rows to be removed`);
    }
    await deleteReport(store.db, reportId);
    await purge();
  });

  test('keeps documents that pages of other reports refer to', async () => {
    const [one, two] = [await newReport(store, 'http://one.test/'), await newReport(store, 'http://two.test/')];
    await crawl(one, ['shared', 'only one', 'shared']);
    await crawl(two, ['shared', 'only two']);
    await deleteReport(store.db, one);
    const purgers = startPurgers();
    await until(async () => (await store.db.selectFrom('reports').select('id').execute()).length === 1);
    await purgers.stop();
    assert.equal((await rowCounts(store.db))['documents'], 2);
    await deleteReport(store.db, two);
    await purge();
  });

  test('of the last page removes the site credentials at once', async () => {
    const siteAccess = { ...NO_ACCESS, headers: { 'x-preview': 'on' } };
    const reportId = await newReport(store, 'http://site.test/', { siteAccess });
    await crawl(reportId, ['only']);
    const [webPageId = 0] = await pagesOf(reportId);
    await deletePage(store.db, reportId, webPageId);
    const report = store.db.selectFrom('reports').select('site_access').where('id', '=', reportId);
    assert.equal((await report.executeTakeFirstOrThrow()).site_access, null);
    await purge();
  });

  test('leaves no document of a page that was deleted while being fetched again', async () => {
    const reportId = await newReport(store, 'http://site.test/');
    await crawl(reportId, ['first', 'second']);
    const [webPageId = 0, otherId = 0] = await pagesOf(reportId);
    await recheckPage(store.db, reportId, webPageId);
    const answer = async (url: string) => {
      await deletePage(store.db, reportId, webPageId);
      return documentPage(document(url, 'changed'));
    };
    await refetchPages(store.db, await claimOf(reportId), answer, signal);
    assert.equal((await rowCounts(store.db))['documents'], 1);
    await deletePage(store.db, reportId, otherId);
    await purge();
  });

  test('does not conflict with new pages, re-checks and removals of the same documents', async () => {
    // So few documents that transactions mostly use the same ones.
    const texts = Array.from({ length: 6 }, (_, index) => `Document ${index}`);
    const pick = (...numbers: number[]) => numbers.map((number) => texts[number % texts.length] ?? '');
    const purgers = startPurgers();
    const life = async (seed: number): Promise<void> => {
      for (let round = 0; round < 6; round += 1) {
        const reportId = await newReport(store, `http://site-${seed}.test/`);
        const claim = await crawl(reportId, pick(seed + round, seed * 5 + round, seed + 3, round));
        const [first = 0, last = 0] = await pagesOf(reportId);
        await recheckPage(store.db, reportId, first);
        const answer = async (url: string) => documentPage(document(url, pick(seed * round)[0] ?? ''));
        await Promise.all([refetchPages(second.db, claim, answer, signal), deletePage(store.db, reportId, last)]);
        const orphans = await sql`SELECT FROM web_pages p WHERE report_id = ${reportId}
          AND NOT EXISTS (SELECT FROM documents d WHERE d.hash = p.document_hash)`.execute(store.db);
        assert.equal(orphans.rows.length, 0);
        await deleteReport(second.db, reportId);
      }
    };
    await Promise.all([1, 2, 3, 4].map(life));
    await purgers.stop();
    await purge();
  });

  test('of expired idempotency keys happens automatically', async () => {
    const { id: account_id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    const key = (hours: number) => {
      const inserted_at = new Date(systemClock().getTime() - hours * 3_600_000);
      return { account_id, key_hash: Buffer.from([hours]), request_hash: Buffer.of(), response: null, inserted_at };
    };
    await store.db
      .insertInto('idempotency_keys')
      .values([key(23), key(25)])
      .execute();
    const part = ({ response, ...row }: ReturnType<typeof key>) => ({ ...row, part: 'site', result: '"report"' });
    await store.db
      .insertInto('idempotent_parts')
      .values([part(key(23)), part(key(25))])
      .execute();
    const retention = startRetention({ db: store.db, clock: systemClock, log, days: null, auditDays: 365 });
    const kept = () => store.db.selectFrom('idempotency_keys').select('key_hash').execute();
    const keptParts = () => store.db.selectFrom('idempotent_parts').select('key_hash').execute();
    await until(async () => (await kept()).length === 1 && (await keptParts()).length === 1);
    await retention.stop();
    assert.deepEqual((await kept())[0]?.key_hash, Buffer.from([23]));
    assert.deepEqual((await keptParts())[0]?.key_hash, Buffer.from([23]));
    await store.db.deleteFrom('idempotency_keys').execute();
    await store.db.deleteFrom('idempotent_parts').execute();
  });

  test('of records of deletions happens automatically after more than a day', async () => {
    const { id: account_id } = await store.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    const record = (hours: number) => ({
      account_id,
      report_id: null,
      inserted_at: new Date(systemClock().getTime() - hours * 3_600_000),
    });
    await store.db.deleteFrom('report_absences').execute();
    await store.db
      .insertInto('report_absences')
      .values([record(24), record(26), record(48)])
      .execute();
    const retention = startRetention({ db: store.db, clock: systemClock, log, days: null, auditDays: 365 });
    const kept = () => store.db.selectFrom('report_absences').select('id').execute();
    await until(async () => (await kept()).length === 1);
    await retention.stop();
  });

  test('of old reports happens automatically, to the day', async () => {
    const ages = new Map<string, number>();
    for (const days of [0, 29, 30.5, 31, 400]) ages.set(await newReport(store, 'http://site.test/'), days);
    const now = systemClock();
    for (const [id, days] of ages) {
      const insertedAt = new Date(now.getTime() - days * DAY_MS);
      await store.db.updateTable('reports').set({ inserted_at: insertedAt }).where('id', '=', id).execute();
    }
    const kept = async () => {
      const rows = await store.db.selectFrom('reports').select('id').where('deleted_at', 'is', null).execute();
      return rows.map(({ id }) => ages.get(id)).sort();
    };
    const parts = { clock: () => now, log, days: 30 };
    await Promise.all([store.db, second.db, store.db].map((db) => deleteOldReports({ ...parts, db })));
    assert.deepEqual(await kept(), [0, 29]);
    // A service runs it at its start.
    const retention = startRetention({ ...parts, db: store.db, days: 1, auditDays: 365 });
    await until(async () => (await kept()).length === 1);
    await retention.stop();
    for (const id of ages.keys()) await deleteReport(store.db, id);
    await purge();
  });
});
