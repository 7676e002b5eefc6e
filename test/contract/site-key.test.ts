import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { REPORT_COLUMNS, type ReportAttribute } from '../../src/domain/report-attributes.ts';
import { columnsOf, DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { changeReport } from '../../src/store/change-report.ts';
import { deleteReport } from '../../src/store/deletion.ts';
import { previousReport, siteFor } from '../../src/store/sites.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const THIS = '0048_sites.sql';
const DEVICE = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

let store: TestStore;
let client: Client;
before(async () => {
  store = await openTestStore();
  client = new Client({ connectionString: store.connectionString });
  await client.connect();
});
after(async () => {
  await client?.end();
  await store?.close();
});

const rows = async (text: string): Promise<Record<string, string>[]> => (await client.query(text)).rows;
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

test('reports are of one site if they have the same settings, apart from those that do not decide what is checked', async () => {
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

test('the previous report is the latest finished one of the site, neither failed nor deleted', async () => {
  const url = 'http://previous.test/';
  const end = async (reportId: string, status: 'finished' | 'failed') => {
    const values = { finished_at: new Date(), status, crawl_pending: false };
    await changeReport(store.db, reportId, async ({ trx, markUnchanged }) => {
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

test('reports of earlier versions get the sites that new reports would have', async () => {
  await client.query('CREATE SCHEMA earlier; SET search_path TO earlier, public');
  const apply = async (name: string) => client.query(await readFile(new URL(name, MIGRATIONS), 'utf8'));
  const names = (await readdir(MIGRATIONS)).sort();
  for (const name of names.slice(0, names.indexOf(THIS))) await apply(name);
  await client.query(`INSERT INTO accounts (id, email) VALUES ('${store.accountId}', 'a@example.com')`);
  const insert = async (pages: number, tags: string) => {
    const [report] = await rows(`
      INSERT INTO reports (account_id, starting_url, domain, max_pages, rate_limit, deep_crawl, prefer_canonical_urls,
        initial_urls, exclusions, device_id, wait_for, tags)
      VALUES ('${store.accountId}', 'http://old.test/ü?"', 'old.test', ${pages}, 3, false, true,
        '{http://old.test/a,"http://old.test/b"}', '{/x}', '${DEVICE}', 'main[data-ready="1"]', '${tags}') RETURNING id`);
    await rows(
      `INSERT INTO report_checks (report_id, kind, position) VALUES ('${report?.['id']}', 'html', 0), ('${report?.['id']}', 'a11y', 1)`,
    );
    return report?.['id'];
  };
  const ids = [await insert(7, '{}'), await insert(7, '{a}'), await insert(8, '{}')];

  await client.query('BEGIN');
  await apply(THIS);
  await client.query('COMMIT');
  const [first, second, third] = await rows('SELECT id, site_id FROM reports ORDER BY max_pages, id');
  assert.deepEqual([first?.['id'], second?.['id'], third?.['id']], ids);
  assert.equal(first?.['site_id'], second?.['site_id']);
  assert.notEqual(first?.['site_id'], third?.['site_id']);
  const columns = columnsOf({
    ...DEFAULT_DEFINITION,
    starting_url: 'http://old.test/ü?"',
    max_pages: 7,
    deep_crawl: false,
    initial_urls: ['http://old.test/a', 'http://old.test/b'],
    exclusions: ['/x'],
    device_id: DEVICE,
    wait_for: 'main[data-ready="1"]',
  });
  const settings = { columns, checks: ['html', 'a11y'], signsIn: false };
  const id = await store.db.transaction().execute((trx) => siteFor(trx, store.accountId, settings));
  const [same] = await rows(`
    SELECT new.key = old.key AS same FROM public.sites new, sites old
    WHERE new.id = '${id}' AND old.id = '${first?.['site_id']}'`);
  assert.deepEqual(same, { same: true });
});
