import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { saveResources } from '../../src/store/pages/resource-lists.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { newReport, openTestStore } from '../helpers/crawler.ts';

const store = await openTestStore();
after(() => store.close());

test('a list of resources is stored without characters that PostgreSQL refuses in JSON', async () => {
  const reportId = await newReport(store, 'http://site.test/');
  const resource = { url: 'http://site.test/a.json', type: 'fetch', status: 200, conditions: {}, content: null };
  const resources = [{ ...resource, headers: { 'x-nul': 'a\0b', 'x-lone': '\ud800' } }];
  await reportTransaction(store.db, reportId, (change) =>
    saveResources(change, new Map([['00'.repeat(32), resources]])),
  );
  const stored = await store.db.selectFrom('resource_lists').select('resources').executeTakeFirstOrThrow();
  assert.deepEqual(stored.resources, [{ ...resource, headers: { 'x-nul': 'a\uFFFDb', 'x-lone': '\uFFFD' } }]);
});
