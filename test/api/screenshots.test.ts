import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { removeScreenshots } from '../../src/store/pages/screenshots.ts';
import { deletePage } from '../../src/store/reports/deletion.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { ABOUT, HOME, PICTURE, seedSample } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-02-01T10:20:30Z');

describe('screenshots', () => {
  let api: TestApi;
  let now = START;
  before(async () => {
    api = await startApi({ clock: () => new Date(now) });
  });
  after(() => api?.close());

  /** A report with a screenshot of its first page. */
  const seed = async (shared = false) => {
    now = START;
    const { reportId, pageIds } = await seedSample(api.db, { account_id: api.people.ownerId, shared });
    const pages = `/api/v1/reports/${reportId}/web_pages`;
    return { reportId, page: `${pages}/${pageIds.get(HOME)}`, other: `${pages}/${pageIds.get(ABOUT)}` };
  };
  const urlOf = async (page: string, token?: string): Promise<string> => {
    const reply = await api.get(`${page}/screenshot`, token);
    assert.equal(reply.status, 200, reply.text);
    return reply.document.data.attributes.image_url;
  };
  /** The status of an image that is requested without a token. */
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

  test('GET returns its attributes, and its image needs no token', async () => {
    const { page } = await seed();
    const link = (await api.get(page)).document.data.relationships.screenshot.links.related;
    const { data } = (await api.get(link)).document;
    assert.equal(data.type, 'screenshot');
    assert.equal(data.links.self, link);
    const { image_url: url, ...rest } = data.attributes;
    const expected = { width: 400, height: 300, scale: 0.5, clipped: false, taken_at: '2026-01-31T23:59:59' };
    assert.deepEqual(rest, expected);

    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.ok(PICTURE.equals(Buffer.from(await response.arrayBuffer())));
    const { headers } = response;
    assert.equal(headers.get('content-type'), 'image/webp');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    // Until 12:00.
    assert.equal(headers.get('cache-control'), 'private, max-age=5970, immutable');
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    assert.ok(!api.logLines.some((line) => line.includes(new URL(url).pathname)), 'the log has no URL of an image');
  });

  test('a URL is the same for an hour, and expires after two at most', async () => {
    const { page } = await seed();
    const url = await urlOf(page);
    now += HOUR_MS / 2;
    assert.equal(await urlOf(page), url);
    now += HOUR_MS;
    assert.notEqual(await urlOf(page), url);
    assert.equal(await statusOf(url), 200);
    now += HOUR_MS / 2;
    assert.equal(await statusOf(url), 404);
  });

  test('no other URL shows an image', async () => {
    const { page } = await seed();
    const { page: another } = await seed();
    const url = await urlOf(page);
    const parts = new URL(url).pathname.split('/').at(-1)?.split('.') ?? [];
    assert.equal(parts.length, 4);
    const changed = [
      [another.split('/').at(-1), parts[1], parts[2], parts[3]],
      [parts[0], Number(parts[1]) + 1, parts[2], parts[3]],
      [parts[0], parts[1], 'r', parts[3]],
      [parts[0], parts[1], parts[2], 'A'.repeat(43)],
      [parts[0], parts[1], parts[2], ''],
      [parts[0]],
      [],
    ];
    for (const name of changed) assert.equal(await statusOf(`${api.origin}/screenshots/${name.join('.')}`), 404);
  });

  test('the last page of a report is deleted while the next report loses the same image', async () => {
    const url = 'https://example.com/';
    const a11y = { status: 'checked', screenshot: Buffer.from('The same picture') } as const;
    const seedOne = () => seedReport(api.db, { account_id: api.people.ownerId }, ['a11y'], [{ url, checks: { a11y } }]);
    const [before, after] = [await seedOne(), await seedOne()];
    await sql`INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
      VALUES (${after.reportId}, ${before.reportId}, true, now(), now())`.execute(api.db);
    const [pageBefore = 0, pageAfter = 0] = [before, after].map(({ pageIds }) => pageIds.get(url));
    const deletion = await reportTransaction(api.db, after.reportId, async ({ trx }) => {
      const deleting = deletePage(api.db, before.reportId, pageBefore);
      deleting.catch(() => undefined);
      await waitingForLocks(api.db, 1);
      await removeScreenshots(trx, [pageAfter]);
      return { deleting };
    });
    await deletion?.deleting;
    assert.equal((await api.get(`/api/v1/reports/${before.reportId}`)).status, 404);
  });

  test('the image of a page that has another one, or none, is gone', async () => {
    const { page, reportId } = await seed();
    const url = await urlOf(page);
    const other = Buffer.concat([PICTURE, Buffer.from('other')]);
    const insert = sql`INSERT INTO screenshot_images (hash, image, width, height) VALUES (sha256(${other}), ${other}, 1, 1)`;
    await insert.execute(api.db);
    await sql`UPDATE screenshots SET image_hash = sha256(${other})`.execute(api.db);
    assert.equal(await statusOf(url), 404);
    const next = await urlOf(page);
    assert.equal(await statusOf(next), 200);
    await api.send('DELETE', `/api/v1/reports/${reportId}`);
    assert.equal(await statusOf(next), 404);
    assert.equal((await api.get(`${page}/screenshot`)).status, 404);
  });

  test('readers of a shared report get URLs that expire when the sharing ends', async () => {
    const { page, reportId } = await seed();
    const share = async (shared: boolean) =>
      (await api.send('PATCH', `/api/v1/reports/${reportId}`, { attributes: { shared } })).document.data.attributes;
    const link = String((await share(true)).share_url)
      .split('/')
      .at(-1);
    const owners = await urlOf(page);
    const readers = [await urlOf(page, api.people.stranger), await urlOf(page, link)];
    for (const url of [owners, ...readers]) assert.equal(await statusOf(url), 200);
    await share(false);
    for (const url of readers) assert.equal(await statusOf(url), 404);
    assert.equal(await statusOf(owners), 200);
  });

  test('readers with a share link of the site get URLs that expire with this link', async () => {
    const { page, reportId } = await seed();
    const row = api.db.selectFrom('reports').select('site_id').where('id', '=', reportId);
    const attributes = { site_id: (await row.executeTakeFirstOrThrow()).site_id };
    const links = [1, 2].map(() => api.send('POST', '/api/v1/share_links', { attributes }));
    const [one, other] = (await Promise.all(links)).map(({ document }) => document.data);
    const urls: string[] = [];
    for (const { attributes: of } of [one, other]) urls.push(await urlOf(page, of.share_url.split('/').at(-1)));
    const statuses = () => Promise.all(urls.map(statusOf));
    assert.deepEqual(await statuses(), [200, 200]);
    await api.send('DELETE', `/api/v1/share_links/${one.id}`);
    assert.deepEqual(await statuses(), [404, 200]);
    await api.send('PATCH', `/api/v1/sites/${attributes.site_id}`, { attributes: { archived: true } });
    assert.deepEqual(await statuses(), [404, 404]);
  });

  test('are visible only to the owner if the report signs in', async () => {
    const { page, reportId } = await seed(true);
    const readers = await urlOf(page, api.people.stranger);
    await sql`UPDATE reports SET site_access = 'sealed' WHERE id = ${reportId}`.execute(api.db);
    assert.equal(await statusOf(readers), 404);
    assert.deepEqual((await api.get(`${page}/screenshot`, api.people.stranger)).errors, ['403 forbidden']);
    assert.ok(!('screenshot' in (await api.get(page, api.people.stranger)).document.data.relationships));
    assert.ok('screenshot' in (await api.get(page)).document.data.relationships);
    assert.equal(await statusOf(await urlOf(page)), 200);
  });

  test('a page without a screenshot has no link to it, and the reason if there is one', async () => {
    const { other } = await seed();
    assert.ok(!('screenshot' in (await api.get(other)).document.data.relationships));
    assert.deepEqual((await api.get(`${other}/screenshot`)).errors, ['404 not_found']);

    const checks = { a11y: { status: 'checked' } } as const;
    const { reportId, pageIds } = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['a11y'],
      [{ url: HOME, checks }],
    );
    const notes = JSON.stringify([{ code: 'screenshot_late', params: { seconds: 10 } }]);
    await sql`UPDATE checks SET notes = ${notes} WHERE report_id = ${reportId}`.execute(api.db);
    const page = `/api/v1/reports/${reportId}/web_pages/${pageIds.get(HOME)}`;
    const note = 'No screenshot: the browser did not take it within 10 seconds.';
    assert.equal((await api.get(page)).document.data.attributes.a11y_check.note, note);
    assert.equal((await api.get(`${page}/screenshot`)).document.errors[0].detail, note);
  });

  test('only plans with Pro features can request them', async () => {
    const attributes = { starting_url: HOME, store_screenshots: true, perform_a11y_checks: true };
    const created = await api.send('POST', '/api/v1/reports', { attributes });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.document.data.attributes.store_screenshots, true);
    const wanted = { starting_url: HOME, store_screenshots: true };
    const refused = await api.send('POST', '/api/v1/reports', { token: api.people.free, attributes: wanted });
    assert.deepEqual(refused.errors, ['403 pro_required /data/attributes/store_screenshots']);
  });
});
