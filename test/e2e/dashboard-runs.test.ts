import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { seedReport } from '../helpers/seed.ts';
import { type ShopSite, startShopSite } from '../helpers/shop-site.ts';
import type { Item } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What the runs of a site led to: its history and its journeys. */

const CENTER = { type: 'error', message: 'The “center” element is obsolete.' } as const;

let dashboard: Dashboard;
let site: TestSite;
let window: Page;
/** The second page of a site waits for it. */
let held: Promise<void> | undefined;

const PAGES: Readonly<Record<string, string>> = {
  '/seen/': page('Start', '<p><a href="/held">Next</a>'),
  '/kept/': page('Kept', '<center>Kept</center><a href="/held">Next</a>'),
  '/held': page('Held', '<p>Held'),
  '/more-pages/': page('First', '<center>News</center><a href="second">Second</a>'),
  '/more-pages/second': page('Second', '<center>News</center>'),
};

before(async () => {
  site = await startTestSite({
    '*': async (request, response) => {
      if (request.url === '/held') await held;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(PAGES[request.url ?? '']);
    },
  });
  dashboard = await startDashboard();
  window = await dashboard.open('/account');
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

async function create(path: string, attributes: object = {}): Promise<string> {
  const settings = { starting_url: `${site.origin}${path}`, max_pages: 3, ...attributes };
  return (await dashboard.service.ask('/sites', 'POST', settings)).data.id;
}

async function start(id: string): Promise<string> {
  return (await dashboard.service.ask(`/sites/${id}/runs`, 'POST', {})).data.id;
}

async function run(id: string): Promise<string> {
  const report = await start(id);
  await dashboard.service.finished(report);
  return report;
}

function assertFaultless(): void {
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

describe('the history of a site', () => {
  /** A site that has run once. */
  let seen: string;
  /** Whether the thumbnail in a part of the screen has been drawn. */
  const isDrawn = (part: ReturnType<Page['locator']>): Promise<boolean> =>
    part
      .locator('img')
      .evaluate((image) => image.complete && image.naturalWidth === 320 && image.naturalHeight === 200);

  test('begins with its first run, at whose end nothing on the screen moves, in any width', async () => {
    const { ask, finished, compared } = dashboard.service;
    const released = Promise.withResolvers<void>();
    held = released.promise;
    seen = await create('/seen/', { perform_a11y_checks: true });
    const schedule = { site_id: seen, starting_url: `${site.origin}/seen/`, periodicity: { every: 'day' } };
    await ask('/schedules', 'POST', schedule);
    const report = await start(seen);
    const narrow = await dashboard.open(`/sites/${seen}`, { width: 390 });
    await dashboard.visit(window, `/sites/${seen}`);
    const lastRuns = (each: Page) => each.getByRole('table', { name: 'Last runs' });
    for (const each of [window, narrow]) {
      await lastRuns(each).getByText('In progress').waitFor();
      await each.getByText('Runs every day').waitFor();
      await dashboard.settled(each);
    }
    assert.deepEqual(dashboard.takeFaults(), []);
    held = undefined;
    released.resolve();
    await finished(report);
    await compared(report);
    for (const each of [window, narrow]) {
      await lastRuns(each).getByText('finished').waitFor();
      await until(async () => isDrawn(each.locator('main')));
      await dashboard.settled(each);
    }
    assert.deepEqual(dashboard.takeFaults(), []);
    await narrow.close();
  });

  test('shows a report while it runs, and leaves its results in place when it ends', async () => {
    const released = Promise.withResolvers<void>();
    held = released.promise;
    const report = await start(await create('/kept/'));
    await dashboard.visit(window, `/reports/${report}`);
    await window.getByRole('heading', { name: 'Finding pages' }).waitFor();
    await window.getByText(/^1 page found \(maximum 3\)/).waitFor();
    await dashboard.settled(window);
    held = undefined;
    released.resolve();
    await window.getByRole('heading', { name: 'Finished' }).waitFor();
    await window.getByText(/^2 pages found · 2 checks done · 1 error$/).waitFor();
    await window.getByText('1 → 2 of 2 pages pass').waitFor();
    await window.getByRole('heading', { name: 'Not checked' }).waitFor();
    await dashboard.settled(window);
    assert.deepEqual(dashboard.takeFaults(), []);
    await dashboard.visit(window, '/');
    await dashboard.visit(window, `/reports/${report}`);
    await window.getByRole('heading', { name: 'Not checked' }).waitFor();
    assert.equal(await window.getByRole('heading', { name: 'Finished' }).count(), 0);
  });

  test('is on the overview and its screen: its start page, its errors per page and its next run', async () => {
    const { ask, app } = dashboard.service;
    await ask(`/sites/${seen}`, 'PATCH', { name: 'Paper & Bean' });
    const url = `${site.origin}/bare/`;
    const bare = await create('/bare/', { name: 'Only HTML' });
    const { id: owner } = await ensureFirstAccount(app.db);
    const issues = [{ kind: CENTER, occurrences: [{ html: '<center>' }] }];
    const checked = [{ url, checks: { html: { status: 'checked', issues } } }] as const;
    await seedReport(app.db, { account_id: owner, starting_url: url }, ['html'], checked);
    const stored = async (id: string) => (await ask(`/sites/${id}`)).data.attributes;
    const { errors_per_page, thumbnail } = await stored(bare);
    assert.deepEqual([errors_per_page, thumbnail], [1, null]);

    await dashboard.visit(window, '/');
    const row = window.getByRole('row').filter({ hasText: 'Paper & Bean' });
    await row.getByRole('img', { name: 'Start page of Paper & Bean' }).waitFor();
    await until(async () => isDrawn(row));
    const next = row.locator('time').last();
    assert.equal(await next.getAttribute('datetime'), `${(await stored(seen)).next_run_at}Z`);
    assert.match((await next.getAttribute('title')) ?? '', /^\w{3} \d+ \w+ \d{4}, \d\d:\d\d \S+/);
    const other = window.getByRole('row').filter({ hasText: 'Only HTML' });
    await other.getByText('OH', { exact: true }).waitFor();
    assert.equal(await other.locator('img').count(), 0);
    await other.getByText('1.0', { exact: true }).waitFor();
    await dashboard.visit(window, `/sites/${bare}`);
    await window.getByText('1.0', { exact: true }).first().waitFor();
    assertFaultless();
    await dashboard.visit(window, '/account');
  });

  test('marks deployments, settings, engines and mutings, in words', async () => {
    const { ask, app } = dashboard.service;
    const { id: owner } = await ensureFirstAccount(app.db);
    const url = `${site.origin}/marks/`;
    const id = await create('/marks/', { name: 'Marks' });
    const issues = [{ kind: CENTER, occurrences: [{ html: '<center>' }] }];
    const seed = async (engine: string, attributes: object) => {
      const report = { account_id: owner, starting_url: url, max_pages: 3, ...attributes };
      const checked = [{ url, checks: { html: { status: 'checked', issues } } }] as const;
      const { reportId } = await seedReport(app.db, report, ['html'], checked);
      const checks = app.db.updateTable('report_checks').set({ engine_version: engine });
      await checks.where('report_id', '=', reportId).execute();
    };
    await seed('vnu 1.2.3', {});
    await seed('vnu 26.1.1', { by_deploy_hook: true });
    const { data: muting } = await ask('/mutings', 'POST', { url_match: '/marks/', message: '“center” element' });
    await until(async () => (await ask(`/mutings/${muting.id}`)).data.attributes.how_many > 0);
    await seed('vnu 26.1.1', { max_pages: 5 });
    await ask(`/mutings/${muting.id}`, 'DELETE');
    await seed('vnu 26.1.1', { max_pages: 5 });

    await dashboard.visit(window, `/sites/${id}`);
    const marks = window.getByRole('list', { name: 'Marks in the chart' }).getByRole('listitem');
    await marks.first().waitFor();
    const words = async () => (await marks.allTextContents()).map((text) => text.replace(/^.*\d\d:\d\d: /, ''));
    const all = ['Deployed', 'vnu 1 → 26', 'Settings: Maximum pages', '1 muting added', '1 muting removed'];
    assert.deepEqual(await words(), all);
    assert.deepEqual(await window.locator('figure title').allTextContents(), all);
    const table = window.getByRole('table', { name: 'Last runs' });
    await table.getByText('Settings: Maximum pages · 1 muting added').waitFor();

    await window.getByRole('button', { name: '2 muting changes' }).click();
    await until(async () => (await marks.count()) === 2);
    assert.deepEqual(await words(), ['1 muting added', '1 muting removed']);
    assert.match(window.url(), /marks=mutings/);
    await window.getByLabel('Show').selectOption('Pages passing, %');
    await window.getByRole('img', { name: /^Pages passing, % in the last 4 runs/ }).waitFor();
    await dashboard.settled(window);
    assert.deepEqual(await dashboard.axe(window), []);
    assertFaultless();
  });

  test('offers the occurrences that were not checked before if no issue has changed', async () => {
    const id = await create('/more-pages/', { max_pages: 1 });
    await run(id);
    await dashboard.service.ask(`/sites/${id}`, 'PATCH', { max_pages: 2 });
    const report = await run(id);
    await dashboard.service.compared(report);
    const { meta } = await dashboard.service.ask<{ meta: { changes: Record<string, number> } }>(
      `/reports/${report}/changes`,
    );
    const { not_checked_before: count = 0, persisting = 0, ...others } = meta.changes;
    assert.ok(count > 0 && persisting > 0, `${count} ${persisting}`);
    assert.deepEqual(others, { new: 0, regressed: 0, fixed: 0, unverified: 0 });
    await dashboard.visit(window, `/reports/${report}/changes`);
    const words = count === 1 ? '1 occurrence was' : `${count} occurrences were`;
    await window.getByText(`${words} not checked before`, { exact: true }).waitFor();
    await window.getByRole('button', { name: 'Show them' }).click();
    await window.getByRole('table', { name: 'Changes by issue type' }).waitFor();
    assert.equal(new URL(window.url()).searchParams.get('change'), 'not_checked_before');
    assertFaultless();
  });
});

describe('the journeys of a site', () => {
  const JOURNEY = {
    name: 'Looking around',
    steps: [{ open: '/' }, { click: '#menu' }, { check: 'Open menu' }, { expect: { text: 'Sale' } }, { check: 'Sale' }],
  };

  let shop: ShopSite;
  let report: Item;
  /** The path of the site. */
  let ofShop: string;
  before(async () => {
    shop = await startShopSite();
    const { ask, finished } = dashboard.service;
    const basic_auth = { username: 'ada', password: 'open-sesame' };
    const settings = { starting_url: `${shop.origin}/`, rate_limit: 100, perform_a11y_checks: true, basic_auth };
    const { data } = await ask('/reports', 'POST', { ...settings, only_journeys: true, journeys: [JOURNEY] });
    report = await finished(data.id);
    ofShop = `/sites/${report.relationships.site.links.related.split('/').at(-1)}`;
  });
  after(() => shop?.stop());

  const button = (name: string) => window.getByRole('button', { name, exact: true });

  test('have marks with names, which show what was checked and why the journey failed', async () => {
    await dashboard.visit(window, `/reports/${report.id}/pages`);
    await window.getByRole('link', { name: 'Looking around › Open menu' }).waitFor();
    await window.getByRole('columnheader', { name: 'Checked as' }).waitFor();
    await window
      .getByRole('cell', { name: /^signed in/ })
      .first()
      .waitFor();
    await window.getByRole('link', { name: 'Looking around › Open menu' }).click();
    await window.getByRole('heading', { name: 'Looking around › Open menu' }).waitFor();
    await window.getByText('the rendered DOM of /').waitFor();
    const open = window.getByRole('link', { name: 'Open the page in a new tab' });
    assert.equal(await open.getAttribute('href'), `${shop.origin}/`);

    await dashboard.visit(window, `/reports/${report.id}/pages`);
    await window.getByRole('link', { name: 'Looking around › Sale' }).click();
    await window.getByText('the journey “Looking around” stopped at / before this mark').waitFor();
    await window.getByText('Step 4 of the journey (expect the text “Sale”) failed').first().waitFor();
    await dashboard.settled(window);
    assert.deepEqual(await dashboard.axe(window), []);
    await window.getByRole('button', { name: 'Screenshot' }).click();
    await window.getByRole('img', { name: /^Looking around › Sale, taken / }).waitFor();
    assertFaultless();
  });

  /** Inserts a step between others, moves it down and up with the keyboard, and removes it. */
  async function insertAndMove(): Promise<void> {
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

  test('are edited in the settings of a site, tried with screenshots, imported and saved', async () => {
    await dashboard.visit(window, `${ofShop}/settings`);
    await window.getByText('Crawling', { exact: true }).first().click();
    const selector = window.getByLabel('Looking around, Step 2: selector');
    assert.equal(await selector.inputValue(), '#menu');
    await selector.fill('[');
    dashboard.expectStatus(422);
    await button('Save').click();
    await window.getByRole('link', { name: /^Journey 1 step 2 click is not a CSS selector/ }).click();
    assert.ok(await window.getByRole('group', { name: 'Journeys', exact: true }).locator(':focus').count());
    await selector.fill('#menu');
    await insertAndMove();
    for (const step of [5, 4]) await button(`Remove Looking around, step ${step}`).click();
    await button('Try it with Looking around').click();
    await window.getByText('The journey works.').waitFor();
    await window.getByRole('img', { name: 'The page after step 3' }).waitFor();
    await selector.fill('#add');
    await window.getByText('The steps have changed since this result').waitFor();
    await selector.fill('#menu');
    const steps = [
      { type: 'navigate', url: `${shop.origin}/` },
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
    const about = `${shop.origin}/about`;
    const actions = ['click element #menu'];
    await importFile({ urls: [`${shop.origin}/`, { url: about, actions }, { url: about, actions }] });
    await window.getByText('Imported 4 steps in 2 lists. Secrets are not imported: enter them.').waitFor();
    await button('Save').click();
    await window.getByText('Saved.', { exact: true }).waitFor();
    const { data: changed } = await dashboard.service.ask(ofShop);
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
  });

  test('are like the login of a site, which is tried with screenshots, saved and removed', async () => {
    await window.getByLabel('Step 1: URL', { exact: true }).fill(`${shop.origin}/`);
    for (const step of [4, 3]) await button(`Remove step ${step}`).click();
    await window.getByLabel('Step 2: action', { exact: true }).selectOption('expect');
    await window.getByLabel('Step 2: URL contains', { exact: true }).fill('http');
    await button('Try it').click();
    // A login waits until the last page has stopped loading.
    await window.getByText('The login works.').waitFor();
    await window.getByRole('img', { name: 'The page after step 2' }).first().waitFor();
    await dashboard.settled(window);
    assert.deepEqual(await dashboard.axe(window), []);
    await button('Save login').click();
    await button('Remove login…').waitFor();
    const stored = async () => (await dashboard.service.ask(ofShop)).data.attributes.login;
    assert.deepEqual((await stored()).steps, [{ open: `${shop.origin}/` }, { expect: { url: 'http' } }]);
    await button('Remove login…').click();
    await window.getByRole('dialog').getByRole('button', { name: 'Remove login' }).click();
    await window.getByText('Login removed.').waitFor();
    assert.equal(await stored(), null);
  });

  test('are lost only after a confirmation if they are not saved, like a login, settings or rules', async () => {
    await dashboard.visit(window, `${ofShop}/settings`);
    await window.getByLabel('Step 1: URL', { exact: true }).fill(`${shop.origin}/login`);
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

    await dashboard.visit(window, `${ofShop}/settings`);
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
  });
});
