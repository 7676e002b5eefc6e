import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { REPORT_COLUMNS, type ReportAttribute } from '../../src/domain/report-attributes.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { previousReport } from '../../src/store/reports/sites.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';

const DEVICE = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

let store: TestStore;
before(async () => {
  store = await openTestStore();
});
after(() => store?.close());

const siteOf = async (reportId: string): Promise<string | undefined> => {
  const query = store.db.selectFrom('reports').select('site_id').where('id', '=', reportId);
  return (await query.executeTakeFirstOrThrow()).site_id;
};

/** Another valid value of an attribute, the default one or not. */
function otherValue({ default: value, notation }: ReportAttribute): unknown {
  if (notation === 'device_id') return DEVICE;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return Array.isArray(value) ? ['/a'] : 'http://other.test/';
}

test('reports are of one site if they have the same settings, apart from settings that do not decide what is checked', async () => {
  const site = await siteOf(await newReport(store, 'http://site.test/'));
  assert.equal(await siteOf(await newReport(store, 'http://site.test/')), site);
  for (const [name, attribute] of Object.entries<ReportAttribute>(REPORT_COLUMNS)) {
    const other = await newReport(store, 'http://site.test/', { [name]: otherValue(attribute) });
    assert.equal((await siteOf(other)) !== site, attribute.isOfSite, name);
  }
  const both = await siteOf(await newReport(store, 'http://site.test/', { checks: ['html', 'a11y'] }));
  assert.notEqual(both, site);
  assert.equal(await siteOf(await newReport(store, 'http://site.test/', { checks: ['a11y', 'html'] })), both);
  const signingIn = (value: string) => ({ siteAccess: { ...NO_ACCESS, cookies: { session: value } } });
  const inside = await siteOf(await newReport(store, 'http://site.test/', signingIn('first')));
  assert.notEqual(inside, site);
  assert.equal(await siteOf(await newReport(store, 'http://site.test/', signingIn('renewed'))), inside);
  await newReport(store, 'http://site.test/', { exclusions: ['/lone-\ud800'] });
});

test('the key of a site stays what it is in existing databases: a hash of the settings that differ from the defaults', async () => {
  const site = await siteOf(await newReport(store, 'http://pinned.test/', { checks: ['html', 'a11y'] }));
  const query = store.db
    .selectFrom('sites')
    .select('key')
    .where('id', '=', site ?? '');
  const text = '{"checks": ["a11y", "html"], "max_pages": 100, "starting_url": "http://pinned.test/"}';
  assert.deepEqual((await query.executeTakeFirstOrThrow()).key, createHash('sha256').update(text).digest());
});

test('the previous report is the latest finished one of the site, neither failed nor deleted', async () => {
  const url = 'http://previous.test/';
  const end = async (reportId: string, status: 'finished' | 'failed') => {
    const values = { finished_at: new Date(), status, crawl_pending: false };
    await reportTransaction(store.db, reportId, async ({ trx, markUnchanged }) => {
      await trx.updateTable('reports').set(values).where('id', '=', reportId).execute();
      markUnchanged();
    });
    return reportId;
  };
  const first = await end(await newReport(store, url), 'finished');
  const second = await end(await newReport(store, url), 'finished');
  const third = await end(await newReport(store, url), 'finished');
  await end(await newReport(store, url), 'failed');
  await newReport(store, url);
  const last = await newReport(store, url);
  const before = async (reportId: string) => (await previousReport(store.db, reportId))?.id;
  assert.equal(await before(last), third);
  await deleteReport(store.db, third);
  assert.equal(await before(last), second);
  assert.equal(await before(second), first);
  assert.equal(await before(first), undefined);
});
