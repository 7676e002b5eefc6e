import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { ABOUT, HOME, SITE, seedSample } from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

const SEARCH = '/api/v1/search?q=';
const page = (url: string, title: string | null = null): SeedPage => ({ url, title, checks: {} });

describe('search', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const search = async (text: string, token = api.people.owner): Promise<Item[]> => {
    const reply = await api.get(`${SEARCH}${encodeURIComponent(text)}`, token);
    assert.equal(reply.status, 200, reply.text);
    return reply.document.data;
  };
  const titles = async (text: string, resource: string, token?: string): Promise<string[]> =>
    (await search(text, token))
      .filter(({ attributes }) => attributes.resource === resource)
      .map(({ attributes }) => attributes.title);

  test('finds reports, pages, common issues and schedules, each with its path and its URL', async () => {
    const { reportId, pageIds } = await seedSample(api.db, { account_id: api.people.ownerId, starting_url: HOME });
    const attributes = { starting_url: HOME, periodicity: { every: 'day' } };
    const schedule = (await api.send('POST', '/api/v1/schedules', { attributes })).document.data;
    const found = [...(await search('EXAMPLE.com')), ...(await search('must ')), ...(await search('duplicate id'))];
    for (const { links, attributes: shown } of found) {
      const { data } = (await api.get(links.self)).document;
      assert.equal(data.type, shown.resource);
    }
    const paths = found.map(({ attributes: { path } }) => path);
    for (const path of [
      `/reports/${reportId}`,
      `/reports/${reportId}/pages/${pageIds.get(ABOUT)}`,
      `/schedules/${schedule.id}`,
    ]) {
      assert.ok(paths.includes(path), `${path} is not among ${paths.join(', ')}`);
    }
    for (const engine of ['accessibility', 'html']) {
      assert.ok(
        paths.some((path) => new RegExp(`^/reports/${reportId}/${engine}/\\d+$`).test(path)),
        engine,
      );
    }
    await api.send('DELETE', `/api/v1/schedules/${schedule.id}`);
    await api.send('DELETE', `/api/v1/reports/${reportId}`);
    assert.deepEqual(await search('example.com'), []);
  });

  test('whole matches come first, then beginnings, then others, each newest first; at most five of a type', async () => {
    const urls = ['/a/bread', '/bread', '/b/bread', '/bread/rye', '/c/bread', '/bread/oat', '/d/bread'].map(
      (path) => `https://bakery.test${path}`,
    );
    const start = { account_id: api.people.ownerId, starting_url: 'https://bakery.test/', domain: 'bakery.test' };
    await seedReport(
      api.db,
      { ...start, status: 'finished' },
      ['html'],
      [
        ...urls.map((url) => page(url)),
        page('https://bakery.test/x', 'Bread'),
        page('https://bakery.test/y', 'Breads'),
        page('https://bakery.test/z', 'Our bread'),
      ],
    );
    assert.deepEqual(await titles('bread', 'web_page'), ['Bread', 'Breads', 'Our bread', urls[6], urls[5]]);
    assert.deepEqual(await titles('bakery.test/bread', 'web_page'), [urls[1], urls[5], urls[3]]);
    await api.db
      .updateTable('web_pages')
      .set({ reached_url: 'https://bakery.test/Cart?order=1' })
      .where('title', '=', 'Breads')
      .execute();
    assert.deepEqual(await titles('bakery.test/cart', 'web_page'), ['Breads']);
    assert.deepEqual(await titles('https://bakery.test', 'report'), ['https://bakery.test/']);
  });

  test('every character is literal', async () => {
    const start = { account_id: api.people.ownerId, starting_url: 'https://literal.test/', domain: 'literal.test' };
    const url = `https://literal.test/100%25_\\'"(a|b)*ÄÖ`;
    await seedReport(api.db, start, ['html'], [page(url), page('https://literal.test/100x25')]);
    for (const text of ['100%25', '%25_', "_\\'", '(A|B)*', 'äö']) {
      assert.deepEqual(await titles(text, 'web_page'), [url], text);
    }
    for (const text of ['100_25', '.*', '%25%', '\\\\', '💥', 'a|c']) {
      assert.deepEqual(await titles(text, 'web_page'), [], text);
    }
  });

  test('pages come from the latest finished report of a site', async () => {
    const start = { account_id: api.people.ownerId, starting_url: 'https://again.test/', domain: 'again.test' };
    const run = (status: 'finished' | 'crawling', path: string) =>
      seedReport(api.db, { ...start, status }, ['html'], [page(`https://again.test/${path}`)]);
    await run('finished', 'before');
    await run('finished', 'latest');
    await run('crawling', 'unfinished');
    assert.deepEqual(await titles('again.test/', 'web_page'), ['https://again.test/latest']);
    assert.equal((await titles('again.test', 'report')).length, 3);
  });

  test('the newest reports are searched first, however many common issues older ones have', async () => {
    const seed = async (site: string, kinds: number): Promise<void> => {
      const start = { account_id: api.people.ownerId, starting_url: site, status: 'finished' } as const;
      const { reportId } = await seedReport(api.db, start, ['html'], [page(site)]);
      await sql`
        INSERT INTO common_issues (report_id, kind, key, fingerprint, issue_type, message, how_many)
        SELECT ${reportId}, 'html', int4send(n), int4send(n), 'error', 'needle ' || ${site} || n, 1
        FROM generate_series(1, ${kinds}::integer) n`.execute(api.db);
    };
    for (const site of ['https://oldest.test/', 'https://older.test/']) await seed(site, 12_000);
    await seed('https://newest.test/', 5);
    assert.equal((await titles('needle https://newest', 'common_html_issue')).length, 5);
    assert.equal((await titles('needle https://older', 'common_html_issue')).length, 5);
  });

  test('each account finds its own resources and the resources of its guests', async () => {
    const { guest, guestId, guestAccountId, stranger, free, freeId } = api.people;
    await seedSample(api.db, { account_id: guestId, guest_account_id: guestAccountId, shared: true });
    for (const token of [guest, api.people.owner]) {
      assert.ok((await titles(SITE, 'web_page', token)).length > 0);
      assert.ok((await titles('alternative text', 'common_a11y_issue', token)).length > 0);
    }
    assert.deepEqual(await search('e', stranger), []);
    await seedSample(api.db, { account_id: freeId });
    assert.ok((await titles('duplicate', 'common_html_issue', free)).length > 0);
    assert.deepEqual(await titles('alternative text', 'common_a11y_issue', free), []);
  });

  test('requires a text of 1 to 200 characters', async () => {
    for (const query of ['', '?q=', `?q=${'x'.repeat(201)}`, '?q=%00', '?q=a&q=b']) {
      assert.deepEqual((await api.get(`/api/v1/search${query}`)).errors, ['400 invalid_parameter q'], query);
    }
    assert.equal((await api.get(`${SEARCH}${'x'.repeat(200)}`)).status, 200);
    const { document } = await api.get(`${SEARCH}e&page[size]=2&page[number]=2`);
    assert.equal(document.data.length, 2);
  });

  test('many searches of an account do not keep others waiting', async () => {
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const holder = api.db.transaction().execute(async (trx) => {
      await sql`LOCK TABLE web_pages IN ACCESS EXCLUSIVE MODE`.execute(trx);
      isLocked();
      await unlocked;
    });
    await locked;
    let answered = 0;
    const searches = Array.from({ length: 20 }, async () => {
      await search('bread');
      answered += 1;
    });
    await waitingForLocks(api.db, 1);
    assert.equal((await api.get('/api/v1/account', api.people.stranger)).status, 200);
    assert.equal(answered, 0);
    unlock();
    await Promise.all([holder, ...searches]);
    assert.equal(answered, 20);
  });
});
