import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';
import { seedSite } from '../helpers/sites.ts';
import { until } from '../helpers/until.ts';

/** What lists say about the results of runs and their sites, and in which order. */

const FONT = { type: 'error', message: 'The font element is obsolete.' } as const;
const found = (url: string): SeedPage => ({
  url,
  checks: { html: { status: 'checked', issues: [{ kind: FONT, occurrences: [{ html: '<font>' }] }] } },
});

let dashboard: Dashboard;
let owner: string;
before(async () => {
  dashboard = await startDashboard();
  owner = (await ensureFirstAccount(dashboard.service.app.db)).id;
});
after(() => dashboard?.close());

/** The text of the row of a site in a table. */
async function rowOf(window: Page, table: string, site: string): Promise<string> {
  await dashboard.settled(window);
  const row = window.getByRole('table', { name: table }).getByRole('row').filter({ hasText: site });
  return ((await row.textContent()) ?? '').replaceAll(/\s+/g, ' ');
}

test('a run that its schedule counts as failed is shown as failed everywhere', async () => {
  const { service } = dashboard;
  const url = 'http://strict.test/';
  const schedule = (await service.ask('/schedules', 'POST', { starting_url: url, periodicity: { every: 'deploy' } }))
    .data;
  const run = { account_id: owner, schedule_id: schedule.id, fail_on: ['error' as const], num_failing: 1 };
  const { reportId } = await seedReport(service.app.db, { ...run, starting_url: url }, ['html'], [found(url)]);
  const window = await dashboard.open('/');
  assert.match(await rowOf(window, 'Sites', 'strict.test'), /✕ did not pass/);
  await dashboard.load(window, '/reports');
  assert.match(await rowOf(window, 'Reports', 'strict.test'), /✕ did not pass/);
  await dashboard.load(window, '/schedules');
  assert.match(await rowOf(window, 'Schedules', 'strict.test'), /✕ did not pass/);
  for (const path of [`/schedules/${schedule.id}`, `/reports/${reportId}`]) {
    await dashboard.load(window, path);
    await window.getByText('did not pass').first().waitFor();
  }
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('a stopped run is not the newest state of its site', async () => {
  const { service } = dashboard;
  const url = 'http://stopped.test/';
  const run = { account_id: owner, starting_url: url };
  await seedReport(service.app.db, run, ['html'], [found(url), found(`${url}b`)]);
  const stopped = { ...run, crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }) };
  await seedReport(service.app.db, stopped, ['html'], [{ url, checks: { html: { status: 'checked' } } }]);
  const window = await dashboard.open('/');
  const row = await rowOf(window, 'Sites', 'stopped.test');
  assert.match(row, /Stopped early.*· stopped early.*1 of 1 checked/);
  assert.doesNotMatch(row, /100%|same|No /);
  await dashboard.load(window, '/stats');
  assert.match(await rowOf(window, 'Latest statistics', 'stopped.test'), /0 of 2, 0%/);
  await dashboard.load(window, '/reports');
  await dashboard.settled(window);
  const newest = window.getByRole('table', { name: 'Reports' }).getByRole('row').filter({ hasText: 'stopped early' });
  assert.equal(await newest.count(), 1);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('issues that need review come after errors of any impact, in the list and on the page', async () => {
  const review = { type: 'warning', message: 'Contrast needs review', ruleId: 'contrast', impact: 'serious' } as const;
  const mild = { type: 'error', message: 'Landmarks overlap', ruleId: 'landmark', impact: 'minor' } as const;
  const issues = [review, mild].map((kind) => ({ kind, occurrences: [{ html: '<p>', target: ['p'] }] }));
  const pages: SeedPage[] = [{ url: 'http://review.test/', checks: { a11y: { status: 'checked', issues } } }];
  const { reportId } = await seedReport(dashboard.service.app.db, { account_id: owner }, ['a11y'], pages);
  const window = await dashboard.open(`/reports/${reportId}/accessibility`);
  await dashboard.settled(window);
  const shown = async () =>
    (await window.getByRole('row').allTextContents()).flatMap((text) => /Contrast|Landmarks/.exec(text) ?? []);
  assert.deepEqual(await shown(), ['Landmarks', 'Contrast']);
  await dashboard.load(window, `/reports/${reportId}/accessibility?impact=critical,serious`);
  await window.getByText('No issues match the filters').waitFor();
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('sites have their names, and sites that differ only in their settings are told apart', async () => {
  const { db } = dashboard.service.app;
  const url = 'http://twins.test/';
  const page = (kind: 'html' | 'link'): SeedPage => ({ url, checks: { [kind]: { status: 'checked' } } });
  await seedReport(db, { account_id: owner, starting_url: url, max_pages: 20 }, ['html'], [page('html')]);
  await seedSite(db, owner, { starting_url: url, checks: ['html', 'link'] });
  await seedReport(db, { account_id: owner, starting_url: url }, ['html', 'link'], [page('link')]);
  const named = { account_id: owner, starting_url: 'http://named.test/' };
  await seedSite(db, owner, { starting_url: named.starting_url }, 'Our shop');
  await seedReport(db, named, ['html'], [page('html')]);
  const differences = ['HTML; up to 20 pages', 'HTML, Links; up to 10 pages'];
  const window = await dashboard.open('/');
  for (const path of ['/', '/reports', '/stats']) {
    await dashboard.load(window, path);
    await dashboard.settled(window);
    const rows = await window.getByRole('row').filter({ hasText: 'twins.test' }).allTextContents();
    for (const words of differences)
      assert.ok(
        rows.some((row) => row.includes(words)),
        `${path} ${words}`,
      );
    await window.getByRole('row', { name: 'Our shop' }).filter({ hasText: 'named.test' }).first().waitFor();
  }
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('the overview fits a window of 1280 pixels, even with large numbers and long names', async () => {
  const url = 'http://large.test/';
  const pages: readonly SeedPage[] = [{ url, checks: { html: { status: 'checked' } } }];
  await seedReport(dashboard.service.app.db, { account_id: owner, starting_url: url }, ['html'], pages);
  const window = await dashboard.open('/reports', { isAlone: true });
  await window.route(/\/api\/v1\/sites\?/, async (route) => {
    const response = await route.fetch();
    const document = await response.json();
    for (const { attributes } of document.data) {
      const [last] = attributes.runs;
      if (last === undefined) continue;
      const { report_id } = last;
      const change = { new: 1234, regressed: 123, not_checked_before: 1234, fixed: 123, unverified: 12 };
      const pages = { passed: 1234, checked: 12_345, severe_free: { pages: 1234, checked: 12_345 } };
      Object.assign(last, { ...pages, errors_per_page: 1234.5, errors: 123_456, critical: 1234, change });
      Object.assign(last, { verdict: 'failed', now: null });
      Object.assign(attributes, {
        name: 'Municipality of Oberndorf, citizens’ portal and registry office',
        ...{ change, attention: 'new_critical', next_run_at: '2099-09-29T10:00:00' },
        unacknowledged: {
          ...{ report_id, since_report_id: report_id, since: '2026-09-29T10:00:00' },
          ...{ new_errors: 1234, new_critical: 1234, broken_pages: 123 },
        },
      });
    }
    await route.fulfill({ response, json: document });
  });
  await dashboard.load(window, '/');
  await window.getByText('1,234 new errors, 1,234 critical').first().waitFor();
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  assert.ok(Number(await window.evaluate(overflow)) <= 0);
  const tooWide =
    'Array.from(document.querySelectorAll("td")).filter((cell) => cell.scrollWidth > cell.clientWidth).length';
  assert.equal(await window.evaluate(tooWide), 0);
  await window.context().close();
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('the overview counts the sites that it marks', async () => {
  const window = await dashboard.open('/');
  await dashboard.settled(window);
  const marked = await window.getByRole('link', { name: /Has errors|Did not pass|new errors?|failed/ }).count();
  assert.ok(marked > 1, String(marked));
  await window.getByText(`, ${marked} need attention`).waitFor();
  await dashboard.leave(window);
});

test('a site that its deploy hook checks is not offered a schedule', async () => {
  const url = 'http://hooked.test/';
  const settings = { starting_url: url, max_pages: 10, perform_html_checks: true, perform_a11y_checks: false };
  const { service } = dashboard;
  const hook = { ...settings, periodicity: { every: 'deploy' } };
  const { id } = (await service.ask('/schedules', 'POST', hook)).data;
  await seedReport(service.app.db, { account_id: owner, starting_url: url }, ['html'], [found(url)]);
  const window = await dashboard.open('/');
  assert.match(await rowOf(window, 'Sites', 'hooked.test'), /on deploy/);
  await service.ask(`/schedules/${id}`, 'PATCH', { active: false });
  await dashboard.load(window, '/');
  assert.match(await rowOf(window, 'Sites', 'hooked.test'), /Schedule/);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('a muting of some elements names their selector, and keeps it when its deletion is undone', async () => {
  const { service } = dashboard;
  const muting = { url_match: 'shop.test', message: 'color-contrast', selector: '.badge-counter' };
  await service.ask('/mutings', 'POST', muting);
  const window = await dashboard.open('/mutings');
  await window.getByRole('row', { name: 'color-contrast in .badge-counter' }).waitFor();
  await window.getByRole('button', { name: 'Delete the muting of color-contrast in .badge-counter' }).click();
  await window.getByRole('button', { name: 'Undo' }).click();
  await until(async () => {
    const [restored] = await service.all('/mutings');
    return restored?.attributes['selector'] === muting.selector;
  });
  await window.getByRole('row', { name: 'color-contrast in .badge-counter' }).waitFor();
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});
