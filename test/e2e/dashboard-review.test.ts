import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What people decide about issues: one cause after the other by keyboard, on the page, and in the list of their decisions. */

/** Texts on a gradient, whose contrast axe cannot compute: two causes, the first on both pages. */
const HERO = '<p class="hero">Hero</p>';
const CARD = '<div class="card">Card</div>';
const STYLE = '<style>.hero, .card { background: linear-gradient(#fff, #000); color: #777; }</style>';
const NO_ALT = '<img src="data:," id="one"><img src="data:," id="two">';

let dashboard: Dashboard;
let site: TestSite;
let report: string;

/** Each attribute is an issue type of its own. */
const UNKNOWN = Array.from({ length: 10 }, (_, number) => `<p unknown${number}>Text</p>`).join('');

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard(),
    startTestSite({
      '/': page('Home', `${STYLE}${HERO}${CARD}<p><a href="/b">b</a>`),
      '/b': page('B', `${STYLE}${HERO}${NO_ALT}`),
      '/unknown': page('Unknown', UNKNOWN),
    }),
  ]);
  const { service } = dashboard;
  const definition = { starting_url: `${site.origin}/`, perform_a11y_checks: true, store_screenshots: true };
  // The ids of occurrences change when something is decided about others of their rule. The dashboard finds them again.
  dashboard.expectStatus(422);
  report = (await service.finished((await service.ask('/reports', 'POST', definition)).data.id)).id;
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

const checks = async () => {
  const { a11y } = (await dashboard.service.ask(`/reports/${report}`)).data.attributes.checks;
  return [a11y.issues.errors, a11y.issues.warnings];
};
const counted = (...[errors, toReview]: readonly [errors: number, toReview: number]) =>
  until(async () => {
    const [now, left] = await checks();
    return now === errors && left === toReview;
  });
const rule = (window: Page, text: RegExp | string) => window.getByRole('heading', { level: 3, name: text }).waitFor();

