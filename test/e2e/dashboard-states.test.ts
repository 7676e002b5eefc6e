import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { changeCredits, ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { setPaused } from '../../src/store/pause.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { ABOUT, GONE, HOME, HTML_ISSUE_TYPES, SAMPLE_PAGES } from '../helpers/sample-report.ts';
import { type Seeded, seedReport } from '../helpers/seed.ts';

/**
 * What screens show while there is nothing yet, when something is refused or cannot be reached, and when there is little room.
 */

let dashboard: Dashboard;
let owner: string;
let sample: Seeded;
let report: string;

before(async () => {
  dashboard = await startDashboard();
  const { db } = dashboard.service.app;
  owner = (await ensureFirstAccount(db)).id;
  // Without the page whose check is pending, which would run.
  const pages = SAMPLE_PAGES.filter(({ url }) => url !== ABOUT);
  sample = await seedReport(db, { account_id: owner }, ['html', 'a11y'], pages);
  report = `/reports/${sample.reportId}`;
});
after(() => dashboard?.close());

/** A window of 1280 by 1024 px at 400%, in dark. */
async function openZoomed(): Promise<Page> {
  const window = await dashboard.open('/devices', { width: 320, scheme: 'dark', isAlone: true });
  await window.setViewportSize({ width: 320, height: 256 });
  await dashboard.settled(window);
  return window;
}

async function assertFits(window: Page, name: string): Promise<void> {
  const overflow: number = await window.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
}

const refusal = (status: number, code: string, detail: string) => ({
  status,
  contentType: 'application/vnd.api+json',
  body: JSON.stringify({ errors: [{ status: String(status), code, title: code, detail, id: 'e-1' }] }),
});

test('a note says that the installation is paused, and leaves when it is resumed', async () => {
  const { db } = dashboard.service.app;
  await setPaused(db, true);
  const window = await dashboard.open('/devices');
  const note = window.getByRole('status').filter({ hasText: 'This installation is paused' });
  await note.waitFor();
  assert.deepEqual([...(await dashboard.axe(window)), ...dashboard.takeFaults()], []);
  await setPaused(db, false);
  await dashboard.load(window, '/devices');
  await dashboard.settled(window);
  assert.equal(await note.count(), 0);
  await dashboard.leave(window);
});

test('a note says that the browser of the service does not work, and leaves when it does', async () => {
  const window = await dashboard.open('/devices', { isAlone: true });
  let parts: readonly string[] = ['browser'];
  await window.route('**/api/v1/installation', async (route) => {
    const response = await route.fetch();
    const document = await response.json();
    Object.assign(document.data.attributes, { unavailable_parts: parts });
    await route.fulfill({ response, json: document });
  });
  await window.clock.install();
  await dashboard.load(window, '/devices');
  const note = window.getByRole('status').filter({ hasText: 'accessibility checks and PDF files wait' });
  await dashboard.settled(window);
  assert.equal(await note.count(), 0, 'it may be starting');
  await window.clock.fastForward(15_000);
  await note.waitFor();
  assert.equal(await window.getByRole('heading', { level: 1 }).count(), 1, 'screens are shown all the same');
  parts = [];
  await window.clock.fastForward(15_000);
  await note.waitFor({ state: 'detached' });
  await window.close();
  assert.deepEqual(dashboard.takeFaults(), []);
});

/** States of a list, by how its request goes. */
const STATES: readonly (readonly [name: string, answer: (route: Route) => Promise<void>, shown: string])[] = [
  ['an error', (route) => route.fulfill(refusal(500, 'internal', 'Something broke here.')), 'Something broke here.'],
  ['a refusal', (route) => route.fulfill(refusal(403, 'pro_required', 'Only with Pro.')), 'Your plan does not include'],
  ['nothing', (route) => route.fulfill(refusal(404, 'not_found', 'Not found.')), 'Not found or not shared with you'],
  ['no connection', (route) => route.abort(), 'The service does not respond'],
];

test('a page without a document says so without a refused request', async () => {
  const window = await dashboard.open(`${report}/pages/${sample.pageIds.get(GONE)}`);
  await window.getByText('The server sent no document for this page.').waitFor();
  await dashboard.settled(window);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('the issues of a page appear once all of its checks have loaded, so that they do not move', async () => {
  const window = await dashboard.open('/devices', { isAlone: true });
  const answered = Promise.withResolvers<void>();
  const isCounted = /_issues\?.*muted%5D=false/;
  await window.route(
    (url) => url.pathname.endsWith('/html_issues') && isCounted.test(url.href),
    async (route) => {
      await answered.promise;
      await route.continue();
    },
  );
  const others = window.waitForResponse(
    (response) => /a11y_issues/.test(response.url()) && isCounted.test(response.url()),
  );
  await dashboard.load(window, `${report}/pages/${sample.pageIds.get(HOME)}`);
  await (await others).finished();
  const issues = window.getByRole('region', { name: 'Issues' });
  await issues.waitFor();
  // Two frames later, what has arrived is shown.
  await window.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  assert.equal(await issues.getByRole('button').count(), 0);
  answered.resolve();
  await issues.getByRole('heading', { name: 'HTML' }).waitFor();
  assert.equal(await issues.getByRole('heading', { name: 'Accessibility' }).count(), 1);
  await window.context().close();
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('a re-check that is refused late moves nothing', async () => {
  const window = await dashboard.open('/devices', { isAlone: true });
  const answered = Promise.withResolvers<void>();
  dashboard.expectStatus(409);
  await window.route('**/web_pages/*', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    await answered.promise;
    await route.fulfill(refusal(409, 'conflict', 'Not now.'));
  });
  await dashboard.load(window, `${report}/pages/${sample.pageIds.get(HOME)}`);
  await dashboard.settled(window);
  const place = () => window.getByRole('region', { name: 'Issues' }).boundingBox();
  const before = await place();
  const requested = window.waitForRequest((request) => request.method() === 'PATCH');
  await window.getByRole('button', { name: 'Re-check' }).click();
  await requested;
  assert.deepEqual(await place(), before);
  answered.resolve();
  await window.getByText('Not now.').waitFor();
  assert.deepEqual(await place(), before);
  await window.context().close();
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('percentages refer to the checked pages, and a single occurrence is singular', async () => {
  const window = await dashboard.open(report);
  await window.getByText('0 of 1 checked page pass').first().waitFor();
  const [numbers] = await window.locator('figcaption').allTextContents();
  assert.equal(numbers, 'Pages: 1 with errors (100% of the checked pages)1 could not be checked');
  await dashboard.load(window, `${report}/pages/${sample.pageIds.get(HOME)}`);
  const issue = window.getByRole('button', {
    name: new RegExp(`${HTML_ISSUE_TYPES.fatal.message.slice(0, 14)}.* 1 occurrence$`),
  });
  await issue.waitFor();
  await dashboard.leave(window);
  dashboard.takeFaults();
});

test('a report that failed has found no page', async () => {
  const { db } = dashboard.service.app;
  const failed = { account_id: owner, status: 'failed', crawl_error: JSON.stringify(ANSWERED_404) } as const;
  const pages = SAMPLE_PAGES.filter(({ url }) => url === GONE);
  const { reportId } = await seedReport(db, failed, ['html'], pages);
  const window = await dashboard.open(`/reports/${reportId}`);
  await window.getByRole('heading', { name: 'The site could not be checked' }).waitFor();
  const text = (await window.locator('body').textContent()) ?? '';
  assert.match(text, /failed/);
  assert.doesNotMatch(text, /1 page/);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

describe('in dark and at 400%', () => {
  let window: Page;
  before(async () => {
    window = await openZoomed();
  });
  after(() => window?.context().close());

  for (const [name, answer, shown] of STATES) {
    test(`a list whose request gets ${name} says so`, async () => {
      dashboard.expectStatus(403, 404, 500);
      await window.route('**/api/v1/schedules?*', answer);
      await dashboard.load(window, '/schedules');
      await window.getByText(shown).waitFor();
      assert.deepEqual(await dashboard.axe(window), [], name);
      await assertFits(window, name);
      await window.unrouteAll();
      assert.deepEqual(
        dashboard.takeFaults().filter((fault) => !/net::ERR_/.test(fault)),
        [],
      );
    });
  }

  test('a pending list is shown as gray rows', async () => {
    const answered = Promise.withResolvers<void>();
    await window.route('**/api/v1/schedules?*', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await dashboard.load(window, '/schedules');
    await window.locator('[data-loading] > [aria-hidden]').first().waitFor();
    assert.deepEqual(await dashboard.axe(window), []);
    answered.resolve();
    await dashboard.settled(window);
    await window.unrouteAll();
    assert.deepEqual(dashboard.takeFaults(), []);
  });

  test('screens begin at their top, and nothing is outside the window', async () => {
    const page = `${report}/pages/${sample.pageIds.get(HOME)}`;
    const [issue] = (await dashboard.service.ask(`${page.replace('pages', 'web_pages')}/html_issues`)).data;
    const common = sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message);
    dashboard.expectStatus(404);
    for (const path of [
      '/no/such/screen',
      '/',
      '/reports',
      '/reports/new',
      '/schedules/new',
      report,
      `${report}/pages`,
      `${report}/html/${common}`,
      `${page}?issue=html-${issue.id}`,
      `${page}?issue=html-${issue.id}&view=source`,
    ]) {
      await dashboard.load(window, path);
      await dashboard.settled(window);
      assert.equal(await window.evaluate('scrollY'), 0, path);
      assert.ok(Number((await window.locator('h1').boundingBox())?.x) >= 8, `${path} has no margin`);
      await assertFits(window, path);
    }
    await dashboard.load(window, `${report}/html/${common}`);
    await window.getByRole('button', { name: 'Mute…' }).click();
    await window.getByRole('button', { name: 'Cancel' }).click();
    await window.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});

test('a site whose first report has errors links to them', async () => {
  const window = await dashboard.open('/');
  assert.equal(await window.getByRole('link', { name: 'Has errors' }).getAttribute('href'), report);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('without credits, each way to a check says so, and links to them', async () => {
  const { db } = dashboard.service.app;
  await changeCredits(db, owner, { set: 0 });
  dashboard.expectStatus(402);
  const window = await dashboard.open('/');
  await window.getByLabel('Check another site').fill('example.com');
  await window.getByRole('button', { name: 'Start checking' }).click();
  const toCredits = window.getByRole('alert').filter({ hasText: 'not enough credits' }).getByRole('link');
  assert.equal(await toCredits.getAttribute('href'), '/account/credits');
  assert.deepEqual(await dashboard.axe(window), []);
  for (const [path, button] of [
    [report, 'Run again'],
    [`${report}/pages?html=with_errors`, /^Re-check 1 page \(2 credits\)/],
    [`${report}/pages/${sample.pageIds.get(HOME)}`, 'Re-check'],
  ] as const) {
    await dashboard.load(window, path);
    await window.getByRole('button', { name: button }).click();
    await window.getByText('not enough credits').waitFor();
    await window.getByRole('button', { name: 'Your credits' }).click();
    await window.waitForURL(`${dashboard.origin}/account/credits`);
  }
  await dashboard.load(window, `${report}/html/${sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message)}`);
  await window.getByRole('button', { name: /^Re-check 1 page/ }).click();
  const note = window.getByRole('alert').filter({ hasText: 'not enough credits' });
  assert.equal(await note.getByRole('link', { name: 'Your credits' }).getAttribute('href'), '/account/credits');
  await dashboard.leave(window);
  await changeCredits(db, owner, { set: null });
  // The refusal appears above the list of sites, late on a busy machine.
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

test('while pages are being found, neither their share nor the skipped URLs are shown', async () => {
  const { db } = dashboard.service.app;
  const { reportId } = await seedReport(
    db,
    { account_id: owner, status: 'crawling', finished_at: null, max_pages: 50 },
    ['html'],
    SAMPLE_PAGES.slice(0, 1),
  );
  const window = await dashboard.open(`/reports/${reportId}`);
  await window.getByText(/^1 page found \(maximum 50\)/).waitFor();
  await dashboard.settled(window);
  assert.equal(await window.getByRole('progressbar').count(), 0);
  assert.equal(await window.getByRole('heading', { name: 'Not checked' }).count(), 0);
  await dashboard.leave(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});
