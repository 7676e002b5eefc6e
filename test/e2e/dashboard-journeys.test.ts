import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { type ShopSite, startShopSite } from '../helpers/shop-site.ts';
import type { Item } from '../helpers/start-app.ts';

/** Journeys in the dashboard: their marks among the pages, and a mark that a journey did not get to. */

const JOURNEY = {
  name: 'Looking around',
  steps: [{ open: '/' }, { click: '#menu' }, { check: 'Open menu' }, { expect: { text: 'Sale' } }, { check: 'Sale' }],
};

let site: ShopSite;
let dashboard: Dashboard;
let report: Item;
before(async () => {
  site = await startShopSite();
  dashboard = await startDashboard({}, ['html', 'a11y']);
  const { ask, finished } = dashboard.service;
  const settings = { starting_url: `${site.origin}/`, rate_limit: 100, perform_a11y_checks: true };
  const { data } = await ask('/reports', 'POST', { ...settings, only_journeys: true, journeys: [JOURNEY] });
  report = await finished(data.id);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

test('marks have their names, and show what was checked and why the journey failed', async () => {
  const window = await dashboard.open(`/reports/${report.id}/pages`);
  await window.getByRole('link', { name: 'Looking around › Open menu' }).waitFor();
  assert.deepEqual(await dashboard.axe(window), []);
  await window.getByRole('link', { name: 'Looking around › Open menu' }).click();
  await window.getByRole('heading', { name: 'Looking around › Open menu' }).waitFor();
  await window.getByText('the rendered DOM of /').waitFor();
  const open = window.getByRole('link', { name: 'Open the page in a new tab' });
  assert.equal(await open.getAttribute('href'), `${site.origin}/`);
  await dashboard.settled(window);
  assert.deepEqual(await dashboard.axe(window), []);
  await dashboard.leave(window);

  const dark = await dashboard.open(`/reports/${report.id}/pages`, { scheme: 'dark' });
  await dark.getByRole('link', { name: 'Looking around › Sale' }).click();
  await dark.getByText('the journey failed at /').waitFor();
  await dark.getByText('Step 4 of the journey (expect) failed').first().waitFor();
  await dashboard.settled(dark);
  assert.deepEqual(await dashboard.axe(dark), []);
  await dark.getByRole('button', { name: 'Screenshot' }).click();
  await dark.getByRole('img', { name: /^Looking around › Sale, taken / }).waitFor();
  await dashboard.leave(dark);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

test('journeys are entered in the settings of a site, with an error for each step that is wrong', async () => {
  const { data: sites } = await dashboard.service.ask('/sites');
  const window = await dashboard.open(`/sites/${sites[0].id}/settings`);
  const field = window.getByRole('textbox', { name: 'Journeys' });
  const section = window.getByText('Crawling', { exact: true }).first();
  if (!(await field.isVisible())) await section.click();
  assert.deepEqual(JSON.parse(await field.inputValue()), [JOURNEY]);
  await field.fill('[{"name": "Start", "steps": [{"open": "/"}, {"look": "Start"}]}]');
  dashboard.expectStatus(422);
  await window.getByRole('button', { name: /^Save/ }).first().click();
  await window.getByRole('link', { name: /^Journey 1 step 2 must have exactly one of open, .*check/ }).waitFor();
  await field.fill('[{"name": "Start", "steps": [{"open": "/"}, {"check": "Start"}]}]');
  await window.getByRole('button', { name: /^Save/ }).first().click();
  await window.getByRole('link', { name: /must have exactly one of open/ }).waitFor({ state: 'detached' });
  const { data: changed } = await dashboard.service.ask(`/sites/${sites[0].id}`);
  assert.deepEqual(
    changed.attributes.journeys.map(({ name }: { name: string }) => name),
    ['Start'],
  );
  await dashboard.leave(window);
});
