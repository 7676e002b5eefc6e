import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { seedReport } from '../helpers/seed.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Sites through the dashboard, from their creation to their deletion. */

const PAGE = '<!doctype html><html lang="en"><title>Shop</title><p>Shop';
/** A site that asks for a password. */
const PASSWORD = `Basic ${btoa('me:secret')}`;

let dashboard: Dashboard;
let website: TestSite;
let window: Page;
let url: string;
/** The path of the site's screen. */
let path: string;

before(async () => {
  website = await startTestSite({
    '/': (request, response) => {
      response.statusCode = request.headers.authorization === PASSWORD ? 200 : 401;
      response.setHeader('content-type', 'text/html');
      response.end(PAGE);
    },
  });
  url = `${website.origin}/`;
  dashboard = await startDashboard();
  window = await dashboard.open('/');
});
after(async () => {
  await dashboard?.close();
  await website?.stop();
});

const button = (name: string | RegExp, within: Pick<Page, 'getByRole'> = window) =>
  within.getByRole('button', { name, exact: true });
const link = (name: string) => window.getByRole('link', { name, exact: true });
const field = (name: string) => window.getByLabel(name, { exact: true });
const row = (text: string) => window.getByRole('table', { name: 'Sites' }).getByRole('row').filter({ hasText: text });
// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
const stored = async (): Promise<any> => (await dashboard.service.ask(path)).data.attributes;

