import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * The shortest ways of the people who use the dashboard, by mouse and by keyboard alone. Everything is found by its role and
 * name, as screen readers tell it.
 */

/** How somebody follows a link or presses a button. */
type Press = (page: Page, target: Locator) => Promise<void>;

const WAYS: readonly (readonly [name: string, press: Press])[] = [
  ['mouse', (_page, target) => target.click()],
  ['keyboard', pressByKeyboard],
];
/** More elements than any screen of these tests has. */
const tabsMax = 200;

const routes: Record<string, string> = {
  '/': page('Bakery', '<p><a href="/bread">Bread</a><p><a href="/cakes">Cakes</a>'),
  '/bread': page('Bread', '<p><img src="data:,">'),
  '/cakes': page('Cakes', '<p><img src="data:,">'),
};

let dashboard: Dashboard;
let site: TestSite;
let reportId = '';

before(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startTestSite(routes)]);
  const { service } = dashboard;
  const run = async (): Promise<void> => {
    const settings = { starting_url: `${site.origin}/`, perform_a11y_checks: true, store_screenshots: true };
    const { data } = await service.ask('/reports', 'POST', settings);
    await service.finished(data.id);
    reportId = data.id;
  };
  await run();
  routes['/'] = page(
    'Bakery',
    '<p id="menu">A<p id="menu">B<p><a href="/bread">Bread</a><p><a href="/cakes">Cakes</a>',
  );
  await run();
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

for (const [name, press] of WAYS) {
  describe(`by ${name}`, () => {
    test('a site owner goes from the overview to what is new, and to its place in the source', async () => {
      const window = await dashboard.open('/');
      await press(window, window.getByRole('link', { name: /\+?2 new/ }));
      await press(window, window.getByRole('link', { name: 'Duplicate ID “menu”.' }).first());
      await press(window, window.getByRole('link', { name: /line 1/ }).first());
      await window.getByRole('heading', { level: 1, name: site.origin.replace('http://', '') }).waitFor();
      await window.getByText('id="menu"').first().waitFor();
      assert.match(window.url(), /issue=html-\d+/);
      await end(window);
    });

    test('a specialist goes from the summary to the worst kind, and on to the next', async () => {
      const window = await dashboard.open(`/reports/${reportId}`);
      await press(window, window.getByRole('main').getByRole('link', { name: 'Accessibility', exact: true }).first());
      await window.getByRole('table').waitFor();
      await press(window, window.getByRole('link', { name: 'Images must have alternative text' }));
      await window.getByRole('heading', { level: 1, name: 'Images must have alternative text' }).waitFor();
      await window.getByText('2 elements on 2 pages').first().waitFor();
      await press(window, window.getByRole('button', { name: 'Mute…' }));
      await window
        .getByRole('dialog')
        .getByText(/2 places/)
        .waitFor();
      await window.keyboard.press('Escape');
      await end(window);
    });
  });
}

// These change what the others look at.
for (const [name, press] of WAYS) {
  test(`a developer opens a page by its link, fixes it, and has it checked again, by ${name}`, async () => {
    const pages = await dashboard.service.all(`/reports/${reportId}/web_pages`);
    const [path, content] = name === 'mouse' ? ['/bread', 'Bread'] : ['/cakes', 'Cakes'];
    const id = pages.find(({ attributes }) => attributes.url.endsWith(path))?.id;
    const window = await dashboard.open(`/reports/${reportId}/pages/${id}`);
    routes[path] = page(content, '<p>Sold out');
    await press(window, window.getByRole('button', { name: 'Re-check' }));
    await window.getByText(/2 places fixed/).waitFor({ timeout: 60_000 });
    await end(window);
  });
}

/** Fails if something happened that should not. */
async function end(window: Page): Promise<void> {
  await window.close();
  assert.deepEqual(dashboard.takeFaults(), []);
}

/** Moves the focus with Tab to an element, and presses Enter there. */
async function pressByKeyboard(window: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) {
      await window.keyboard.press('Enter');
      return;
    }
    await window.keyboard.press('Tab');
  }
  throw new Error('The focus did not reach it.');
}
