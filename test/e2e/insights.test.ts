import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NOTHING_DECIDED } from '../../src/api/attributes/change-counts.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What changed between reports of a site, and what to fix first. */

const HEADER = '<header id="top"><center>News</center></header>';
const page = (body: string, header = HEADER): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body>${header}${body}` +
  '<nav><a href="/">Home</a> <a href="/two">Two</a> <a href="/three">Three</a></nav></body></html>';
const FONT = '<main id="main"><h1>Title</h1><font color="red">Red</font></main>';

let service: TestApp;
let site: TestSite;
let pages: Record<string, string> = {};
/** Instead of a page that returns 404. */
const GONE = '';
/** Responses wait for it. */
let gate: Promise<void> | undefined;
let isHeld = false;

before(async () => {
  const serve = (path: string) => async (_: unknown, response: import('node:http').ServerResponse) => {
    if (gate !== undefined) {
      isHeld = true;
      await gate;
    }
    const html = pages[path];
    response.writeHead(html === undefined ? 500 : html === GONE ? 404 : 200, { 'content-type': 'text/html' });
    response.end(html);
  };
  site = await startTestSite({ '/': serve('/'), '/two': serve('/two'), '/three': serve('/three') });
  service = await startTestApp({}, {}, WITHOUT_BROWSER);
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function check(now: Record<string, string>, more: object = {}): Promise<string> {
  pages = now;
  const definition = { starting_url: `${site.origin}/`, rate_limit: 50, ...more };
  const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  await service.compared(id);
  return id;
}

// biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
async function changes(id: string, query = ''): Promise<{ data: Item[]; meta: any }> {
  return (await service.ask(`/reports/${id}/changes${query}`)) as never;
}

const NO_CHANGE = {
  ...{ new: 0, fixed: 0, regressed: 0, not_checked_before: 0, unverified: 0 },
  ...{ decided: NOTHING_DECIDED, broken_pages: 0, recovered_pages: 0 },
};

/** Returns `more (site): font 4 -> 6, 2 new, 4 persisting`. */
const told = ({ attributes: { change, cause, message, how_many, how_many_before, occurrences } }: Item) => {
  const name = /[“"](\w+)[”"] element|ID “(\w+)”|“(\w+)”/.exec(message)?.slice(1).find(Boolean);
  const counts = Object.entries<number>(occurrences).filter(([, count]) => count > 0);
  return [
    `${change} (${cause}): ${name} ${how_many_before} -> ${how_many}`,
    ...counts.map(([word, count]) => `${count} ${word}`),
  ].join(', ');
};

/** Asserts which pages broke or recovered, that these are all, and that they are counted. */
async function toldOfPages(id: string, expected: readonly unknown[][], change: string): Promise<void> {
  const { data, meta } = (await service.ask(
    `/reports/${id}/changes/pages?filter[change]=broken,recovered`,
  )) as unknown as {
    data: Item[];
    meta: { changes: object };
  };
  assert.deepEqual(
    data.map(({ attributes: page }) => [
      page.change,
      page.url.slice(site.origin.length),
      page.http_status_before,
      page.http_status,
      page.error_code,
    ]),
    expected,
  );
  const none = { broken: 0, recovered: 0, added: 0, removed: 0 };
  assert.deepEqual(meta.changes, { ...none, [change]: expected.length });
}

describe('the insights of a report', () => {
  let first: string;

  it('start with the fixes, and compare with nothing', async () => {
    first = await check({ '/': page('<p>Fine</p>'), '/two': page(FONT), '/three': page('<p>Also fine</p>') });
    const { data, meta } = await changes(first);
    assert.deepEqual([data, meta.with], [[], null]);
    const fixes = await service.all(`/reports/${first}/fixes`);
    assert.deepEqual(
      fixes.map(({ attributes: fix }) => [
        fix.markup,
        fix.tags.includes('obsolete element'),
        fix.how_many,
        fix.num_web_pages,
        fix.position,
        [fix.passing_before, fix.passing_after],
        [fix.passing_before_plan, fix.passing_after_plan],
      ]),
      [
        ['<center>', true, 3, 3, 1, [0, 2], [0, 2]],
        ['<font color="red">', true, 1, 1, 2, [0, 0], [2, 3]],
      ],
    );
    const { data: report } = await service.ask(`/reports/${first}`);
    assert.deepEqual(report.attributes.fix_effect, { fixes: 2, passing_before: 0, passing_after: 3 });
  });

  it('say what is new, fixed and still there, however the page around it changed', async () => {
    const id = await check({
      '/': page('<p>Another text</p>\n<ul><li>inserted</li></ul>'),
      '/two': page(`<p>inserted</p>\n${FONT.replace(/<font.*font>/, '<big>Big</big>')}`),
      '/three': page('<p>Also fine</p>'),
    });
    const { data, meta } = await changes(id);
    assert.equal(meta.with, first);
    assert.deepEqual(data.map(told), [
      'new (site): big 0 -> 1, 1 new',
      'fixed (site): font 1 -> 0, 1 fixed',
      'persisting (site): center 3 -> 3, 3 persisting',
    ]);
    assert.deepEqual(meta.changes, {
      new: 1,
      persisting: 3,
      fixed: 1,
      regressed: 0,
      not_checked_before: 0,
      unverified: 0,
    });
    const common = await service.all(`/reports/${id}/common_html_issues`);
    const [before] = await service.all(`/reports/${first}/common_html_issues`);
    assert.deepEqual(
      common.map(({ attributes }) => attributes.change),
      ['persisting', 'new'],
    );
    assert.equal(common[0]?.attributes.fingerprint, before?.attributes.fingerprint);
    assert.equal(common[0]?.attributes.first_seen_at, before?.attributes.first_seen_at);
    assert.equal((await service.all(`/reports/${id}/common_html_issues?filter[change]=new`)).length, 1);
  });

  it('say which site needs attention', async () => {
    const [shown] = await service.all('/sites');
    assert.deepEqual(shown?.attributes.change, { ...NO_CHANGE, new: 1, fixed: 1 });
    assert.equal(shown?.attributes.attention, 'new_errors');
  });

  it('say what has come back, and never claim that a page that failed is fixed', async () => {
    const id = await check({ '/': page('<p>Fine</p>', ''), '/two': page(FONT, '') });
    const { data } = await changes(id);
    assert.deepEqual(data.map(told).sort(), [
      'fewer (site): center 3 -> 0, 2 fixed, 1 unverified',
      'fixed (site): big 1 -> 0, 1 fixed',
      'regressed (site): font 0 -> 1, 1 regressed',
    ]);
    const onlyFixed = await changes(id, '?filter[change]=fixed');
    assert.equal(onlyFixed.data.length, 2);
    const withFirst = await changes(id, `?with=${first}`);
    assert.equal(withFirst.meta.with, first);
    assert.deepEqual(withFirst.data.map(told).sort(), [
      'fewer (site): center 3 -> 0, 2 fixed, 1 unverified',
      'persisting (site): font 1 -> 1, 1 persisting',
    ]);
    await toldOfPages(id, [['broken', '/three', 200, 500, 'error_status']], 'broken');
    const [shown] = await service.all('/sites');
    // What has come back ranks before the page that broke.
    assert.equal(shown?.attributes.attention, 'new_errors');
    assert.deepEqual(shown?.attributes.change, {
      ...NO_CHANGE,
      fixed: 3,
      regressed: 1,
      unverified: 1,
      broken_pages: 1,
    });
  });

  it('compare a page that failed last time with the report before that', async () => {
    const id = await check({
      '/': page('<p>Fine</p>', ''),
      '/two': page(FONT, ''),
      '/three': page('<p>Also fine</p>'),
    });
    assert.deepEqual((await changes(id)).data.map(told), [
      'not_checked_before (not_checked): center 0 -> 1, 1 not_checked_before',
      'persisting (site): font 1 -> 1, 1 persisting',
    ]);
    await toldOfPages(id, [['recovered', '/three', 500, 200, null]], 'recovered');
    const [shown] = await service.all('/sites');
    assert.equal(shown?.attributes.attention, 'has_errors');
    assert.deepEqual(shown?.attributes.change, { ...NO_CHANGE, not_checked_before: 1, recovered_pages: 1 });
  });

  it('follow the deletion of the previous report', async () => {
    const last = { '/': page('<p>Fine</p>', ''), '/two': page('<p>Fine</p>', ''), '/three': page('<p>Fine</p>', '') };
    const previous = await check(last);
    const id = await check(last);
    assert.equal((await changes(id)).meta.with, previous);
    await service.ask(`/reports/${previous}`, 'DELETE');
    await until(async () => (await changes(id)).meta.changes.fixed === 2);
  });

  it('say that occurrences are unverified because their page is gone', async () => {
    const before = await check({ '/': page('<p>Fine</p>'), '/two': page(FONT, '') }, { tags: ['gone'] });
    const id = await check({ '/': page('<p>Fine</p>'), '/two': GONE }, { tags: ['gone'] });
    const { data } = await changes(id, `?with=${before}`);
    assert.ok(data.map(told).includes('unverified (page_gone): font 1 -> 0, 1 unverified'), data.map(told).join());
    const list = await service.all(`/reports/${id}/changes/pages?with=${before}&filter[change]=broken`);
    assert.equal(list[0]?.attributes.http_status, 404);
  });

  it('list added and removed pages, and say that there is nothing to fix', async () => {
    const other = await check({ '/': page('<p>Fine</p>', '') }, { max_pages: 1 });
    const list = await service.all(`/reports/${other}/changes/pages?with=${first}`);
    assert.deepEqual(
      list.map(({ attributes: { change, url } }) => [change, url.slice(site.origin.length)]),
      [
        ['removed', '/three'],
        ['removed', '/two'],
      ],
    );
    const { data: report } = await service.ask(`/reports/${other}`);
    assert.deepEqual(report.attributes.fix_effect, { fixes: 0, passing_before: 1, passing_after: 1 });
    const { data } = await changes(other, `?with=${first}`);
    assert.deepEqual(data.map(told).sort(), [
      'fewer (settings): center 3 -> 0, 1 fixed, 2 unverified',
      'unverified (settings): font 1 -> 0, 1 unverified',
    ]);
  });

  it('say what only an upgrade of the engine changed', async () => {
    const same = { '/': page(FONT) };
    const before = await check(same, { deep_crawl: false, max_pages: 1 });
    await reportTransaction(service.app.db, before, async ({ trx }) => {
      await trx.updateTable('checks').set({ engine_version: 'vnu 1' }).where('report_id', '=', before).execute();
      await trx.deleteFrom('issues').where('report_id', '=', before).where('position', '=', 0).execute();
    });
    await service.compared(before);
    const id = await check(same, { deep_crawl: false, max_pages: 1 });
    assert.deepEqual((await changes(id)).data.map(told), [
      'regressed (engine): center 1 -> 1, 1 regressed',
      'persisting (site): font 1 -> 1, 1 persisting',
    ]);
  });

  it('compare with the previous report, even if it ends later', async () => {
    const settings = { starting_url: `${site.origin}/`, rate_limit: 50, max_pages: 2, exclusions: ['/two'] };
    pages = { '/': page(FONT), '/three': page('<p>Fine</p>') };
    const released = Promise.withResolvers<void>();
    gate = released.promise;
    const { data: slow } = await service.ask('/reports', 'POST', settings);
    await until(() => isHeld);
    gate = undefined;
    const { data: fast } = await service.ask('/reports', 'POST', settings);
    await service.finished(fast.id);
    await service.compared(fast.id);
    assert.notEqual((await changes(fast.id)).meta.with, slow.id);
    released.resolve();
    await service.finished(slow.id);
    await until(async () => (await changes(fast.id)).meta.with === slow.id);
  });

  it('say which runs of a schedule did not pass, by its fail_on at that time', async () => {
    pages = { '/': page(FONT) };
    const settings = {
      starting_url: `${site.origin}/`,
      rate_limit: 50,
      exclusions: ['/own'],
      max_pages: 1,
      tags: ['verdict'],
    };
    const schedule = await service.ask('/schedules', 'POST', {
      ...settings,
      fail_on: 'error,unchecked',
      periodicity: { every: 'deploy' },
    });
    const path = `/schedules/${schedule.data.id}`;
    const run = async (): Promise<string> => {
      const { id } = await service.finished((await service.ask(`${path}/runs`, 'POST')).data.id);
      await service.compared(id);
      return id;
    };
    const verdictOf = async (id: string) => (await service.ask(`/reports/${id}`)).data.attributes.verdict;
    const [first, failed] = [await run(), { passed: false, how_many: 2, fail_on: ['error', 'unchecked'] }];
    assert.deepEqual(await verdictOf(first), failed);
    const { related } = schedule.data.relationships.site.links;
    const shown = async () => (await service.ask(related)).data.attributes;
    // Errors that are known do not hide the verdict.
    await service.ask(related, 'PATCH', { acknowledged: true });
    assert.equal((await shown())?.attention, 'not_passed');

    await service.ask(path, 'PATCH', { fail_on: 'critical' });
    const second = await run();
    assert.deepEqual(await verdictOf(second), { passed: true, how_many: 0, fail_on: ['critical'] });
    assert.deepEqual(await verdictOf(first), failed);
    const { attention, runs } = (await shown()) ?? {};
    assert.equal(attention, 'none');
    const verdicts = runs.slice(0, 2).map(({ verdict }: { verdict: string }) => verdict);
    assert.deepEqual(verdicts, ['passed', 'failed']);

    await service.ask('/mutings', 'POST', { url_match: site.origin, message: 'element is obsolete' });
    await until(async () => (await verdictOf(first)).passed);
    assert.equal(await verdictOf((await service.all('/reports?sort=last_checked_at-asc'))[0]?.id ?? ''), null);
  });
});
