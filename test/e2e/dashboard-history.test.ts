import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What a site looks like, how its numbers developed, and why. */

let dashboard: Dashboard;
let site: TestSite;
/** Pages other than start pages wait for it. */
let held: Promise<void> | undefined;

const START = page(
  'Start',
  '<p style="color: #ccc; background: #fff">Pale</p><center>News</center><a href="/held">Next</a>',
);

const PAGES: Readonly<Record<string, string>> = {
  '/held': page('Held', '<p>Held'),
  '/more-pages/': page('First', '<center>News</center><a href="second">Second</a>'),
  '/more-pages/second': page('Second', '<center>News</center>'),
};

before(async () => {
  site = await startTestSite({
    '*': async (request, response) => {
      if (request.url === '/held') await held;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(PAGES[request.url ?? ''] ?? START);
    },
  });
  dashboard = await startDashboard();
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

interface ChangesMeta {
  readonly is_current: boolean;
  readonly changes: Readonly<Record<string, number>>;
}

const CHECKS = { perform_html_checks: true, perform_a11y_checks: true, rate_limit: 50, max_pages: 3 };

async function create(path: string, attributes: object = {}): Promise<string> {
  const { data } = await dashboard.service.ask('/sites', 'POST', {
    starting_url: `${site.origin}${path}`,
    ...CHECKS,
    ...attributes,
  });
  return data.id;
}

async function start(id: string): Promise<string> {
  return (await dashboard.service.ask(`/sites/${id}/runs`, 'POST', {})).data.id;
}

async function run(id: string): Promise<void> {
  await dashboard.service.finished(await start(id));
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
const stored = async (id: string): Promise<any> => (await dashboard.service.ask(`/sites/${id}`)).data.attributes;

async function assertFaultless(window: Page): Promise<void> {
  await dashboard.settled(window);
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(dashboard.takeFaults(), []);
}

/** Whether the thumbnail in a part of the screen has been drawn. */
const isDrawn = (part: ReturnType<Page['locator']>): Promise<boolean> =>
  part.locator('img').evaluate((image) => image.complete && image.naturalWidth === 320 && image.naturalHeight === 200);

for (const width of [1280, 390]) {
  test(`nothing on the screen of a site moves when its first run ends, ${width} pixels wide`, async () => {
    const released = Promise.withResolvers<void>();
    held = released.promise;
    const id = await create(`/first-${width}/`);
    await dashboard.service.ask('/schedules', 'POST', {
      ...{ site_id: id, starting_url: `${site.origin}/first-${width}/`, periodicity: { every: 'day' } },
    });
    const report = await start(id);
    const window = await dashboard.open(`/sites/${id}`, { width });
    await window.getByRole('table', { name: 'Last runs' }).getByText('In progress').waitFor();
    await window.getByText('Runs every day').waitFor();
    await assertFaultless(window);
    held = undefined;
    released.resolve();
    await dashboard.service.finished(report);
    await window.getByRole('table', { name: 'Last runs' }).getByText('finished').waitFor();
    await until(async () => isDrawn(window.locator('main')));
    await assertFaultless(window);
    await dashboard.leave(window);
  });
}

test('the overview and the screen of a site show its start page, its errors per page and its next run', async () => {
  const id = await create('/seen/', { name: 'Paper & Bean' });
  await run(id);
  await dashboard.service.ask('/schedules', 'POST', {
    ...{ site_id: id, starting_url: `${site.origin}/seen/`, periodicity: { every: 'month' }, time_of_day: '03:30' },
  });
  const bare = await create('/bare/', { name: 'Only HTML', perform_a11y_checks: false });
  await run(bare);
  assert.equal((await stored(bare)).thumbnail, null);

  const window = await dashboard.open('/');
  const row = window.getByRole('row').filter({ hasText: 'Paper & Bean' });
  await row.getByRole('img', { name: 'Start page of Paper & Bean' }).waitFor();
  await until(async () => isDrawn(row));
  const { errors_per_page, next_run_at } = await stored(id);
  assert.ok(errors_per_page > 0);
  await row.getByText(errors_per_page.toFixed(1), { exact: true }).waitFor();
  const next = row.locator('time').last();
  assert.equal(await next.getAttribute('datetime'), `${next_run_at}Z`);
  assert.match((await next.getAttribute('title')) ?? '', /^\w{3} \d+ \w+ \d{4}, \d\d:\d\d \S+/);
  const other = window.getByRole('row').filter({ hasText: 'Only HTML' });
  await other.getByText('OH', { exact: true }).waitFor();
  assert.equal(await other.locator('img').count(), 0);
  await assertFaultless(window);

  await dashboard.visit(window, `/sites/${id}`);
  await until(async () => isDrawn(window.locator('main')));
  await window.getByText(errors_per_page.toFixed(1), { exact: true }).first().waitFor();
  await assertFaultless(window);
  await dashboard.leave(window);
});

test('the history marks deployments, settings, engines and mutings, in words', async () => {
  const { ask, finished, app } = dashboard.service;
  const id = await create('/marks/', { name: 'Marks' });
  await run(id);
  await app.db.updateTable('report_checks').set({ engine_version: 'vnu 1.2.3' }).where('kind', '=', 'html').execute();
  const { data: schedule } = await ask('/schedules', 'POST', {
    site_id: id,
    starting_url: `${site.origin}/marks/`,
    periodicity: { every: 'deploy' },
    ...CHECKS,
  });
  const hook = await fetch(schedule.attributes.deploy_hook_url, { method: 'POST' });
  const { data } = (await hook.json()) as { data: { id: string } };
  await finished(data.id);
  const { data: muting } = await ask('/mutings', 'POST', { url_match: '/marks/', message: '“center” element' });
  await until(async () => (await ask(`/mutings/${muting.id}`)).data.attributes.how_many > 0);
  await ask(`/sites/${id}`, 'PATCH', { max_pages: 5 });
  await run(id);
  await ask(`/mutings/${muting.id}`, 'DELETE');
  await run(id);

  const window = await dashboard.open(`/sites/${id}`);
  const marks = window.getByRole('list', { name: 'Marks in the chart' }).getByRole('listitem');
  await marks.first().waitFor();
  const words = async () => (await marks.allTextContents()).map((text) => text.replace(/^.*\d\d:\d\d: /, ''));
  const [deployed, engine, ...others] = await words();
  assert.equal(deployed, 'Deployed');
  assert.match(engine ?? '', /^vnu 1 → \d+$/);
  assert.deepEqual(others, ['Settings: Maximum pages', '1 muting added', '1 muting removed']);
  assert.deepEqual(await window.locator('figure title').allTextContents(), [deployed, engine, ...others]);
  const table = window.getByRole('table', { name: 'Last runs' });
  await table.getByText('Settings: Maximum pages · 1 muting added').waitFor();
  await assertFaultless(window);

  await window.getByRole('button', { name: '2 changes of mutings' }).click();
  await until(async () => (await marks.count()) === 2);
  assert.deepEqual(await words(), ['1 muting added', '1 muting removed']);
  assert.match(window.url(), /marks=mutings/);
  await window.getByLabel('Show').selectOption('Pages passing, %');
  await window.getByRole('img', { name: /^Pages passing, % in the last 4 runs/ }).waitFor();
  await assertFaultless(window);
  await dashboard.leave(window);
});

test('without changed issues, the screen offers the occurrences that were not checked before', async () => {
  const id = await create('/more-pages/', { max_pages: 1 });
  await run(id);
  await dashboard.service.ask(`/sites/${id}`, 'PATCH', { max_pages: 2 });
  const report = await start(id);
  await dashboard.service.finished(report);
  const meta = async () => (await dashboard.service.ask<{ meta: ChangesMeta }>(`/reports/${report}/changes`)).meta;
  await until(async () => (await meta()).is_current);
  const { not_checked_before: count = 0, persisting = 0, ...others } = (await meta()).changes;
  assert.ok(count > 0 && persisting > 0, `${count} ${persisting}`);
  assert.deepEqual(others, { new: 0, regressed: 0, fixed: 0, unverified: 0 });
  const window = await dashboard.open(`/reports/${report}/changes`);
  const words = count === 1 ? '1 occurrence was' : `${count} occurrences were`;
  await window.getByText(`${words} not checked before`, { exact: true }).waitFor();
  await assertFaultless(window);
  await window.getByRole('button', { name: 'Show them' }).click();
  await window.getByRole('table', { name: 'Changes by issue type' }).waitFor();
  assert.equal(new URL(window.url()).searchParams.get('change'), 'not_checked_before');
  await assertFaultless(window);
  await dashboard.leave(window);
});