/** Asserts that the screen has no findings, and that nothing unexpected has happened. */
async function assertFaultless(): Promise<void> {
  await dashboard.settled(window);
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

test('a new site is not checked until it is run, with its credentials', async () => {
  const { service } = dashboard;
  await link('New site').click();
  await field('Name').fill('Shop');
  await field('Notes').fill('Ask Kim.\nBefore noon.');
  await window.getByRole('textbox', { name: 'Address (required)' }).fill(url);
  await field('Device').selectOption(IPHONE_15);
  await window.getByText('Sign in to the site').click();
  await field('Username').fill('me');
  await field('Password').fill('secret');
  await assertFaultless();
  await button('Create site').click();
  await window.getByRole('heading', { name: 'Shop' }).waitFor();
  path = new URL(window.url()).pathname;
  await window.getByText('This site has not been checked yet').waitFor();
  await window.getByText('Ask Kim.').waitFor();
  const { num_reports, signs_in, notes } = await stored();
  assert.deepEqual([num_reports, signs_in, notes], [0, true, 'Ask Kim.\nBefore noon.']);
  await link('New schedule').waitFor();
  await assertFaultless();

  await button('Run now').click();
  await window.getByText('Started 1 report.').waitFor();
  // The numbers of the site replace the hint when its first report begins, and move what is below it.
  await dashboard.load(window, '/account');
  const [report] = await service.all('/reports');
  const { attributes, relationships } = await service.finished(report?.id ?? '');
  assert.deepEqual([attributes.status, attributes.num_pages, attributes.signs_in], ['finished', 1, true]);
  assert.ok(relationships.device.links.related.endsWith(IPHONE_15));
  await dashboard.load(window, path);
  await window.getByRole('table', { name: 'Last runs' }).waitFor();
});

test('edited settings apply to the next run, and other reports keep theirs', async () => {
  const { service } = dashboard;
  await link('Settings').click();
  await window.getByText('Existing reports keep their settings.').waitFor();
  await dashboard.settled(window);
  assert.equal(await field('Device').inputValue(), IPHONE_15);
  await field('Maximum pages').fill('0');
  dashboard.expectStatus(422);
  await button('Save').click();
  await window.getByRole('alert').getByText('Maximum pages').waitFor();
  await field('Name').fill('Big shop');
  await field('Maximum pages').fill('7');
  await button('Save').click();
  await window.getByText('Saved.').waitFor();
  await window.getByText('Sign in to the site').click();
  await window.getByText('Credentials are stored.').waitFor();
  await assertFaultless();
  const { name, max_pages, signs_in, notes } = await stored();
  assert.deepEqual([name, max_pages, signs_in, notes], ['Big shop', 7, true, 'Ask Kim.\nBefore noon.']);

  await dashboard.load(window, '/');
  await button('Run again: Big shop').click();
  await until(async () => (await stored()).num_reports === 2, 30_000, 50);
  const sizes = (await service.all('/reports')).map(({ attributes }) => attributes.max_pages);
  assert.deepEqual(
    sizes.toSorted((one, other) => one - other),
    [7, 100],
  );
  for (const { id } of await service.all('/reports')) await service.finished(id);
});

test('reports and schedules of a site start from its settings and belong to it', async () => {
  const { service } = dashboard;
  await dashboard.load(window, path);
  await link('New schedule').click();
  await window.getByText('A schedule with the settings of the site Big shop').waitFor();
  assert.equal(await field('Maximum pages').inputValue(), '7');
  assert.deepEqual([await field('Address').inputValue(), await field('Address').isEditable()], [url, false]);
  await field('When').selectOption('deploy');
  await button('Save schedule').click();
  await window.waitForURL(/\/schedules\/[\da-f-]{36}$/);
  const [schedule] = await service.all('/schedules');
  assert.ok(schedule?.relationships.site.links.related.endsWith(path));

  await dashboard.load(window, path);
  await link('Edit and run').click();
  await window.getByText('A report with the settings of the site Big shop').waitFor();
  // Another address of the same website.
  await window.getByRole('textbox', { name: 'Address (required)' }).fill(`${url}blog`);
  await button('Start checking').click();
  await window.waitForURL(/\/reports\/[\da-f-]{36}$/);
  await service.finished(new URL(window.url()).pathname.split('/').at(-1) ?? '');
  const { num_reports, num_schedules, starting_url } = await stored();
  assert.deepEqual([num_reports, num_schedules, starting_url], [3, 1, url]);
});

test('a site and a schedule whose credentials cannot be read say so in lists', async () => {
  const { db } = dashboard.service.app;
  await sql`UPDATE sites SET site_access = site_access || '\\x00'`.execute(db);
  await sql`UPDATE schedules SET site_access = (SELECT site_access FROM sites LIMIT 1)`.execute(db);
  await dashboard.load(window, '/');
  const needs = window.getByRole('link', { name: 'Needs credentials' });
  assert.equal(await needs.getAttribute('href', { timeout: 20_000 }), `${path}/settings`);
  await assertFaultless();
  await dashboard.load(window, path);
  await needs.waitFor();
  await dashboard.load(window, '/schedules');
  await needs.click();
  await window.getByText('Enter them again').waitFor({ state: 'attached' });
  await assertFaultless();
  await db.updateTable('sites').set({ site_access: null }).execute();
});

test('an archived site is listed only on request, and can be restored', async () => {
  await dashboard.load(window, `${path}/settings`);
  await button('Archive site').click();
  await button('Restore site').waitFor();
  assert.equal((await stored()).archived, true);
  await dashboard.load(window, '/');
  await window.getByText('All sites are archived').waitFor();
  await assertFaultless();
  await field('Show').selectOption('archived');
  await row('Big shop').getByText('Archived').waitFor();
  assert.equal(await row('Big shop').getByText('on deploy').count(), 0);
  await field('Name or address').fill('nothing');
  await window.getByText('No sites match the filters').waitFor();
  await field('Name or address').fill('BIG');
  await row('Big shop').getByRole('link', { name: 'Big shop' }).click();
  await window.getByRole('heading', { name: 'Big shop' }).waitFor();
  await window.getByText('Archived', { exact: true }).waitFor();
  await link('Settings').click();
  await button('Restore site').click();
  await button('Archive site').waitFor();
  assert.equal((await stored()).archived, false);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

test('a login form is tried with screenshots, saved and removed', async () => {
  await dashboard.load(window, `${path}/settings`);
  await window.getByLabel('Step 1: URL').fill(url);
  for (const step of [4, 3]) await button(`Remove step ${step}`).click();
  await window.getByLabel('Step 2: action').selectOption('expect');
  await window.getByLabel('Step 2: URL contains').fill('http');
  await button('Try it').click();
  // A login waits until the last page has stopped loading.
  await window.getByText('The login works.').waitFor({ timeout: 60_000 });
  await window.getByRole('img', { name: 'The page after step 2' }).waitFor();
  await assertFaultless();
  await button('Save login').click();
  await button('Remove login…').waitFor();
  assert.deepEqual((await stored()).login.steps, [{ open: url }, { expect: { url: 'http' } }]);
  await button('Remove login…').click();
  await window.getByRole('dialog').getByRole('button', { name: 'Remove login' }).click();
  await window.getByText('Login removed.').waitFor();
  assert.equal((await stored()).login, null);
});

test('sites are sorted by name, or else by address', async () => {
  const { db } = dashboard.service.app;
  const { id } = await ensureFirstAccount(db);
  for (const host of ['alpha', 'zeta']) {
    await seedReport(db, { account_id: id, starting_url: `http://${host}.test/` }, ['html'], []);
  }
  await dashboard.load(window, '/?sort=name-asc');
  await dashboard.settled(window);
  const names = await window
    .getByRole('table', { name: 'Sites' })
    .locator('tbody a[href^="/sites/"]')
    .allTextContents();
  assert.deepEqual(names, ['alpha.test', 'Big shop', 'zeta.test']);
});

test('a site is merged into another one, which has the reports of both', async () => {
  // An event can make the screen read the removed site before it closes.
  dashboard.expectStatus(404);
  const before = await stored();
  await dashboard.load(window, '/?text=zeta');
  await row('zeta.test').getByRole('link', { name: 'zeta.test', exact: true }).click();
  await link('Settings').click();
  await button('Merge…').click();
  const dialog = window.getByRole('dialog', { name: 'Merge zeta.test into another site' });
  await dialog.getByText('Moves 1 report to the other site.').waitFor();
  await dialog.getByLabel('alpha.test').waitFor();
  await button('Merge', dialog).click();
  await dialog.getByRole('alert').getByText('Choose a site.').waitFor();
  await dialog.getByLabel('Find a site').fill('big');
  await dialog.getByLabel('alpha.test').waitFor({ state: 'detached' });
  await dialog.getByLabel('Big shop').check();
  await assertFaultless();
  await button('Merge', dialog).click();
  await window.getByText('zeta.test merged into Big shop.').waitFor();
  assert.equal(new URL(window.url()).pathname, path);
  assert.equal((await stored()).num_reports, before.num_reports + 1);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

test('deleting a site names what is deleted with it', async () => {
  const { num_reports: reports, num_web_pages: pages } = await stored();
  const words = `Deletes ${reports} reports with ${pages} page${pages === 1 ? '' : 's'} and 1 schedule.`;
  await link('Settings').click();
  await window.getByText(words, { exact: true }).waitFor();
  await button('Delete site…').click();
  const dialog = window.getByRole('dialog', { name: 'Delete Big shop?' });
  await dialog.getByText(words).waitFor();
  await assertFaultless();
  await button('Delete site', dialog).click();
  await window.getByRole('heading', { name: 'Overview' }).waitFor();
  await row('alpha.test').waitFor();
  assert.equal(await row('Big shop').count(), 0);
  assert.deepEqual(await dashboard.service.all('/schedules'), []);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});
