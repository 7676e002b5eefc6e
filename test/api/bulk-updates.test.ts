import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { seedReport } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';

describe('bulk updates', () => {
  let api: TestApi;
  const ids = new Map<string, string>();
  before(async () => {
    api = await startApi();
    for (const [name, tags] of [
      ['A', 'shop'],
      ['B', 'Shop, blog'],
      ['C', 'blog'],
      ['D', ''],
    ] as const) {
      const attributes = { name, starting_url: `https://${name.toLowerCase()}.example/`, tags };
      ids.set(name, (await api.send('POST', '/api/v1/sites', { attributes })).document.data.id);
    }
    const attributes = { starting_url: 'https://other.example/', tags: 'shop' };
    const { document } = await api.send('POST', '/api/v1/sites', { attributes, token: api.people.stranger });
    ids.set('Stranger', document.data.id);
  });
  after(() => api?.close());

  const idOf = (name: string): string => ids.get(name) ?? assert.fail(name);
  const update = (attributes: object, headers: Readonly<Record<string, string>> = {}) =>
    api.send('POST', '/api/v1/bulk_updates', { attributes, headers });
  const siteOf = async (name: string) => (await api.get(`/api/v1/sites/${idOf(name)}`)).document.data.attributes;
  /** The names of the changed sites, and the numbers of the others. */
  const outcome = async (attributes: object) => {
    const { status, document, text } = await update(attributes);
    assert.equal(status, 201, text);
    const { changed, num_changed, num_unchanged, num_refused } = document.data.attributes;
    assert.equal(num_changed, changed.length);
    return [changed.map(({ name }: { name: string }) => name).join(''), num_unchanged, num_refused];
  };

  test('a dry run changes nothing, and the sites with a tag are changed once', async () => {
    const request = { tags: 'SHOP', change: { max_pages: 7, notes: 'Ask Kim.' }, add_tags: ['client', 'SHOP'] };
    assert.deepEqual(await outcome({ ...request, dry_run: true }), ['AB', 0, 0]);
    assert.deepEqual([(await siteOf('A')).max_pages, (await siteOf('A')).tags], [10, ['shop']]);
    assert.deepEqual(await outcome(request), ['AB', 0, 0]);
    const { max_pages, notes, tags } = await siteOf('B');
    assert.deepEqual([max_pages, notes, tags], [7, 'Ask Kim.', ['Shop', 'blog', 'client']]);
    assert.deepEqual(await outcome(request), ['', 2, 0]);
    assert.equal((await siteOf('C')).max_pages, 10);
    assert.deepEqual(await outcome({ all: true, remove_tags: 'client' }), ['AB', 2, 0]);
    assert.deepEqual((await siteOf('B')).tags, ['Shop', 'blog']);
  });

  test('sites that cannot be changed are listed with the reason', async () => {
    const many = Array.from({ length: 31 }, (_, number) => `tag-${number}`);
    await update({ site_ids: [idOf('C')], add_tags: many });
    const { document } = await update({ site_ids: [idOf('A'), idOf('C'), idOf('Stranger')], add_tags: 'more' });
    const { changed, refused } = document.data.attributes;
    assert.deepEqual(changed, [{ site_id: idOf('A'), name: 'A' }]);
    assert.deepEqual(refused, [
      { site_id: idOf('C'), name: 'C', code: 'invalid', message: 'Tags must be at most 32 tags' },
      { site_id: idOf('Stranger'), name: '', code: 'not_found', message: 'This site does not exist.' },
    ]);
    await update({ site_ids: [idOf('A'), idOf('C')], remove_tags: [...many, 'more'] });
  });

  test('an attribute that no site can have fails the request', async () => {
    for (const [attributes, where] of [
      [{ change: { max_pages: 0 } }, 'change/max_pages'],
      [{ change: { max_pages: 10_000_000 } }, 'change/max_pages'],
      [{ change: { name: 'Same' } }, 'change/name'],
      [{ change: { basic_auth: { username: 'a', password: 'b' } } }, 'change/basic_auth'],
      [{ change: 7 }, 'change'],
      [{ add_tags: ['x'.repeat(300)] }, 'add_tags'],
      [{ schedule: { periodicity: { every: 'hour' } } }, 'schedule/periodicity/every'],
      [{ schedule: {} }, 'schedule/periodicity'],
      [{ schedule: { periodicity: { every: 'day' }, time_of_day: '25:00' } }, 'schedule/time_of_day'],
      [{}, 'change'],
      [{ delete: true, add_tags: 'x' }, 'delete'],
    ] as const) {
      const { status, errors, text } = await update({ tags: 'shop', ...attributes });
      assert.equal(status, 422, text);
      assert.equal(errors[0], `422 invalid /data/attributes/${where}`);
    }
    for (const selection of [
      {},
      { tags: ' ' },
      { archived: 'false' },
      { archived: 'all' },
      { site_ids: [idOf('A')], archived: 'true' },
      { site_ids: [idOf('A')], tags: 'shop' },
      { site_ids: [idOf('A')], all: true },
    ]) {
      assert.equal((await update({ ...selection, add_tags: 'x' })).status, 422, JSON.stringify(selection));
    }
  });

  test('archived sites are selected only on request', async () => {
    assert.deepEqual(await outcome({ tags: 'blog', change: { archived: true } }), ['BC', 0, 0]);
    assert.deepEqual(await outcome({ tags: 'blog', change: { archived: false } }), ['', 0, 0]);
    const request = { tags: 'shop', schedule: { periodicity: { every: 'day' } }, dry_run: true };
    assert.deepEqual(await outcome({ ...request, archived: 'all' }), ['A', 0, 1]);
    assert.deepEqual(await outcome({ archived: 'true', change: { archived: false } }), ['BC', 0, 0]);
  });

  test('each site gets a schedule with its settings, unless it has one with the same times', async () => {
    await update({ site_ids: [idOf('D')], change: { max_pages: 3 } });
    const schedule = { periodicity: { every: 'week', weekday: 'friday' }, time_of_day: '07:30', spread: true };
    assert.deepEqual(await outcome({ all: true, schedule, dry_run: true }), ['ABCD', 0, 0]);
    assert.equal((await api.get('/api/v1/schedules')).document.meta.total, 0);
    assert.deepEqual(await outcome({ site_ids: [idOf('A'), idOf('D')], schedule }), ['AD', 0, 0]);
    assert.deepEqual(await outcome({ all: true, schedule }), ['BC', 2, 0]);
    const { data } = (await api.get(`/api/v1/schedules?filter[site_id]=${idOf('D')}`)).document;
    const { max_pages, starting_url, periodicity, time_of_day, spread } = data[0].attributes;
    assert.deepEqual([data.length, max_pages, starting_url], [1, 3, 'https://d.example/']);
    assert.deepEqual({ periodicity, time_of_day, spread }, schedule);
  });

  test('sites are selected by what needs attention, and listed by it', async () => {
    const run = (host: string, errors: number) =>
      seedReport(
        api.db,
        { account_id: api.people.ownerId, starting_url: `https://${host}.example/` },
        ['html'],
        [
          {
            url: `https://${host}.example/`,
            checks: {
              html: {
                status: 'checked',
                issues:
                  errors === 0 ? [] : [{ kind: { type: 'error', message: 'Bad' }, occurrences: [{ html: '<p>' }] }],
              },
            },
          },
        ],
      );
    await run('a', 1);
    await run('b', 0);
    const listed = async (value: string) =>
      (await api.get(`/api/v1/sites?sort=name-asc&filter[attention]=${value}`)).document.data.map(
        ({ attributes }: { attributes: { name: string } }) => attributes.name,
      );
    // The errors of a first report can't be compared with anything.
    assert.deepEqual(await listed('any'), ['A']);
    assert.deepEqual(await listed('none'), ['B', 'C', 'D']);
    assert.deepEqual(await listed('failed,new_critical'), []);
    assert.deepEqual(await outcome({ attention: ['any'], add_tags: 'look', dry_run: true }), ['A', 0, 0]);
    assert.deepEqual(await outcome({ attention: ['none'], tags: 'blog', add_tags: 'x', dry_run: true }), ['BC', 0, 0]);
  });

  test('tags have the sums of their sites, and each site counts once in the sums of all', async () => {
    const { data, meta } = (await api.get('/api/v1/site_tags')).document;
    const rows = data.map(({ id, attributes: { tag, ...sums } }: Item) => [id, tag === null, ...Object.values(sums)]);
    assert.deepEqual(rows, [
      ['blog', false, 2, 0, 0, 0],
      ['shop', false, 2, 1, 1, 0],
      ['', true, 1, 0, 0, 0],
    ]);
    assert.deepEqual(meta.sums, { num_sites: 4, num_needing_attention: 1, errors: 1, critical: 0 });
    assert.equal(meta.total, 3);
    const second = (await api.get('/api/v1/site_tags?page[size]=1&page[number]=2')).document;
    assert.deepEqual([second.data.length, second.data[0].id], [1, 'shop']);
    const untagged = (await api.get('/api/v1/sites?filter[tagged]=false')).document.data;
    assert.deepEqual(
      untagged.map(({ id }: { id: string }) => id),
      [idOf('D')],
    );
    const filtered = (await api.get('/api/v1/site_tags?filter[text]=b.example')).document;
    assert.deepEqual([filtered.meta.total, filtered.meta.sums.num_sites], [2, 1]);
  });

  test('deleting says what goes with the sites, and deletes only these', async () => {
    const { document } = await update({ tags: 'shop', delete: true, dry_run: true });
    const { num_changed, num_reports, num_web_pages, num_schedules } = document.data.attributes;
    assert.deepEqual([num_changed, num_reports, num_web_pages, num_schedules], [2, 2, 2, 2]);
    assert.equal((await api.get('/api/v1/sites')).document.meta.total, 4);
    const key = { 'idempotency-key': 'delete-1' };
    const request = { site_ids: [idOf('A'), idOf('B')], delete: true };
    // Each site in a transaction of its own: the first one is gone while the other one is locked.
    const { replies } = await api.db.transaction().execute(async (trx) => {
      await trx.selectFrom('sites').select('id').where('id', '=', idOf('B')).forUpdate().execute();
      const sent = Promise.all([update(request, key), update(request, key)]);
      await until(async () => (await api.get(`/api/v1/sites/${idOf('A')}`)).status === 404);
      assert.equal((await api.get(`/api/v1/sites/${idOf('B')}`)).status, 200);
      return { replies: sent };
    });
    const [done, same] = await replies;
    assert.equal(same.text, done.text);
    assert.equal(done.status, 201, done.text);
    assert.equal((await update({ ...request, site_ids: [idOf('C')] }, key)).status, 422);
    assert.equal((await update({ site_ids: [idOf('A'), idOf('B')], delete: true }, key)).text, done.text);
    for (const [path, left] of [
      ['sites', 2],
      ['schedules', 2],
      ['reports', 0],
    ]) {
      assert.equal((await api.get(`/api/v1/${path}`)).document.meta.total, left, String(path));
    }
    assert.equal((await update({ all: true, add_tags: 'kept' })).document.data.attributes.num_changed, 2);
  });
});
