import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { page } from '../helpers/faulty-pages.ts';
import { seedReport } from '../helpers/seed.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/**
 * The shortest ways of the people who use the dashboard, by keyboard alone: each in as many steps as it should take. Everything
 * is found by its role and name in the accessibility tree of the browser.
 */

/** More elements than any screen of these tests has. */
const tabsMax = 200;

/** The first has no text, which is less serious than an image without one. */
const LINKS = '<p><a href="/"></a><p><a href="/bread">Bread</a><p><a href="/cakes">Cakes</a>';
const routes: Record<string, string> = {
  '/': page('Bakery', LINKS),
  '/bread': page('Bread', '<p><img src="data:,">'),
  '/cakes': page('Cakes', '<p><img src="data:,">'),
};

let dashboard: Dashboard;
let site: TestSite;
let host = '';
let report: { readonly id: string; readonly attributes: { readonly share_url: string } };

before(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startTestSite(routes)]);
  host = site.origin.replace('http://', '');
  const { db } = dashboard.service.app;
  const { id } = await ensureFirstAccount(db);
  const failed = { account_id: id, status: 'failed', crawl_error: JSON.stringify(ANSWERED_404) } as const;
  // These sites do not respond.
  for (const path of ['/north/', '/south/']) {
    const url = `${site.origin}${path}`;
    await seedReport(db, { ...failed, starting_url: url }, ['html'], [{ url, httpStatus: 404, checks: {} }]);
  }
  await run();
  routes['/'] = page('Bakery', `<p id="menu">A<p id="menu">B${LINKS}`);
  report = await run();
  await dashboard.service.compared(report.id);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

async function run() {
  const { service } = dashboard;
  const settings = { perform_a11y_checks: true, store_screenshots: true, shared: true };
  const { data } = await service.ask('/reports', 'POST', { starting_url: `${site.origin}/`, ...settings });
  return service.finished(data.id);
}

test('a site owner goes from the overview to the new issues, and to their position in the source', async () => {
  const way = await start('/');
  await way.step(row(way.window, host).getByRole('link', { name: /^\d new$/ }), 'link "2 new"');
  await way.arrivesAt(host);
  await way.step(row(way.window, 'Duplicate ID “menu”.').getByRole('link', { name: /line 1$/ }), 'link "/, line 1"');
  await way.arrivesAt(host);
  await way.window.getByText('id="menu"').first().waitFor();
  assert.match(way.window.url(), /issue=html-\d+/);
  await way.end();
});

test('an agency first sees the failed runs, goes to the changes of a site, and repeats all failed runs', async () => {
  const way = await start('/');
  const { window } = way;
  const needs = window.getByRole('row').locator('td[data-title=Status]');
  await needs.first().waitFor();
  const told = (await needs.allInnerTexts()).map((text) => text.replace('\n', ' '));
  assert.deepEqual(told, ['✕ The run failed', '✕ The run failed', '■ 1 new error']);
  await way.step(row(window, host).getByRole('link', { name: '1 new error' }), 'link "1 new error"');
  await way.arrivesAt(host);
  await row(window, 'Duplicate ID “menu”.').first().waitFor();
  await window.goBack();
  await way.step(window.getByRole('button', { name: /^Run both/ }), 'button "Run both failed sites again"');
  const dialog = window.getByRole('dialog', { name: 'Run 2 failed sites again?' });
  await dialog.getByText(`${host}/north/, ${host}/south/`).waitFor();
  await way.step(dialog.getByRole('button', { name: /^Run/ }), 'button "Run 2 again"');
  await window.getByText('Started 2 reports.').waitFor();
  await ended();
  await way.end();
});

