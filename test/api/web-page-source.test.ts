import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { ABOUT, HOME, seedSample } from '../helpers/sample-report.ts';
import { seedDocument } from '../helpers/seed.ts';

const TOKEN = 'preview-7f3a-token-91c2';

describe('the source of a web page', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** Returns the `source` relationship of a page. */
  async function linkedFor(path: string, token?: string): Promise<string | undefined> {
    const page = path.replace(/\/source$/, '');
    const { relationships } = (await api.get(page, token)).document.data;
    return relationships.source?.links.related;
  }

  /** Shares a report, of a site with credentials or without, and returns the path of its home page. */
  async function sharedPage(isSignedIn: boolean): Promise<{ path: string; id: number; secret: string }> {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const { reportId, pageIds } = sample;
    const id = pageIds.get(HOME) ?? 0;
    const report = `/api/v1/reports/${reportId}`;
    if (isSignedIn) {
      const attributes = { starting_url: HOME, headers: { 'X-Preview': TOKEN } };
      const made = (await api.send('POST', '/api/v1/reports', { attributes })).document.data;
      const moved = await api.db.updateTable('web_pages').set({ report_id: made.id }).where('id', '=', id).execute();
      assert.equal(moved.length, 1);
      return share(`/api/v1/reports/${made.id}`, id);
    }
    return share(report, id);
  }

  async function share(report: string, id: number): Promise<{ path: string; id: number; secret: string }> {
    const { status, document } = await api.send('PATCH', report, { attributes: { shared: true } });
    assert.equal(status, 200);
    const secret = String(document.data.attributes.share_url).split('/').at(-1) ?? '';
    return { path: `${report}/web_pages/${id}/source`, id, secret };
  }

  test('is the decoded document, with its line ends', async () => {
    const { path, id } = await sharedPage(false);
    const text = '<!DOCTYPE html>\r\n<p>caf\u00e9</p>\r';
    await seedDocument(api.db, id, Buffer.from(text, 'latin1'), 'text/html; charset=iso-8859-1');
    const { data } = (await api.get(path)).document;
    const { fetched_at, ...attributes } = data.attributes;
    assert.deepEqual(attributes, { text, omitted: 0, encoding: 'windows-1252', size: text.length, lines: 3 });
    assert.match(fetched_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual([data.type, data.id], ['web_page_source', String(id)]);
    assert.equal(data.links.self, api.origin + path);
  });

  test('is cut after two million characters', async () => {
    const { path, id } = await sharedPage(false);
    const text = '<p>x\n'.repeat(500_000);
    await seedDocument(api.db, id, Buffer.from(text));
    const { attributes } = (await api.get(path)).document.data;
    assert.deepEqual([attributes.text === text.slice(0, 2_000_000), attributes.omitted], [true, 500_000]);
    assert.deepEqual([attributes.size, attributes.lines], [2_500_000, 500_001]);
  });

  test('is not found for a page without a document', async () => {
    const { path, id } = await sharedPage(false);
    assert.deepEqual((await api.get(path)).errors, ['404 not_found']);
    assert.equal(await linkedFor(path), undefined);
    const { pageIds } = await seedSample(api.db, { account_id: api.people.ownerId });
    const other = path.replace(`/${id}/`, `/${pageIds.get(ABOUT)}/`);
    assert.deepEqual((await api.get(other)).errors, ['404 not_found']);
  });

  test('has the site credentials masked, character by character', async () => {
    const { path, id } = await sharedPage(true);
    const text = `<input value="${TOKEN}">\n<p>${TOKEN.slice(0, 10)}`;
    await seedDocument(api.db, id, Buffer.from(text));
    const { attributes } = (await api.get(path)).document.data;
    assert.equal(attributes.text, `<input value="${'*'.repeat(TOKEN.length)}">\n<p>${'*'.repeat(10)}`);
  });

  test('of a shared report is visible to all its readers, unless the report signs in', async () => {
    for (const isSignedIn of [false, true]) {
      const { path, id, secret } = await sharedPage(isSignedIn);
      await seedDocument(api.db, id, Buffer.from('<p>'));
      const expected = isSignedIn ? ['403 forbidden'] : [];
      for (const token of [api.people.stranger, secret]) {
        const reply = await api.get(path, token);
        assert.deepEqual(reply.errors ?? [], expected, reply.text);
        assert.equal(await linkedFor(path, token), isSignedIn ? undefined : api.origin + path);
      }
      assert.equal((await api.get(path)).status, 200);
      assert.equal(await linkedFor(path), api.origin + path);
    }
  });
});
