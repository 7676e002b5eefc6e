import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import type { NewReport } from '../../src/store/schema.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { HTML_ISSUE_TYPES, occurrence } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

const URL_A = 'http://a.test/';
const SUBPAGE_A = 'http://a.test/shop';
const URL_B = 'http://b.test/';

describe('stats', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** A report of two pages, the first with some errors, that finished at a time. */
  async function report(
    url: string,
    finishedAt: string,
    errors: number,
    more: Partial<NewReport> = {},
  ): Promise<string> {
    const occurrences = Array.from({ length: errors }, (_, index) => occurrence(index + 1));
    const issues = errors === 0 ? [] : [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences }];
    const values = {
      account_id: api.people.ownerId,
      starting_url: url,
      finished_at: new Date(`${finishedAt}Z`),
      ...more,
    };
    const pages = [
      { url, checks: { html: { status: 'checked' as const, issues } } },
      { url: `${url}?2`, checks: { html: { status: 'checked' as const } } },
    ];
    return (await seedReport(api.db, values, ['html'], pages)).reportId;
  }
  const stats = (query: string, token = api.people.owner): Promise<Item[]> => api.walk(`/api/v1/stats?${query}`, token);
  const brief = (items: readonly Item[]) =>
    items.map(({ attributes: { name, interval, reports, web_pages, html, checked, passed } }) =>
      [name, interval, reports, web_pages, html.errors, checked, passed].join(' '),
    );

  test('the last finished report of each site in an interval counts', async () => {
    // 2026-02-09 is the Monday of week 7.
    await report(URL_A, '2026-02-08T23:59:59', 9, { tags: ['Shop', 'daily'] });
    await report(URL_A, '2026-02-09T00:00:00', 7, { tags: ['Shop', 'daily'] });
    await report(URL_A, '2026-02-15T23:59:59', 3, { tags: ['shop', 'SHOP'] });
    await report(SUBPAGE_A, '2026-02-10T08:00:00', 2);
    await report(URL_B, '2026-02-11T08:00:00', 0, { tags: ['Shop'] });
    await report(URL_B, '2026-02-12T08:00:00', 5, { status: 'failed' });
    await report(URL_B, '2026-02-12T09:00:00', 1, {
      crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }),
    });
    await deleteReport(api.db, await report(URL_B, '2026-02-13T08:00:00', 6));
    await report(URL_B, '2026-02-14T08:00:00', 4, { account_id: api.people.strangerId });
    await report(URL_B, '2026-01-01T00:00:00', 1);

    const range = 'filter[from]=2026-02-01&filter[to]=2026-02-28';
    const bySite = await stats(range);
    assert.deepEqual(brief(bySite), [
      'http://a.test/ 2026-W07 2 2 3 2 1',
      'http://a.test/shop 2026-W07 1 2 2 2 1',
      'http://b.test/ 2026-W07 1 2 0 2 2',
      'http://a.test/ 2026-W06 1 2 9 2 1',
    ]);
    const [first] = bySite;
    assert.equal(first?.attributes.starts_on, '2026-02-09');
    assert.equal(first?.attributes.a11y, null);
    const site = (await api.get(first?.relationships.site.links.related)).document.data;
    assert.equal(`${site.id}/2026-W07`, first?.id);
    assert.equal(site.attributes.starting_url, URL_A);
    const names = async (query: string) => (await stats(query)).map(({ attributes }) => attributes.site_name);
    await api.send('PATCH', `/api/v1/sites/${site.id}`, { attributes: { name: 'Shop' } });
    assert.deepEqual(await names(range), ['Shop', '', '', 'Shop']);
    assert.deepEqual(await names(`${range}&group=domain&interval=month`), ['', '']);

    const byDomain = await stats(`${range}&group=domain&interval=month`);
    assert.deepEqual(brief(byDomain), ['a.test 2026-02 4 4 5 4 2', 'b.test 2026-02 1 2 0 2 2']);
    assert.deepEqual(
      byDomain.map(({ id }) => id),
      ['a.test/2026-02', 'b.test/2026-02'],
    );
    assert.equal(byDomain[0]?.relationships, undefined);

    const byTag = await stats(`${range}&group=tag&interval=day`);
    assert.deepEqual(
      byTag.map(({ id, attributes }) => `${id} ${attributes.reports} ${attributes.html.errors}`),
      [
        'shop/2026-02-15 1 3',
        'shop/2026-02-11 1 0',
        'shop/2026-02-09 1 7',
        'daily/2026-02-09 1 7',
        'shop/2026-02-08 1 9',
        'daily/2026-02-08 1 9',
      ],
    );
  });

  test('the days of the filters belong to the range, and week 1 may begin in the previous year', async () => {
    const days = (from: string, to: string) => stats(`interval=day&group=domain&filter[from]=${from}&filter[to]=${to}`);
    assert.deepEqual(brief(await days('2026-02-08', '2026-02-08')), ['a.test 2026-02-08 1 2 9 2 1']);
    const weeks = await stats('filter[from]=2025-12-01&filter[to]=2026-01-31');
    assert.deepEqual(brief(weeks), ['http://b.test/ 2026-W01 1 2 1 2 1']);
    assert.equal(weeks[0]?.attributes.starts_on, '2025-12-29');
    const { errors } = await api.get('/api/v1/stats?filter[from]=2026-02-09&filter[to]=2026-02-08');
    assert.deepEqual(errors, ['400 invalid_parameter filter[from]']);
    const { document } = await api.get('/api/v1/stats?filter[interval]=day');
    assert.match(document.errors[0].detail, / is unknown; did you mean interval\?/);
    for (const day of ['2026-02-30', 'yesterday', '2026-2-3']) {
      const reply = await api.get(`/api/v1/stats?filter[to]=${day}`);
      assert.deepEqual(reply.errors, ['400 invalid_parameter filter[to]'], day);
    }
  });

  test('by default, the last weeks are shown', async () => {
    await report('http://now.test/', new Date().toISOString().slice(0, 19), 1);
    assert.deepEqual((await stats('')).filter(({ attributes }) => attributes.name === 'http://now.test/').length, 1);
  });

  test('a host gets the statistics of its guests', async () => {
    const { guestId, guestAccountId } = api.people;
    const more = { account_id: guestId, guest_account_id: guestAccountId };
    await report('http://guest.test/', '2026-03-02T08:00:00', 1, more);
    const march = 'group=domain&filter[from]=2026-03-01&filter[to]=2026-03-31';
    assert.deepEqual(brief(await stats(march)), []);
    assert.deepEqual(brief(await stats(`${march}&created_by=all`)), ['guest.test 2026-W10 1 2 1 2 1']);
    assert.deepEqual(brief(await stats(march, api.people.guest)), ['guest.test 2026-W10 1 2 1 2 1']);
  });
});
