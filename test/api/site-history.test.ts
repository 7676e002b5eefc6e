import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Thumbnail } from '../../src/domain/screenshot.ts';
import { saveThumbnail } from '../../src/store/pages/thumbnails.ts';
import { deleteReport, purgeBatch } from '../../src/store/reports/deletion.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import type { NewReport } from '../../src/store/schema.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { mutingsOf } from '../helpers/mutings.ts';
import { A11Y_ISSUE_TYPES, element, HTML_ISSUE_TYPES, occurrence } from '../helpers/sample-report.ts';
import { type Seeded, type SeedPage, seedReport } from '../helpers/seed.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-02-01T10:20:30Z');

/** Two HTML errors on one of two pages, and one accessibility error on the only page that was checked for it. */
function pagesOf(url: string): SeedPage[] {
  const { duplicateId } = HTML_ISSUE_TYPES;
  const html = {
    status: 'checked',
    issues: [{ kind: duplicateId, occurrences: [occurrence(1), occurrence(2)] }],
  } as const;
  const a11y = {
    status: 'checked',
    issues: [{ kind: A11Y_ISSUE_TYPES.imageAlt, occurrences: [element('a')] }],
  } as const;
  return [
    { url, checks: { html, a11y } },
    { url: `${url}half`, checks: { html: { status: 'checked' }, a11y: { status: 'failed' } } },
  ];
}

function thumbnailOf(text: string): Thumbnail {
  return { image: Buffer.from(text), width: 320, height: 200, takenAt: new Date(START) };
}

