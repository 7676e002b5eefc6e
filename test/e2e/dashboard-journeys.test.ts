import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
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
  const basic_auth = { username: 'ada', password: 'open-sesame' };
  const settings = { starting_url: `${site.origin}/`, rate_limit: 100, perform_a11y_checks: true, basic_auth };
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
  await window.getByRole('columnheader', { name: 'Checked as' }).waitFor();
  await window
    .getByRole('cell', { name: /^signed in/ })
    .first()
    .waitFor();
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
  await dark.getByText('the journey “Looking around” stopped at / before this mark').waitFor();
  await dark.getByText('Step 4 of the journey (expect the text “Sale”) failed').first().waitFor();
  await dashboard.settled(dark);
  assert.deepEqual(await dashboard.axe(dark), []);
  await dark.getByRole('button', { name: 'Screenshot' }).click();
  await dark.getByRole('img', { name: /^Looking around › Sale, taken / }).waitFor();
  await dashboard.leave(dark);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

/** Inserts a step between others, moves it down and up with the keyboard, and removes it. */
async function insertAndMove(window: Page): Promise<void> {
  const choose = async (step: number, name: string) => {
    const menu = window.getByRole('button', { name: `More for Looking around, step ${step}` });
    await menu.press('Enter');
    await window.getByRole('menuitem', { name, exact: true }).press('Enter');
  };
  const focused = window.locator(':focus');
  const key = () => window.getByText(/^Looking around, Step \d: key$/).textContent();
  await choose(2, 'Insert step below');
  assert.equal(await focused.getAttribute('aria-label'), 'Looking around, Step 3: action');
  await focused.selectOption('press');
  await choose(3, 'Move down');
  assert.equal(await key(), 'Looking around, Step 4: key');
  assert.match(String(await focused.textContent()), /Looking around, step 4/);
  await choose(4, 'Move up');
  await choose(3, 'Move up');
  assert.equal(await key(), 'Looking around, Step 2: key');
  assert.match(String(await focused.textContent()), /Looking around, step 2/);
  await window.getByRole('button', { name: 'Remove Looking around, step 2' }).click();
  assert.match(String(await focused.textContent()), /Looking around, step 2/);
}

test('journeys are edited in the settings of a site, tried with screenshots, imported and saved', async () => {
  const { data: sites } = await dashboard.service.ask('/sites');
  const window = await dashboard.open(`/sites/${sites[0].id}/settings`);
  const button = (name: string) => window.getByRole('button', { name, exact: true });
  await window.getByText('Crawling', { exact: true }).first().click();
  const selector = window.getByLabel('Looking around, Step 2: selector');
  assert.equal(await selector.inputValue(), '#menu');
  await selector.fill('[');
  dashboard.expectStatus(422);
  await button('Save').click();
  await window.getByRole('link', { name: /^Journey 1 step 2 click is not a CSS selector/ }).click();
  assert.ok(await window.getByRole('group', { name: 'Journeys', exact: true }).locator(':focus').count());
  await selector.fill('#menu');
  await insertAndMove(window);
  for (const step of [5, 4]) await button(`Remove Looking around, step ${step}`).click();
  await button('Try it with Looking around').click();
  await window.getByText('The journey works.').waitFor({ timeout: 60_000 });
  await window.getByRole('img', { name: 'The page after step 3' }).waitFor();
  await selector.fill('#add');
  await window.getByText('The steps have changed since this result').waitFor();
  await selector.fill('#menu');
  const steps = [
    { type: 'navigate', url: `${site.origin}/` },
    { type: 'hover', selectors: [['#menu']] },
    { type: 'change', value: 'pear', selectors: [['#search']] },
  ];
  const group = window.getByRole('group', { name: 'Journeys', exact: true });
  const importFile = (content: object) =>
    group
      .getByLabel(/^Import a recording/)
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) });
  await importFile({ title: 'Recorded', steps });
  await window.getByText('Imported 2 steps. Left out: step 2 (hover).').waitFor();
  assert.equal(await window.getByLabel('Recorded, Step 2: value').inputValue(), 'pear');
  // Each URL of pa11y with actions is a journey, even if two have one path.
  const about = `${site.origin}/about`;
  const actions = ['click element #menu'];
  await importFile({ urls: [`${site.origin}/`, { url: about, actions }, { url: about, actions }] });
  await window.getByText('Imported 4 steps in 2 lists. Secrets are not imported: enter them.').waitFor();
  await dashboard.settled(window);
  assert.deepEqual(await dashboard.axe(window), []);
  await button('Save').click();
  await window.getByText('Saved.', { exact: true }).waitFor();
  const { data: changed } = await dashboard.service.ask(`/sites/${sites[0].id}`);
  assert.deepEqual(changed.attributes.journeys, [
    { name: 'Looking around', steps: JOURNEY.steps.slice(0, 3) },
    {
      name: 'Recorded',
      steps: [{ open: '/' }, { fill: '#search', value: 'pear' }, { check: 'Last page' }],
    },
    ...['/about', '/about 2'].map((name) => ({
      name,
      steps: [{ open: '/about' }, { click: '#menu' }, { check: 'Last page' }],
    })),
  ]);
  await dashboard.leave(window);
});

test('leaving a login, settings or rules that are not saved has to be confirmed', async () => {
  const { data: sites } = await dashboard.service.ask('/sites');
  const window = await dashboard.open(`/sites/${sites[0].id}/settings`);
  await window.getByLabel('Step 1: URL', { exact: true }).fill(`${site.origin}/login`);
  await window.getByText('These steps are not saved yet.').waitFor();
  let asked = 0;
  window.on('dialog', (dialog) => {
    asked += 1;
    void (asked === 2 ? dialog.accept() : dialog.dismiss());
  });
  await window.getByRole('link', { name: 'Reports', exact: true }).click();
  await window.getByRole('link', { name: 'Schedules', exact: true }).click();
  await window.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
  assert.equal(asked, 2);

  await dashboard.visit(window, `/sites/${sites[0].id}/settings`);
  await window.getByLabel('Notes').fill('Ask Kim.');
  await window.getByRole('link', { name: 'Reports', exact: true }).click();
  await window.getByRole('button', { name: 'Save', exact: true }).click();
  await window.getByText('Saved.', { exact: true }).waitFor();
  await window.getByRole('link', { name: 'Reports', exact: true }).click();
  await window.getByRole('heading', { name: 'Reports', level: 1 }).waitFor();
  assert.equal(asked, 3);

  await dashboard.visit(window, '/account/retention');
  await window.getByRole('button', { name: 'Add a rule' }).click();
  await window.getByRole('link', { name: 'Reports', exact: true }).click();
  await window.getByRole('button', { name: 'Preview' }).click();
  const save = window.getByRole('button', { name: 'Save rules' });
  await save.click();
  await window.getByText('Rules saved.').waitFor();
  assert.ok(await save.evaluate((button) => button.ownerDocument.activeElement === button));
  await window.getByRole('link', { name: 'Reports', exact: true }).click();
  await window.getByRole('heading', { name: 'Reports', level: 1 }).waitFor();
  assert.equal(asked, 4);
  await dashboard.leave(window);
});
