import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import { fetchesInFlightMax } from '../../src/spider/limits.ts';
import { crawled, newReport, openTestStore, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Servers that never respond hold up only the reports of one account. */

const store = await openTestStore();
after(() => store.close());
afterEach(() => store.db.deleteFrom('reports').execute());

let people = 0;
async function person(): Promise<string> {
  people += 1;
  return (await createAccount(store.db, { email: `person-${people}@example.com` })).id;
}

/** Where another account's site is while a server does not respond to any report of an account, and the limit of each host. */
const SITES = {
  'another host': { hostRateLimit: 100, urlOf: (origin: string) => origin.replace('127.0.0.1', 'localhost') },
  'the same server': { hostRateLimit: 3, urlOf: (_origin: string, silentOrigin: string) => `${silentOrigin}/one` },
};

for (const [where, { hostRateLimit, urlOf }] of Object.entries(SITES)) {
  test(`two pages on ${where} are crawled while pages of another account are silent`, async (t) => {
    const pages = { '/one': '<a href=/two>Two</a>', '/two': '<p>Two' };
    const silent = await siteWith(t, { ...pages, '/': () => undefined });
    const site = await siteWith(t, { ...pages, '/': pages['/one'] });
    const [greedy, modest] = [await person(), await person()];
    // More than one process crawls at a time, and all are of one host, which one process crawls.
    const waiting: string[] = [];
    for (let index = 0; index < 80; index += 1)
      waiting.push(await newReport(store, `${silent.origin}/`, { accountId: greedy }));
    const crawlers = [
      await startTestCrawler(store, undefined, { hostRateLimit }),
      await startTestCrawler(store, undefined, { hostRateLimit }),
    ];
    t.after(() => Promise.all(crawlers.map((crawler) => crawler.stop())));
    const running = () => store.db.selectFrom('reports').select('id').where('crawled_by', 'is not', null).execute();
    await until(async () => (await running()).length >= 64 && silent.requests.length >= fetchesInFlightMax);
    const small = await newReport(store, urlOf(site.origin, silent.origin), { accountId: modest });
    await crawled(store, small);
    const ended = store.db.selectFrom('reports').select('id').where('crawl_pending', '=', false);
    assert.deepEqual(await ended.where('id', 'in', waiting).execute(), []);
    assert.equal((await reportOf(store, small)).num_pages, 2);
  });
}