test('the review goes from cause to cause by keyboard, and undoes decisions', async () => {
  const [errors = 0, toReview = 0] = await checks();
  assert.equal(toReview, 3);
  const window = await dashboard.open(`/reports/${report}`);
  await window.getByRole('link', { name: 'Review 3 elements' }).click();
  await rule(window, 'Elements must meet minimum color contrast ratio thresholds');
  await window.getByText('0 of 2 causes decided').waitFor();
  await window.getByRole('img', { name: 'The element on /: <p class="hero">' }).waitFor();
  await window.locator('mark', { hasText: '<p class="hero">' }).waitFor();
  await window.getByText('2 elements on 2 pages with this cause').waitFor();
  await dashboard.settled(window);
  assert.match(await dashboard.told(window), /^heading "Elements must meet/);
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(await dashboard.validate(window), []);

  await window.keyboard.press('n');
  await window.keyboard.type('Exactly 4.6:1.');
  await window.keyboard.press('Enter');
  await window.keyboard.press('x');
  await window.getByText('1 of 2 causes decided').waitFor();
  await window.locator('mark', { hasText: '<div class="card">' }).waitFor();
  await counted(errors, 1);
  await window.keyboard.press('u');
  await window.getByText('0 of 2 causes decided').waitFor();
  await counted(errors, 3);
  await window.locator('mark', { hasText: '<p class="hero">' }).waitFor();
  await window.keyboard.press('e');
  await window.keyboard.press('l');
  await window.getByRole('heading', { name: 'All decided' }).waitFor();
  await window.getByText('You made 2 decisions: 1 error, 1 later.').waitFor();
  assert.match(await dashboard.told(window), /^heading "All decided"/);
  await counted(errors + 2, 1);
  assert.deepEqual(await dashboard.axe(window), []);
  await window.getByRole('link', { name: 'Summary' }).last().click();
  await window.getByText('Nothing is left to review, 1 later').waitFor();
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('decisions about occurrences leave the others of the cause, and what is later can be decided', async () => {
  const [errors = 0] = await checks();
  const window = await dashboard.open(`/reports/${report}/review?show=errors`);
  await rule(window, 'Images must have alternative text');
  await window.locator('mark', { hasText: 'id="one"' }).waitFor();
  await window.keyboard.press('1');
  await window.keyboard.press('x');
  await window.locator('mark', { hasText: 'id="two"' }).waitFor();
  await counted(errors - 1, 1);
  await window.keyboard.press('1');
  await window.keyboard.press('e');
  await window.getByRole('link', { name: 'Later' }).click();
  await window.locator('mark', { hasText: '<div class="card">' }).waitFor();
  await window.getByText('Decided: later').waitFor();
  await window.keyboard.press('x');
  await window.getByRole('heading', { name: 'All decided' }).waitFor();
  await counted(errors - 1, 0);
  // What it was before.
  await window.keyboard.press('u');
  await counted(errors - 1, 1);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('a decision that the service refuses is back in the queue', async () => {
  dashboard.expectStatus(503);
  const window = await dashboard.open(`/reports/${report}/review?show=later`);
  await window.locator('mark', { hasText: '<div class="card">' }).waitFor();
  await window.route('**/decisions', (route) =>
    route.fulfill({
      ...{ status: 503, contentType: 'application/vnd.api+json' },
      body: JSON.stringify({ errors: [{ code: 'unavailable', detail: 'Out of order.' }] }),
    }),
  );
  // The page may learn of the route after the call has returned. Without it, this address has status 200.
  await until(async () => (await window.evaluate("fetch('/theme.js?/decisions').then((it) => it.status)")) === 503);
  await window.keyboard.press('e');
  await window.getByRole('alert').getByText('Out of order.').waitFor();
  await window.getByText('0 of 1 cause decided').waitFor();
  await window.unroute('**/decisions');
  await dashboard.leave(window);
});

test('the page shows what was decided, decides and undoes', async () => {
  const [errors = 0] = await checks();
  const pages = await dashboard.service.all(`/reports/${report}/web_pages`);
  const home = pages.find(({ attributes }) => attributes.url === `${site.origin}/`);
  const window = await dashboard.open(`/reports/${report}/pages/${home?.id}`);
  const list = window.getByRole('region', { name: 'Issues' });
  await list.getByText('Decided: later').waitFor();
  await list.getByRole('button', { name: /needs review: .*contrast/ }).click();
  await window
    .getByText(/Decided: later/)
    .nth(1)
    .waitFor();
  await window.keyboard.press('e');
  const dialog = window.getByRole('dialog', { name: 'Decide' });
  assert.match(await dashboard.told(window), /^radio "Error/);
  await dialog.getByLabel('Note').fill('Measured.');
  await dialog.getByRole('button', { name: 'Decide' }).click();
  await list.getByText('Decided: error').nth(1).waitFor();
  await window.getByText('Measured.').waitFor();
  await counted(errors + 1, 0);
  assert.deepEqual(await dashboard.axe(window), []);
  await window.getByRole('button', { name: 'Undo decision' }).click();
  await counted(errors, 1);
  // The issue has another id now, and is still selected.
  await list.getByText('Decided: error').nth(1).waitFor({ state: 'detached' });
  await window.getByText('occurrence 1 of 1').waitFor();
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('undoing a decision restores the decision that it replaced', async () => {
  const { service } = dashboard;
  const [errors = 0] = await checks();
  const issues = `/reports/${report}/common_a11y_issues`;
  const [issue] = (await service.ask(`${issues}?filter[issue_type]=warning&filter[verdict]=none`)).data;
  const [{ attributes: cluster }] = (await service.ask(`${issues}/${issue.id}/clusters`)).data;
  const first = { verdict: 'later', note: 'Measure it.', assessor: 'Ada' };
  const about = { occurrence: cluster.sample.occurrence, scope: 'cause' };
  const { id } = (await service.ask(`/reports/${report}/decisions`, 'POST', { ...about, ...first })).data;
  // The queue is read once, so the decision has to be applied before.
  await until(async () => (await service.ask(`${issues}?filter[verdict]=later`)).data.length === 1);
  const restored = () =>
    until(async () => {
      const { verdict, note, assessor } = (await service.ask(`/decisions/${id}`)).data.attributes;
      return JSON.stringify({ verdict, note, assessor }) === JSON.stringify(first);
    });

  const window = await dashboard.open(`/reports/${report}/review?show=later`);
  await window.getByText('Decided: later').waitFor();
  await window.keyboard.press('x');
  await window.getByRole('heading', { name: 'All decided' }).waitFor();
  await counted(errors, 0);
  await window.keyboard.press('u');
  await restored();
  await counted(errors, 1);

  const { web_page_id: home } = cluster.sample;
  await dashboard.load(window, `/reports/${report}/pages/${home}`);
  await window.getByRole('button', { name: /needs review: .*contrast/ }).click();
  await window.getByText('Measure it.').waitFor();
  await window.keyboard.press('x');
  await window.getByRole('dialog').getByRole('button', { name: 'Decide' }).click();
  await counted(errors, 0);
  await window.getByRole('button', { name: 'Undo', exact: true }).click();
  await restored();
  await counted(errors, 1);
  await service.ask(`/decisions/${id}`, 'DELETE');
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('readers with a share link see what was decided, and cannot change it', async () => {
  const { service } = dashboard;
  const { data } = await service.ask(`/reports/${report}`, 'PATCH', { shared: true });
  const [home] = await service.all(`/reports/${report}/web_pages`);
  const shared = new URL(data.attributes.share_url).pathname;
  const window = await dashboard.open(`${shared}/pages/${home?.id}?type=serious`, { isSignedIn: false });
  await window.getByRole('button', { name: /serious: .*Decided: error/ }).click();
  await window.getByText('Decided: error, for all elements with this cause').waitFor();
  await dashboard.settled(window);
  for (const name of ['Undo decision', 'Error…', 'Mute…'])
    assert.equal(await window.getByRole('button', { name }).count(), 0, name);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('the dialog of a muting can be about one element, which is a decision about it', async () => {
  const [errors = 0] = await checks();
  const pages = await dashboard.service.all(`/reports/${report}/web_pages`);
  const other = pages.find(({ attributes }) => attributes.url === `${site.origin}/b`);
  const window = await dashboard.open(`/reports/${report}/pages/${other?.id}?type=critical`);
  await window.getByRole('button', { name: /^critical: Images must have/ }).click();
  await window.keyboard.press('m');
  await window.getByLabel('Only this element').check();
  await window.getByLabel('Reason').fill('An ornament');
  await window.getByRole('button', { name: 'Mute', exact: true }).click();
  await counted(errors - 1, 1);
  await window.getByRole('button', { name: /^critical: Images must have/ }).waitFor({ state: 'detached' });
  await window.getByText('1 issue type not an error.').getByRole('button', { name: 'Show' }).click();
  await window.getByText('These issues were marked “not an error” and are not counted.').waitFor();
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('the decisions about a site are listed, changed and undone', async () => {
  const [errors = 0] = await checks();
  const [{ id }] = (await dashboard.service.ask('/sites')).data;
  const window = await dashboard.open(`/sites/${id}`);
  await window.getByRole('link', { name: 'Decisions' }).click();
  const row = window.getByRole('row', { name: /An ornament/ });
  await row.getByText('This element only').waitFor();
  await row.getByRole('button', { name: /^Change/ }).click();
  const dialog = window.getByRole('dialog', { name: 'Change the decision' });
  await dialog.getByText('Images must have alternative text').waitFor();
  await dialog.getByText('Applies to this element only: 1 element in the newest report').waitFor();
  await window.getByLabel('Decision', { exact: true }).selectOption('Error');
  await window.getByLabel('Who decides').fill('Grace');
  await window.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Error', { exact: true }).waitFor();
  await row.getByText('Grace').waitFor();
  await counted(errors + 1, 1);
  await row.getByRole('button', { name: /^Undo/ }).click();
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(await dashboard.validate(window), []);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});

test('the review reads all rules, the causes of a few at once', async () => {
  const { service } = dashboard;
  const definition = { starting_url: `${site.origin}/unknown`, perform_html_checks: true };
  const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  const window = await dashboard.open(`/reports/${id}`);
  // Several pages of rules.
  await window.route('**/common_html_issues?*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('page[size]', '3');
    return route.continue({ url: url.href });
  });
  let read = 0;
  let open = 0;
  let mostOpen = 0;
  const isOfCauses = (request: Request) => request.url().includes('/clusters?');
  window.on('request', (request) => {
    if (!isOfCauses(request)) return;
    read += 1;
    open += 1;
    mostOpen = Math.max(mostOpen, open);
  });
  window.on('requestfinished', (request) => {
    if (isOfCauses(request)) open -= 1;
  });
  await dashboard.visit(window, `/reports/${id}/review?show=errors`);
  await window.getByText('0 of at least 10 causes decided').waitFor();
  await dashboard.settled(window);
  assert.equal(read, 8);
  for (let decided = 1; decided < 10; decided += 1) {
    await window.keyboard.press('x');
    await window.getByText(new RegExp(`^${decided} of (at least )?10 causes decided`)).waitFor();
    await dashboard.settled(window);
  }
  assert.deepEqual([read, mostOpen], [10, 4]);
  await window.keyboard.press('x');
  await window.getByRole('heading', { name: 'All decided' }).waitFor();
  await window.getByText('You made 10 decisions: 10 not an error.').waitFor();
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await window.unroute('**/common_html_issues?*');
  await dashboard.leave(window);
});
