import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { HTML_ISSUE_TYPES, occurrence } from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 31);

describe('share links of sites and tags', () => {
  let api: TestApi;
  let hosts = 0;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** A new address, for a new site. */
  const newHome = (): string => {
    hosts += 1;
    return `https://shop-${hosts}.example/`;
  };

  /** Seeds a report of a site that finished some days ago. @returns its id and its site's */
  const seedRun = async (
    home: string,
    daysAgo: number,
    report: Partial<Parameters<typeof seedReport>[1]> = {},
    errors = 1,
  ): Promise<{ reportId: string; siteId: string }> => {
    const issue = { kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(1)] };
    const pages: SeedPage[] = [
      { url: home, checks: { html: { status: 'checked', issues: errors > 0 ? [issue] : [] } } },
    ];
    const time = new Date(NOW - daysAgo * DAY_MS);
    const ofTime = { inserted_at: time, finished_at: time };
    const { reportId } = await seedReport(
      api.db,
      { account_id: api.people.ownerId, ...ofTime, ...report },
      ['html'],
      pages,
    );
    const row = api.db.selectFrom('reports').select('site_id').where('id', '=', reportId);
    return { reportId, siteId: (await row.executeTakeFirstOrThrow()).site_id };
  };

  const create = async (attributes: object): Promise<Item> => {
    const reply = await api.send('POST', '/api/v1/share_links', { attributes });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };
  const secretOf = ({ attributes: { share_url: url } }: Item): string => {
    assert.ok(url.startsWith(`${api.origin}/latest/`), url);
    return url.split('/').at(-1);
  };
  const sitesOf = (secret: string) => api.get('/api/v1/share/sites', secret);
  const newestOf = async (secret: string): Promise<string> =>
    (await sitesOf(secret)).document.data[0].relationships.last_report.links.related.split('/').at(-1);

  test('the link of a site shows its newest complete report, its earlier ones, and nothing else', async () => {
    const home = newHome();
    const first = await seedRun(home, 30);
    const failed = await seedRun(home, 29, { status: 'failed' });
    const second = await seedRun(home, 20);
    // A failed report that is being checked again has not finished yet.
    const again = await seedRun(home, 15, { status: 'failed' });
    await api.db.updateTable('reports').set({ status: 'checking' }).where('id', '=', again.reportId).execute();
    const stopped = await seedRun(home, 10, { crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }) });
    const running = await seedRun(home, 0, { status: 'checking', finished_at: null });
    const secret = secretOf(await create({ site_id: first.siteId }));
    assert.equal(await newestOf(secret), second.reportId);
    const [site] = (await sitesOf(secret)).document.data;
    assert.deepEqual(
      site.attributes.runs.map((run: { report_id: string }) => run.report_id),
      [second.reportId, first.reportId],
    );
    for (const { reportId } of [first, second]) {
      const read = await api.get(`/api/v1/reports/${reportId}`, secret);
      assert.equal(read.status, 200, read.text);
      assert.equal(read.document.data.attributes.shared_by, 'Owner');
      assert.ok(!('share_url' in read.document.data.attributes));
      assert.ok(!('change' in read.document.data.attributes));
      assert.ok(!('site' in read.document.data.relationships));
      assert.equal((await api.get(`/api/v1/reports/${reportId}/web_pages`, secret)).status, 200);
    }
    for (const { reportId } of [failed, again, stopped, running, await seedRun(newHome(), 1)]) {
      assert.deepEqual((await api.get(`/api/v1/reports/${reportId}`, secret)).errors, ['404 not_found']);
    }
    // A newer report is shown as soon as it has finished.
    const third = await seedRun(home, 0);
    assert.equal(await newestOf(secret), third.reportId);
  });

  test('quick checks between full ones are left out, unless their settings are the saved ones of the site', async () => {
    const home = newHome();
    const pages = (max: number) => ({ max_pages: max, num_pages: max });
    const first = await seedRun(home, 60, pages(20));
    const weekly = await seedRun(home, 8, pages(500));
    await seedRun(home, 7, pages(20));
    await seedRun(home, 6, { ...pages(400), max_pages: 500, inclusions: [`${home}shop/`] });
    const smaller = await seedRun(home, 5, { ...pages(400), max_pages: 500 });
    const exhausted = await seedRun(home, 4, { max_pages: 450, num_pages: 400 });
    const quick = await seedRun(home, 0, pages(20));
    const secret = secretOf(await create({ site_id: first.siteId }));
    const shown = async () =>
      (await sitesOf(secret)).document.data[0].attributes.runs.map((run: { report_id: string }) => run.report_id);
    assert.deepEqual(
      await shown(),
      [exhausted, smaller, weekly, first].map(({ reportId }) => reportId),
    );
    const since = async () =>
      (await api.get(`/api/v1/sites/${first.siteId}/comparison?since=previous`, secret)).document.data.attributes;
    assert.deepEqual(
      [(await since()).now.report_id, (await since()).before.report_id],
      [exhausted.reportId, smaller.reportId],
    );
    // A link that was copied before opens it.
    assert.equal((await api.get(`/api/v1/reports/${quick.reportId}`, secret)).status, 200);
    await api.send('PATCH', `/api/v1/sites/${first.siteId}`, { attributes: { max_pages: 20 } });
    assert.equal((await shown())[0], quick.reportId);
    await api.send('PATCH', `/api/v1/sites/${first.siteId}`, { attributes: { max_pages: 30 } });
    assert.equal((await shown())[0], exhausted.reportId);
  });

  test('a report without a check that another report of the last weeks has is left out', async () => {
    const home = newHome();
    const both = async (daysAgo: number) => {
      const run = await seedRun(home, daysAgo);
      await api.db.insertInto('report_checks').values({ report_id: run.reportId, kind: 'link', position: 2 }).execute();
      return run;
    };
    const full = await both(3);
    await seedRun(home, 2);
    const secret = secretOf(await create({ site_id: full.siteId }));
    assert.equal(await newestOf(secret), full.reportId);
    const monthly = await both(-40);
    assert.equal(await newestOf(secret), monthly.reportId);
    const later = await seedRun(home, -80);
    assert.equal(await newestOf(secret), later.reportId);
  });

  test('the link of a tag opens every site with it, ignoring case, including later ones', async () => {
    const [one, two, other] = [newHome(), newHome(), newHome()];
    const first = await seedRun(one, 3, { tags: ['Bakery', 'north'] });
    await seedRun(other, 3, { tags: ['other'] });
    const link = await create({ tag: 'bakery', name: 'Ada' });
    assert.deepEqual([link.attributes.tag, link.attributes.name, link.attributes.num_sites], ['bakery', 'Ada', 1]);
    const secret = secretOf(link);
    const addresses = async () =>
      (await sitesOf(secret)).document.data.map((site: Item) => site.attributes.starting_url).toSorted();
    assert.deepEqual(await addresses(), [one]);
    const second = await seedRun(two, 2, { tags: ['bakery'] });
    assert.deepEqual(await addresses(), [one, two].toSorted());
    assert.deepEqual((await sitesOf(secret)).document.meta.tag, 'bakery');
    // Without the tag, a site and its reports are closed again.
    await api.send('PATCH', `/api/v1/sites/${first.siteId}`, { attributes: { tags: 'north' } });
    assert.deepEqual(await addresses(), [two]);
    assert.deepEqual((await api.get(`/api/v1/reports/${first.reportId}`, secret)).errors, ['404 not_found']);
    assert.deepEqual((await api.get(`/api/v1/share/sites/${first.siteId}`, secret)).errors, ['404 not_found']);
    await api.send('PATCH', `/api/v1/sites/${second.siteId}`, { attributes: { tags: '' } });
    assert.deepEqual((await sitesOf(secret)).errors, ['401 invalid_token']);
    assert.deepEqual((await api.send('GET', new URL(link.attributes.share_url).pathname, { token: null })).status, 404);
  });

  test('sites of other accounts with the tag are not opened', async () => {
    const link = secretOf(await create({ tag: 'common' }));
    await seedRun(newHome(), 1, { account_id: api.people.strangerId, tags: ['common'] });
    assert.deepEqual((await sitesOf(link)).errors, ['401 invalid_token']);
    const { siteId } = await seedRun(newHome(), 1, { tags: ['common'] });
    assert.deepEqual(
      (await sitesOf(link)).document.data.map(({ id }: Item) => id),
      [siteId],
    );
  });

  test('archiving, deleting and revoking end what a link shows', async () => {
    const archived = await seedRun(newHome(), 1);
    const ofArchived = await create({ site_id: archived.siteId });
    const path = new URL(ofArchived.attributes.share_url).pathname;
    const browse = async () => (await api.send('GET', path, { token: null, headers: { accept: 'text/html' } })).status;
    assert.equal(await browse(), 200);
    const { headers } = await api.send('GET', path, { token: null, headers: { accept: 'text/html' } });
    assert.deepEqual(
      ['x-robots-tag', 'referrer-policy', 'cache-control'].map((name) => headers[name]),
      ['noindex', 'no-referrer', 'no-store'],
    );
    await api.send('PATCH', `/api/v1/sites/${archived.siteId}`, { attributes: { archived: true } });
    assert.deepEqual((await sitesOf(secretOf(ofArchived))).errors, ['401 invalid_token']);
    assert.equal(await browse(), 404);
    assert.equal((await api.get(`/api/v1/share_links/${ofArchived.id}`)).document.data.attributes.num_sites, 0);
    await api.send('PATCH', `/api/v1/sites/${archived.siteId}`, { attributes: { archived: false } });
    assert.equal(await browse(), 200);

    const deleted = await seedRun(newHome(), 1);
    const ofDeleted = await create({ site_id: deleted.siteId });
    await api.send('DELETE', `/api/v1/sites/${deleted.siteId}`);
    assert.deepEqual((await sitesOf(secretOf(ofDeleted))).errors, ['401 invalid_token']);
    assert.deepEqual((await api.get(`/api/v1/share_links/${ofDeleted.id}`)).errors, ['404 not_found']);

    assert.equal((await api.send('DELETE', `/api/v1/share_links/${ofArchived.id}`)).status, 204);
    assert.deepEqual((await sitesOf(secretOf(ofArchived))).errors, ['401 invalid_token']);
    assert.equal(await browse(), 404);
  });

  test('the links of a merged site open the site that it became', async () => {
    const [former, into] = [await seedRun(newHome(), 2), await seedRun(newHome(), 1)];
    const secret = secretOf(await create({ site_id: former.siteId }));
    await api.send('POST', `/api/v1/sites/${former.siteId}/merge`, { attributes: { into: into.siteId } });
    assert.deepEqual(
      (await sitesOf(secret)).document.data.map(({ id }: Item) => id),
      [into.siteId],
    );
  });

  test('only its owner sees a link, without its secret if the token is read-only', async () => {
    const { reader, stranger } = api.people;
    const { siteId } = await seedRun(newHome(), 1);
    const { id } = await create({ site_id: siteId });
    const path = `/api/v1/share_links/${id}`;
    assert.ok(!('share_url' in (await api.get(path, reader)).document.data.attributes));
    assert.deepEqual((await api.get(path, stranger)).errors, ['404 not_found']);
    assert.deepEqual(
      (await api.walk(`/api/v1/share_links?filter[site_id]=${siteId}`)).map((link) => link.id),
      [id],
    );
    const other = await create({ tag: 'Straße' });
    assert.deepEqual(
      (await api.walk('/api/v1/share_links?filter[tag]=STRASSE')).map((link) => link.id),
      [other.id],
    );
  });

  test('a link needs exactly one target, which belongs to its owner', async () => {
    const { siteId } = await seedRun(newHome(), 1, { account_id: api.people.strangerId });
    for (const [attributes, error] of [
      [{}, '422 invalid /data/attributes/site_id'],
      [{ site_id: siteId, tag: 'x' }, '422 invalid /data/attributes/tag'],
      [{ tag: ' ' }, '422 invalid /data/attributes/tag'],
      [{ tag: 'a,b' }, '422 invalid /data/attributes/tag'],
      [{ site_id: siteId }, '422 invalid'],
    ] as const) {
      assert.deepEqual((await api.send('POST', '/api/v1/share_links', { attributes })).errors, [error]);
    }
  });

  test('a link opens its sites and their reports, read-only, and no other endpoint', async () => {
    const values = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    const secret = secretOf(await create({ site_id: values['site_id'] }));
    for (const { method, path } of ENDPOINTS) {
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
      const { status, text } = await api.send(method, `/api/v1${url}`, { token: secret });
      const isOpen = /^\/(events$|reports\/\{|share\/sites|sites\/\{site_id\}\/comparison)/.test(path);
      if (method !== 'GET') assert.equal(status, 403, `${method} ${path}: ${text}`);
      else if (isOpen) assert.ok([200, 400, 404].includes(status), `${path}: ${text}`);
      else assert.equal(status, 403, `${path}: ${text}`);
    }
  });
});