test('a specialist goes from the summary to the worst issue type, and continues by keys', async () => {
  const way = await start(`/reports/${report.id}`);
  const { window } = way;
  const checks = window.getByRole('main').getByRole('link', { name: 'Accessibility', exact: true });
  await way.step(checks.first(), 'link "Accessibility"');
  const alternative = 'Images must have alternative text';
  await way.step(window.getByRole('row').getByRole('link').first(), `link "${alternative}"`);
  await way.arrivesAt(alternative);
  await window.getByText('2 elements on 2 pages').first().waitFor();
  await window.keyboard.press('m');
  await window
    .getByRole('dialog', { name: 'Mute' })
    .getByText(/2 occurrences/)
    .waitFor();
  await window.keyboard.press('Escape');
  await window.keyboard.press(']');
  await way.window.getByText(/^2 of \d/).waitFor();
  await way.end();
});

test('a client reads what matters, sees a problem in its screenshot, and prints', async () => {
  const { pathname } = new URL(report.attributes.share_url);
  const way = await start(pathname, { isSignedIn: false });
  const { window } = way;
  await window.getByText("People who use a screen reader don't hear what the image shows.").first().waitFor();
  await window.evaluate('addEventListener("beforeprint", () => { document.title = "printed"; })');
  await way.step(window.getByRole('button', { name: 'Print' }), 'button "Print"');
  await until(async () => (await window.title()) === 'printed');
  await window.emulateMedia({ media: 'print' });
  assert.equal(await window.locator('button:visible, nav:visible, input:visible').count(), 0);
  await window.emulateMedia({ media: 'screen' });
  const images = window.getByRole('listitem').filter({ hasText: 'Images must have alternative text' });
  await images.getByText('also found by the HTML check').first().waitFor();
  await way.step(images.getByRole('link', { name: 'See it on a page' }), 'link "See it on a page"');
  const box = window.getByRole('region', { name: 'Screenshot' }).getByRole('button', { name: /alternative text/ });
  await box.and(window.locator('[aria-current=true]')).waitFor();
  await way.end();
});

// It changes the data that the other tests look at.
test('a developer opens a page by its link, fixes it, and has it checked again', async () => {
  // The counts of an issue that is gone are requested once more.
  dashboard.expectStatus(404);
  const pages = await dashboard.service.all(`/reports/${report.id}/web_pages`);
  const id = pages.find(({ attributes }) => attributes.url.endsWith('/bread'))?.id;
  const way = await start(`/reports/${report.id}/pages/${id}`);
  routes['/bread'] = page('Bread', '<p>Sold out');
  await way.step(way.window.getByRole('button', { name: 'Re-check' }), 'button "Re-check"');
  await way.window.getByText(/2 occurrences fixed/).waitFor();
  await way.window.reload();
  await way.step(way.window.getByText('Fixed issues'), 'DisclosureTriangle "Fixed issues"');
  await way.window.locator('s').filter({ hasText: 'alternative text' }).waitFor();
  // The results of the check arrive when it has ended, on a busy machine long after the click.
  await way.end(dashboard.takeFaultsButLateResults);
});

/** The row of a table with a text. */
function row(window: Page, text: string): Locator {
  return window.getByRole('row').filter({ hasText: text }).last();
}

/** Resolves when no report runs. */
async function ended(): Promise<void> {
  const { service } = dashboard;
  for (const { id, attributes } of await service.all('/reports')) {
    if (attributes.finished_at === null) await service.finished(id);
  }
}

/** Opens the screen at which a way starts. */
async function start(path: string, options = {}) {
  const window = await dashboard.open(path, options);
  return {
    window,
    /** Follows a link or presses a button. @param told what screen readers announce when it has the focus */
    async step(target: Locator, told: string): Promise<void> {
      await tabTo(window, target);
      assert.equal(await dashboard.told(window), told);
      await window.keyboard.press('Enter');
    },
    /** Waits for a screen, whose heading has the focus. */
    arrivesAt: (heading: string) =>
      until(async () => (await dashboard.told(window)) === `heading "${heading}"`, { pollMs: 100 }),
    /** Fails if something happened that should not. */
    async end(takeFaults = dashboard.takeFaults): Promise<void> {
      await dashboard.leave(window);
      assert.deepEqual(takeFaults(), []);
    },
  };
}

/** Moves the focus with Tab to an element. */
async function tabTo(window: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await window.keyboard.press('Tab');
  }
  throw new Error('The focus did not reach it.');
}