describe('the history of a site', () => {
  let api: TestApi;
  let now = START;
  before(async () => {
    api = await startApi({ clock: () => new Date(now) });
  });
  after(() => api?.close());

  const report = (url: string, more: Partial<NewReport> = {}): Promise<Seeded> =>
    seedReport(api.db, { account_id: api.people.ownerId, starting_url: url, ...more }, ['html', 'a11y'], pagesOf(url));
  const listed = async (url: string, token?: string, query = ''): Promise<Item> => {
    const [site] = await api.walk(`/api/v1/sites?filter[url]=${url}&${query}`, token);
    assert.ok(site, url);
    return site;
  };
  const siteAt = async (url: string) => {
    const { id } = await listed(url);
    return (await api.get(`/api/v1/sites/${id}`)).document.data;
  };
  /** Stores a thumbnail of a report as its check does. */
  const show = async ({ reportId, pageIds }: Seeded, text: string): Promise<void> => {
    const [page = 0] = pageIds.values();
    await reportTransaction(api.db, reportId, (change) => saveThumbnail(change, page, thumbnailOf(text)));
  };
  /** The text of the image that a site shows; null without one. */
  const shown = async (url: string, token?: string, query?: string): Promise<string | null> => {
    const thumbnail = (await listed(url, token, query)).attributes.thumbnail;
    return thumbnail === null ? null : (await fetch(thumbnail.image_url)).text();
  };

  test('errors per page of a site are the errors per page of its last run, and the same in statistics', async () => {
    const url = 'http://numbers.test/';
    await report(url, { finished_at: new Date(START), last_checked_at: new Date(START) });
    const { id, attributes } = await siteAt(url);
    // Two on two pages, and one on one page.
    assert.equal(attributes.errors_per_page, 2);
    assert.equal(attributes.runs[0].errors_per_page, 2);
    assert.equal(attributes.runs[0].errors, 3);
    const stats = await api.walk('/api/v1/stats');
    const stat = stats.find(({ relationships }) => relationships.site?.links.related.endsWith(id));
    assert.equal(stat?.attributes.errors_per_page, 2);

    await seedReport(api.db, { account_id: api.people.ownerId, starting_url: url, status: 'failed' }, ['html'], []);
    const failed = await siteAt(url);
    assert.equal(failed.attributes.errors_per_page, null);
  });

  test('what got worse is counted, and null until the reports are compared', async () => {
    const url = 'http://worse.test/';
    const earlier = await report(url);
    const { reportId } = await report(url);
    assert.equal((await listed(url)).attributes.worse, null);
    const states = { report_state: new Date(), with_state: new Date() };
    const counts = { new: 9, worse_errors: 7, worse_critical: 2 };
    const pair = { report_id: reportId, with_id: earlier.reportId, is_previous: true };
    await api.db
      .insertInto('diffs')
      .values({ ...pair, ...states, ...counts })
      .execute();
    assert.deepEqual((await listed(url)).attributes.worse, { new_errors: 7, new_critical: 2 });
  });

  test('each run says which engines changed, whether it was deployed, and how mutings changed', async () => {
    const url = 'http://marks.test/';
    const { mute, unmute } = mutingsOf(() => api);
    const decideAboutRule = async (siteId: string) => {
      await api.db
        .insertInto('decisions')
        .values({
          ...{ site_id: siteId, scope: 'rule', kind: 'html', type_fingerprint: Buffer.alloc(16), verdict: 'later' },
          ...{ assessor: '', message: '', markup: '', since_report: siteId },
        })
        .execute();
    };
    const finish = async (engines: readonly [html: string | null, a11y: string | null], deployed = false) => {
      const { reportId } = await report(url, { by_deploy_hook: deployed });
      const [html, a11y] = engines;
      for (const [kind, engine_version] of [
        ['html', html],
        ['a11y', a11y],
      ] as const) {
        await api.db
          .updateTable('report_checks')
          .set({ engine_version })
          .where('report_id', '=', reportId)
          .where('kind', '=', kind)
          .execute();
      }
    };
    await finish(['vnu 1 (a1b2c3d)', null], true);
    await finish(['vnu 1 (a1b2c3d)', 'axe-core 4.13.0, Chromium 156.0.1']);
    const kept = await mute('marks.test', 'Duplicate ID');
    const removed = await mute('marks.test', 'alternative');
    await mute('elsewhere.test', 'Duplicate ID');
    await finish(['vnu 2', 'axe-core 4.14.1, Chromium 156.0.1'], true);
    await unmute(removed);
    await decideAboutRule((await siteAt(url)).id);
    await finish(['vnu 2', 'axe-core 4.14.1, Chromium 156.0.1']);
    const { runs } = (await siteAt(url)).attributes;
    const NONE = {
      changed_settings: [],
      changed_engines: [],
      changed_mutings: { added: 0, removed: 0 },
      changed_decisions: 0,
      deployed: false,
    };
    const marks = runs.map(
      ({ changed_settings, changed_engines, changed_mutings, changed_decisions, deployed }: typeof NONE) => ({
        ...{ changed_settings, changed_engines, changed_mutings, changed_decisions, deployed },
      }),
    );
    assert.deepEqual(marks, [
      { ...NONE, changed_mutings: { added: 0, removed: 1 }, changed_decisions: 1 },
      {
        ...NONE,
        deployed: true,
        changed_mutings: { added: 2, removed: 0 },
        changed_engines: [
          { name: 'axe-core', before: '4.13.0', now: '4.14.1' },
          { name: 'vnu', before: '1 (a1b2c3d)', now: '2' },
        ],
      },
      NONE,
      { ...NONE, deployed: true },
    ]);
    assert.equal('deployed' in (await listed(url)).attributes.runs[0], false);
    await unmute(kept);
  });

  test('a thumbnail is the newest one, is cached, and ends with its report and its URL', async () => {
    now = START;
    const url = 'http://thumbnail.test/';
    const first = await report(url);
    assert.equal((await listed(url)).attributes.thumbnail, null);
    const second = await report(url);
    await show(first, 'first');
    assert.equal(await shown(url), 'first');
    await show(second, 'second');
    await show(first, 'first, checked again');
    const { image_url, ...size } = (await listed(url)).attributes.thumbnail;
    assert.deepEqual(size, { width: 320, height: 200 });
    assert.equal((await siteAt(url)).attributes.thumbnail.image_url, image_url);

    const response = await fetch(image_url);
    assert.equal(await response.text(), 'second');
    const { headers } = response;
    assert.equal(headers.get('content-type'), 'image/webp');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(headers.get('cache-control'), 'private, max-age=5970, immutable');
    const again = await fetch(image_url, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    assert.equal(again.status, 304);
    assert.ok(
      !api.logLines.some((line) => line.includes(new URL(image_url).pathname)),
      'the log has no URL of an image',
    );

    const [site, end, code] = new URL(image_url).pathname.split('/').at(-1)?.split('.') ?? [];
    for (const name of [
      `${site}.${Number(end) + 1}.${code}`,
      `${site}.${end}.${'A'.repeat(43)}`,
      `${site}.${end}`,
      '',
    ]) {
      assert.equal((await fetch(`${api.origin}/thumbnails/${name}`)).status, 404, name);
    }
    now += 2 * HOUR_MS;
    assert.equal((await fetch(image_url)).status, 404);
    now = START;
    await deleteReport(api.db, second.reportId);
    assert.equal((await fetch(image_url)).status, 404);
    assert.equal((await listed(url)).attributes.thumbnail, null);
    while (await purgeBatch(api.db));
    const kept = api.db.selectFrom('site_thumbnails').select('report_id').where('report_id', '=', second.reportId);
    assert.deepEqual(await kept.execute(), []);
  });

  test('reports of pipelines show nothing, and a host only sees reports of its guest', async () => {
    const { guest, guestId, guestAccountId } = api.people;
    const url = 'http://whose.test/';
    await show(await report(url, { temporary: true }), 'temporary');
    const hosted = await report(url, { account_id: guestId, guest_account_id: guestAccountId });
    await show(hosted, 'hosted');
    assert.equal(await shown(url, guest), 'hosted');
    assert.equal(await shown(url, api.people.owner, 'created_by=guests'), 'hosted');
    await show(await report(url, { account_id: guestId }), 'private');
    assert.equal(await shown(url, guest), 'private');
    assert.equal(await shown(url, api.people.owner, 'created_by=guests'), null);
  });

  test('a merged site keeps its thumbnail, or gets the one of the other site', async () => {
    const [one, other] = ['http://one.merged.test/', 'http://other.merged.test/'];
    await show(await report(one), 'one');
    await report(other);
    const [{ id }, { id: into }] = [await siteAt(one), await siteAt(other)];
    const { status } = await api.send('POST', `/api/v1/sites/${id}/merge`, { attributes: { into } });
    assert.equal(status, 200);
    assert.equal(await shown(other), 'one');
  });

  test('a plan without accessibility checks has no thumbnails', async () => {
    const { free, freeId } = api.people;
    const url = 'http://free.test/';
    await show(await report(url, { account_id: freeId }), 'free');
    assert.equal(await shown(url, free), null);
  });
});
