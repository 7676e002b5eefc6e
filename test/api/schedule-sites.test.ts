import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { schedulesOf } from '../helpers/schedules.ts';

describe('the site of a schedule', () => {
  let api: TestApi;
  let shop = '';
  let blog = '';
  before(async () => {
    api = await startApi();
  });
  beforeEach(async () => {
    [shop, blog] = [await site('https://shop.example/start'), await site('https://blog.example/')];
  });
  after(() => api?.close());

  const { post, patch, change } = schedulesOf(() => api);
  const site = async (starting_url: string, token = api.people.owner): Promise<string> =>
    (await api.send('POST', '/api/v1/sites', { attributes: { starting_url, max_pages: 7 }, token })).document.data.id;
  const create = async (attributes: object) => {
    const reply = await post({ periodicity: { every: 'day' }, ...attributes });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };
  const siteOf = ({ relationships }: { relationships: { site: { links: { related: string } } } }): string | undefined =>
    relationships.site.links.related.split('/').at(-1);
  const TOO_DIFFERENT = /must be the starting URL of the site, https:\/\/shop\.example\/start\. Omit it/;

  test('gives it the starting URL, and nothing else', async () => {
    const made = await create({ site_id: shop });
    assert.equal(made.attributes.starting_url, 'https://shop.example/start');
    assert.equal(made.attributes.max_pages, 100);
    assert.equal(siteOf(made), shop);
  });

  test('must have the given starting URL, regardless of the scheme', async () => {
    for (const starting_url of ['https://shop.example/start', 'HTTP://SHOP.example/start']) {
      assert.equal(siteOf(await create({ site_id: shop, starting_url })), shop);
    }
    for (const starting_url of ['https://shop.example/', 'https://shop.example/start/', 'https://blog.example/']) {
      const reply = await post({ periodicity: { every: 'day' }, site_id: shop, starting_url });
      assert.deepEqual(reply.errors, ['422 invalid'], starting_url);
      assert.match(reply.document.errors[0].detail, TOO_DIFFERENT);
    }
  });

  test('must exist; without one, the starting URL is required', async () => {
    const strangers = await site('https://stranger.example/', api.people.stranger);
    for (const [site_id, error] of [
      [strangers, '422 invalid'],
      ['nonsense', '422 invalid /data/attributes/site_id'],
      [null, '422 invalid /data/attributes/site_id'],
    ]) {
      assert.deepEqual((await post({ periodicity: { every: 'day' }, site_id })).errors, [error]);
    }
    const missing = '422 invalid /data/attributes/starting_url';
    assert.deepEqual((await post({ periodicity: { every: 'day' } })).errors, [missing]);
    const blank = { periodicity: { every: 'day' }, site_id: shop, starting_url: '' };
    assert.deepEqual((await post(blank)).errors, [missing]);
  });

  test('changes with its starting URL, or the starting URL with it', async () => {
    const { id } = await create({ site_id: shop });
    const moved = await change(id, { site_id: blog });
    assert.deepEqual([siteOf(moved), moved.attributes.starting_url], [blog, 'https://blog.example/']);
    const back = await change(id, { site_id: shop, starting_url: 'https://shop.example/start' });
    assert.deepEqual([siteOf(back), back.attributes.starting_url], [shop, 'https://shop.example/start']);
    const found = await change(id, { starting_url: 'https://blog.example/' });
    assert.notEqual(siteOf(found), shop);
    for (const starting_url of ['https://blog.example/', 'https://shop.example/']) {
      const reply = await patch(id, { site_id: shop, starting_url });
      assert.deepEqual(reply.errors, ['422 invalid']);
      assert.match(reply.document.errors[0].detail, TOO_DIFFERENT);
    }
  });

  test('a schedule that a merged site brought keeps its starting URL', async () => {
    const { id } = await create({ site_id: blog });
    await api.send('POST', `/api/v1/sites/${blog}/merge`, { attributes: { into: shop } });
    const { attributes, ...kept } = await change(id, { site_id: shop, max_pages: 3 });
    assert.deepEqual([siteOf(kept), attributes.starting_url, attributes.max_pages], [shop, 'https://blog.example/', 3]);
  });

  test('credentials are not sent to another site', async () => {
    const { id } = await create({ site_id: shop, headers: { 'x-key': 'secret' } });
    const moved = await patch(id, { site_id: blog });
    assert.deepEqual(moved.errors, ['422 invalid /data/attributes/starting_url']);
    assert.match(moved.document.errors[0].detail, /has a different origin/);
    assert.equal(siteOf(await change(id, { site_id: blog, headers: null })), blog);
  });
});
