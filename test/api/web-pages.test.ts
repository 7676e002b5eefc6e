import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { CheckKind, CheckStatus } from '../../src/domain/check.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import {
  A11Y_ISSUE_TYPES,
  ABOUT,
  GONE,
  HOME,
  HTML_ISSUE_TYPES,
  occurrence,
  SITE,
  seedSample,
} from '../helpers/sample-report.ts';
import { type Seeded, type SeedPage, seedDocument, seedReport } from '../helpers/seed.ts';

describe('web pages', () => {
  let api: TestApi;
  let sample: Seeded;
  let pages: string;

  before(async () => {
    api = await startApi();
    sample = await seedSample(api.db, { account_id: api.people.ownerId });
    pages = `/api/v1/reports/${sample.reportId}/web_pages`;
  });
  after(() => api?.close());

  const urls = async (query: string, list = pages): Promise<string[]> =>
    (await api.walk(`${list}?page[size]=2&${query}`)).map((item) => item.attributes.url);

  test('GET shows every attribute and relationship', async () => {
    const id = sample.pageIds.get(HOME);
    const reply = await api.get(`${pages}/${id}`);
    const report = `${api.origin}/api/v1/reports/${sample.reportId}`;
    const self = `${report}/web_pages/${id}`;
    const { inserted_at, updated_at, last_checked_at, size, ...attributes } = reply.document.data.attributes;
    assert.ok(size.results > 0 && size.screenshots > 0);
    for (const time of [inserted_at, updated_at, last_checked_at]) {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    }
    assert.deepEqual(
      { ...reply.document.data, attributes },
      {
        type: 'web_page',
        id: String(id),
        attributes: {
          url: HOME,
          ...{ journey: null, journey_step: null, reached_url: null, is_rendered_dom: false },
          ...{ signed_in: null, signed_in_as: null },
          linked_from: null,
          title: 'Home',
          http_status: 200,
          content_type: 'text/html; charset=utf-8',
          render_error: null,
          render_error_code: null,
          html_check: {
            errors: 3,
            warnings: 3,
            status: 'checked',
            error: null,
            error_code: null,
            note: null,
            recheck: null,
            reused_from: null,
          },
          a11y_check: {
            errors: 3,
            warnings: 0,
            severity: { minor: 0, moderate: 0, serious: 2, critical: 1, total: { errors: 3, warnings: 0, total: 3 } },
            errors_by_impact: { minor: 0, moderate: 0, serious: 2, critical: 1 },
            status: 'checked',
            error: null,
            error_code: null,
            note: null,
            recheck: null,
            reused_from: null,
            opened_states: null,
            consent: null,
          },
          status: 'checked',
        },
        relationships: {
          report: { links: { related: report } },
          html_issues: { links: { related: `${self}/html_issues` } },
          a11y_issues: { links: { related: `${self}/a11y_issues` } },
          raw_html_check: { links: { related: `${self}/raw_html_check` } },
          raw_a11y_check: { links: { related: `${self}/raw_a11y_check` } },
          screenshot: { links: { related: `${self}/screenshot` } },
        },
        links: { self },
      },
    );
    const { relationships } = reply.document.data;
    for (const { links } of Object.values<{ links: { related: string } }>(relationships)) {
      assert.equal((await api.get(links.related)).status, 200, links.related);
    }
  });

  test('a page names the first other page of its report with the same document', async () => {
    const checks = { html: { status: 'checked' } } as const;
    const seeded = ['', 'index.html', 'other', 'copy'].map((path) => ({ url: `${SITE}/${path}`, checks }));
    const owned = { account_id: api.people.ownerId };
    const { reportId, pageIds } = await seedReport(api.db, owned, ['html'], seeded);
    const again = await seedReport(api.db, owned, ['html'], seeded.slice(2, 3));
    for (const [url, id] of [...pageIds, ...again.pageIds]) {
      const text = url.endsWith('other') ? 'Other' : 'Home';
      await seedDocument(api.db, id, Buffer.from(text));
    }
    const same = async (path: string) => {
      const page = `/api/v1/reports/${reportId}/web_pages/${pageIds.get(`${SITE}/${path}`)}`;
      return (await api.get(page)).document.data.attributes.same_document_as;
    };
    const index = { web_page_id: String(pageIds.get(`${SITE}/index.html`)), url: `${SITE}/index.html` };
    const home = { web_page_id: String(pageIds.get(`${SITE}/`)), url: `${SITE}/` };
    assert.deepEqual(await Promise.all(['', 'index.html', 'other', 'copy'].map(same)), [index, home, undefined, home]);
  });

  test('a failed page has the reason', async () => {
    const { attributes } = (await api.get(`${pages}/${sample.pageIds.get(GONE)}`)).document.data;
    assert.equal(attributes.http_status, 404);
    assert.equal(attributes.linked_from, ABOUT);
    assert.equal(attributes.title, null);
    assert.deepEqual(attributes.html_check, {
      errors: 0,
      warnings: 0,
      status: 'failed',
      error: 'The page returned 404',
      error_code: 'error_status',
      note: null,
      recheck: null,
      reused_from: null,
    });
    assert.equal(attributes.status, 'failed');
  });

  test('pages are listed by id, and their counts add up to the report', async () => {
    const list = await api.walk(`${pages}?page[size]=1`);
    assert.deepEqual(
      list.map((item) => item.attributes.url),
      [HOME, ABOUT, GONE],
    );
    const seen = async (way: string): Promise<number> => (await api.walk(`${pages}?filter[seen]=${way}`)).length;
    assert.deepEqual([await seen('signed_in'), await seen('stranger'), await seen('signed_in,stranger')], [0, 3, 3]);
    await sql`UPDATE reports SET signed_in = 'login', signed_in_as = 'kim' WHERE id = ${sample.reportId}`.execute(
      api.db,
    );
    await sql`UPDATE web_pages SET is_signed_in = false WHERE id = ${sample.pageIds.get(GONE)}`.execute(api.db);
    const who = (await api.walk(pages)).map(({ attributes }) => [attributes.signed_in, attributes.signed_in_as]);
    assert.deepEqual(who, [
      ['login', 'kim'],
      ['login', 'kim'],
      [null, null],
    ]);
    assert.deepEqual([await seen('signed_in'), await seen('stranger'), await seen('signed_in,stranger')], [2, 1, 3]);
    await sql`UPDATE reports SET signed_in = NULL, signed_in_as = NULL WHERE id = ${sample.reportId}`.execute(api.db);
    const { checks } = (await api.get(`/api/v1/reports/${sample.reportId}`)).document.data.attributes;
    for (const kind of ['html', 'a11y'] as const) {
      for (const type of ['errors', 'warnings'] as const) {
        const sum = list.reduce((total, item) => total + item.attributes[`${kind}_check`][type], 0);
        assert.equal(sum, checks[kind].issues[type], `${kind} ${type}`);
      }
    }
    const { size: _, ...attributes } = (await api.get(`${pages}/${list[0]?.id}`)).document.data.attributes;
    assert.deepEqual(attributes, list[0]?.attributes);
  });

  test('filters by URL, status and common issues, alone and combined', async () => {
    const common = (message: string) => sample.commonIds.get(message);
    const duplicate = `filter[common_html_issue_id]=${common(HTML_ISSUE_TYPES.duplicateId.message)}`;
    const region = `filter[common_a11y_issue_id]=${common(A11Y_ISSUE_TYPES.region.message)}`;
    assert.deepEqual(await urls('filter[url]=ABOUT_'), [ABOUT]);
    assert.deepEqual(await urls('filter[url]=100%25'), [ABOUT]);
    assert.deepEqual(await urls('filter[url]=_'), [ABOUT]);
    assert.deepEqual(await urls('filter[url]=*'), []);
    const reach = (reached_url: string | null) =>
      api.db.updateTable('web_pages').set({ reached_url }).where('url', '=', HOME).execute();
    await reach(`${SITE}/Cart?order=1`);
    assert.deepEqual(await urls('filter[url]=/cart'), [HOME]);
    assert.deepEqual(await urls('filter[url]=A'), [HOME, ABOUT, GONE]);
    await reach(null);
    assert.deepEqual(await urls('filter[status]=checked'), [HOME]);
    assert.deepEqual(await urls('filter[status]=checking'), [ABOUT]);
    assert.deepEqual(await urls('filter[status]=failed'), [GONE]);
    assert.deepEqual(await urls('filter[status]=pending'), []);
    assert.deepEqual(await urls(duplicate), [HOME, ABOUT]);
    assert.deepEqual(await urls(region), [ABOUT]);
    assert.deepEqual(await urls(`${duplicate}&${region}`), [ABOUT]);
    assert.deepEqual(await urls(`${duplicate}&filter[url]=about`), [ABOUT]);
    // An id of the other check, of another report, of nothing, or no id at all.
    const other = await seedSample(api.db, { account_id: api.people.ownerId });
    const foreign = other.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message);
    for (const id of [
      common(A11Y_ISSUE_TYPES.region.message),
      foreign,
      '999999999',
      '0',
      '-1',
      'abc',
      '',
      '9'.repeat(30),
    ]) {
      assert.deepEqual(await urls(`filter[common_html_issue_id]=${id}`), [], `${id}`);
    }
    for (const query of ['filter[status]=finished', 'filter[message]=x', 'filter[muted]=yes', 'sort=status-asc']) {
      assert.equal((await api.get(`${pages}?${query}`)).status, 400, query);
    }
  });

  test('filters by what the last re-check of a page found', async () => {
    const recheck = { ...{ fixed: 1, still: 0, new: 2 }, cause: 'site', checked_at: '2026-02-12T14:02:00+00:00' };
    const checks = api.db.updateTable('checks').set({ recheck: sql`${JSON.stringify(recheck)}::jsonb` });
    await checks
      .where('web_page_id', '=', sample.pageIds.get(ABOUT) ?? 0)
      .where('kind', '=', 'html')
      .execute();
    assert.deepEqual(await urls('filter[recheck]=new'), [ABOUT]);
    assert.deepEqual(await urls('filter[recheck]=fixed&filter[html]=with_errors'), [ABOUT]);
    assert.deepEqual(await urls('filter[recheck]=still'), []);
    assert.deepEqual((await api.get(`${pages}?filter[recheck]=old`)).errors, ['400 invalid_parameter filter[recheck]']);
  });

  test('filters by the result of each check, alone and combined', async () => {
    assert.deepEqual(await urls('filter[html]=with_errors'), [HOME, ABOUT]);
    assert.deepEqual(await urls('filter[html]=passed'), []);
    assert.deepEqual(await urls('filter[html]=failed'), [GONE]);
    assert.deepEqual(await urls('filter[html]=failed,with_errors'), [HOME, ABOUT, GONE]);
    assert.deepEqual(await urls('filter[html]=failed,failed'), [GONE]);
    assert.deepEqual(await urls('filter[a11y]=pending'), [ABOUT]);
    assert.deepEqual(await urls('filter[html]=with_errors&filter[a11y]=pending,failed'), [ABOUT]);
    assert.deepEqual(await urls('filter[html]=with_errors&filter[url]=about'), [ABOUT]);
    assert.deepEqual(await urls('filter[html]=with_errors&filter[status]=checked'), [HOME]);
    const region = `filter[common_a11y_issue_id]=${sample.commonIds.get(A11Y_ISSUE_TYPES.region.message)}`;
    assert.deepEqual(await urls(`filter[html]=with_errors&${region}`), [ABOUT]);
    assert.deepEqual(await urls(`filter[html]=passed&${region}`), []);
    assert.deepEqual(await urls('filter[link]=passed,with_errors,failed,pending'), []);
    assert.deepEqual((await api.get(`${pages}?filter[html]=passed,checked`)).errors, [
      '400 invalid_parameter filter[html]',
    ]);
  });

  test('sorts by every key, in both directions, with every filter', async () => {
    const page = (url: string, title: string | null, httpStatus: number | null, errors: number): SeedPage => ({
      url: `${SITE}/${url}`,
      title,
      httpStatus,
      checks: { html: { status: 'checked', issues: issuesOf(errors) } },
    });
    const issuesOf = (errors: number) =>
      errors === 0
        ? []
        : [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences: Array.from({ length: errors }, occurrence) }];
    const { reportId } = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['html'],
      [
        page('b', 'Zebra', 200, 0),
        page('B', 'apple', 404, 2),
        page('a', null, null, 1),
        page('ä', 'Éclair', 200, 2),
        page('c', 'Apple', 200, 0),
      ],
    );
    const list = `/api/v1/reports/${reportId}/web_pages`;
    const orders: [key: string, ascending: string][] = [
      ['url', 'B a b c ä'],
      ['title', 'a B c b ä'],
      ['http_status', 'a b ä c B'],
      ['html_errors', 'b c a B ä'],
      ['a11y_errors', 'b B a ä c'],
      ['link_errors', 'b B a ä c'],
      ['http_status,html_errors', 'a b c ä B'],
      ['html_errors-asc,url', 'b c a B ä'],
    ];
    const sorted = async (query: string): Promise<string> => {
      const { data } = (await api.get(`${list}?${query}`)).document;
      return data.map((item: { attributes: { url: string } }) => item.attributes.url.slice(SITE.length + 1)).join(' ');
    };
    assert.deepEqual(
      (await urls('sort=-title', list)).map((url) => url.slice(SITE.length + 1)),
      ['ä', 'b', 'c', 'B', 'a'],
    );
    for (const [key, ascending] of orders) {
      const reversed = key.split(',').map((part) => `-${part.replace('-asc', '')}`);
      const descending = ascending.split(' ').toReversed().join(' ');
      assert.equal(await sorted(`sort=${key}`), ascending, key);
      assert.equal(await sorted(`sort=${reversed}`), descending, `-${key}`);
      const kept = ascending.split(' ').filter((url) => ['a', 'B', 'ä'].includes(url));
      assert.equal(await sorted(`sort=${key}&filter[html]=with_errors`), kept.join(' '), key);
      assert.equal(await sorted(`sort=${key}&filter[html]=with_errors&filter[url]=example`), kept.join(' '), key);
    }
    assert.equal(await sorted('sort=html_errors-desc'), 'ä B a c b');
    const common = (await api.walk(`/api/v1/reports/${reportId}/common_html_issues`))[0]?.id;
    assert.equal(await sorted(`sort=-html_errors&filter[common_html_issue_id]=${common}`), 'ä B a');
    assert.deepEqual((await api.get(`${list}?sort=errors`)).errors, ['400 invalid_parameter sort']);
  });

  test('the status follows the enabled checks', async () => {
    const statuses: CheckStatus[] = ['pending', 'checked', 'failed'];
    const cases: { page: SeedPage; expected: string }[] = [];
    const add = (html: CheckStatus | null, a11y: CheckStatus | null, expected: string) =>
      cases.push({
        expected,
        page: {
          url: `${SITE}/${html}-${a11y}`,
          checks: { ...(html && { html: { status: html } }), ...(a11y && { a11y: { status: a11y } }) },
        },
      });
    for (const status of statuses) {
      add(status, status, status);
      add(status, null, status);
      add(null, status, status);
      add('failed', status, 'failed');
      add(status === 'failed' ? 'pending' : status, 'failed', 'failed');
    }
    add('pending', 'checked', 'checking');
    add('checked', 'pending', 'checking');
    const unique = [...new Map(cases.map((item) => [item.page.url, item])).values()];
    const kinds: CheckKind[] = ['html', 'a11y'];
    const account_id = api.people.ownerId;
    const { reportId } = await seedReport(
      api.db,
      { account_id },
      kinds,
      unique.map(({ page }) => page),
    );
    const list = `/api/v1/reports/${reportId}/web_pages`;
    const items = await api.walk(`${list}?page[size]=100`);
    assert.deepEqual(
      items.map((item) => item.attributes.status),
      unique.map(({ expected }) => expected),
    );
    for (const status of ['pending', 'checking', 'checked', 'failed']) {
      const expected = unique.filter((item) => item.expected === status).map(({ page }) => page.url);
      assert.deepEqual(await urls(`filter[status]=${status}`, list), expected, status);
    }
    const htmlAlone = items.find((item) => item.attributes.url.endsWith('/checked-null'));
    assert.equal(htmlAlone?.attributes.a11y_check, null);
    assert.deepEqual(Object.keys(htmlAlone?.relationships), ['report', 'html_issues']);
  });

  test('PATCH to pending checks a page again; anything else is rejected', async () => {
    const { reportId, pageIds } = await seedSample(api.db, { account_id: api.people.ownerId });
    const path = `/api/v1/reports/${reportId}/web_pages/${pageIds.get(HOME)}`;
    const patch = async (attributes: unknown) => (await api.send('PATCH', path, { attributes })).errors;
    for (const status of ['checked', 'PENDING', null, 1, '']) {
      assert.deepEqual(await patch({ status }), ['422 invalid /data/attributes/status'], String(status));
    }
    assert.deepEqual(await patch({}), ['422 invalid /data/attributes/status']);
    assert.deepEqual(await patch({ status: 'pending', url: HOME }), ['422 invalid /data/attributes/url']);
    assert.equal((await api.get(path)).document.data.attributes.status, 'checked');

    const body = { data: { id: String(pageIds.get(HOME)), type: 'web_pages', attributes: { status: 'pending' } } };
    const reply = await api.send('PATCH', path, { body });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.document.data.attributes.status, 'pending');
    const { checks } = (await api.get(`/api/v1/reports/${reportId}`)).document.data.attributes;
    assert.deepEqual(checks.html.status, { pending: 1, checked: 1, failed: 1 });
  });

  test('DELETE removes a page and excludes its URL; deleting the last page deletes the report', async () => {
    const { reportId, pageIds } = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = `/api/v1/reports/${reportId}`;
    const remove = (url: string) => api.send('DELETE', `${report}/web_pages/${pageIds.get(url)}`);
    assert.equal((await remove(HOME)).status, 204);
    assert.equal((await remove(HOME)).status, 404);
    const { attributes } = (await api.get(report)).document.data;
    assert.equal(attributes.num_pages, 2);
    assert.deepEqual(attributes.checks.html.issues, { errors: 1, warnings: 0 });
    const [excluded] = await api.walk(`${report}/excluded_urls`);
    assert.equal(excluded?.attributes.url, HOME);
    assert.equal(excluded?.attributes.reason, 'deleted');
    const common = await api.walk(`${report}/common_html_issues`);
    assert.deepEqual(
      common.map((issue) => issue.attributes.message),
      [HTML_ISSUE_TYPES.duplicateId.message],
    );
    assert.equal((await remove(ABOUT)).status, 204);
    assert.equal((await remove(GONE)).status, 204);
    assert.equal((await api.get(report)).status, 404);
  });

  test('missing resources are not found', async () => {
    const other = await seedSample(api.db, { account_id: api.people.ownerId });
    for (const id of [
      other.pageIds.get(HOME),
      0,
      -1,
      '01',
      'abc',
      '1e3',
      '9'.repeat(30),
      '%00',
      '%2F',
      '%20',
      '1%20',
    ]) {
      assert.deepEqual((await api.get(`${pages}/${id}`)).errors, ['404 not_found'], `${id}`);
    }
  });
});
