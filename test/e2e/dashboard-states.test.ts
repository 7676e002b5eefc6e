import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { changeCredits, ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { setPaused } from '../../src/store/pause.ts';
import { PATHS } from '../../web/src/lib/paths.ts';
import { SEARCH } from '../../web/src/lib/searches.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { ABOUT, GONE, HOME, HTML_ISSUE_TYPES, SAMPLE_PAGES } from '../helpers/sample-report.ts';
import { type Seeded, seedReport } from '../helpers/seed.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';

/**
 * What screens show while there is nothing yet, when something is refused or cannot be reached, when there is little room, and at
 * mistyped or broken addresses.
 */

let dashboard: Dashboard;
/** Each test shows its screens there. */
let window: Page;
let owner: string;
let sample: Seeded;
let report: string;

before(async () => {
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
  const { db } = dashboard.service.app;
  owner = (await ensureFirstAccount(db)).id;
  // Without the page whose check is pending, which would run.
  const pages = SAMPLE_PAGES.filter(({ url }) => url !== ABOUT);
  sample = await seedReport(db, { account_id: owner }, ['html', 'a11y'], pages);
  report = `/reports/${sample.reportId}`;
  window = await dashboard.open('/devices');
});
after(() => dashboard?.close());

async function assertFits(name: string): Promise<void> {
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
  await dashboard.load(window, '/devices');
  const note = window.getByRole('status').filter({ hasText: 'This installation is paused' });
  await note.waitFor();
  assert.deepEqual([...(await dashboard.axe(window)), ...dashboard.takeFaults()], []);
  await setPaused(db, false);
  await dashboard.load(window, '/devices');
  await dashboard.settled(window);
  assert.equal(await note.count(), 0);
});

/** States of a list, by how its request goes. */
const STATES: readonly (readonly [name: string, answer: (route: Route) => Promise<void>, shown: string])[] = [
  ['an error', (route) => route.fulfill(refusal(500, 'internal', 'Something broke here.')), 'Something broke here.'],
  ['a refusal', (route) => route.fulfill(refusal(403, 'pro_required', 'Only with Pro.')), 'Your plan does not include'],
  ['nothing', (route) => route.fulfill(refusal(404, 'not_found', 'Not found.')), 'Not found or not shared with you'],
  ['no connection', (route) => route.abort(), 'The service does not respond'],
];

test('a page without a document says so without a refused request', async () => {
  await dashboard.show(window, `${report}/pages/${sample.pageIds.get(GONE)}`);
  await window.getByText('The server sent no document for this page.').waitFor();
  await dashboard.settled(window);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('the issues of a page appear once all of its checks have loaded, so that they do not move', async () => {
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
  await window.unrouteAll();
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('a re-check that is refused late moves nothing', async () => {
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
  await window.unrouteAll();
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('percentages refer to the checked pages, and a single occurrence is singular', async () => {
  await dashboard.show(window, report);
  await window.getByText('0 of 1 checked page pass').first().waitFor();
  const [numbers] = await window.locator('figcaption').allTextContents();
  assert.equal(numbers, 'Pages: 1 with errors (100% of the checked pages)1 could not be checked');
  await dashboard.show(window, `${report}/pages/${sample.pageIds.get(HOME)}`);
  const issue = window.getByRole('button', {
    name: new RegExp(`${HTML_ISSUE_TYPES.fatal.message.slice(0, 14)}.* 1 occurrence$`),
  });
  await issue.waitFor();
  dashboard.takeFaults();
});

test('a report that failed has found no page', async () => {
  const { db } = dashboard.service.app;
  const failed = { account_id: owner, status: 'failed', crawl_error: JSON.stringify(ANSWERED_404) } as const;
  const pages = SAMPLE_PAGES.filter(({ url }) => url === GONE);
  const { reportId } = await seedReport(db, failed, ['html'], pages);
  await dashboard.show(window, `/reports/${reportId}`);
  await window.getByRole('heading', { name: 'The site could not be checked' }).waitFor();
  const text = (await window.locator('body').textContent()) ?? '';
  assert.match(text, /failed/);
  assert.doesNotMatch(text, /1 page/);
  assert.deepEqual(dashboard.takeFaults(), []);
});

describe('in dark and at 400%', () => {
  // As 1280 by 1024 px are at that zoom.
  before(async () => {
    await window.emulateMedia({ colorScheme: 'dark' });
    await window.setViewportSize({ width: 320, height: 256 });
  });
  after(async () => {
    await window.emulateMedia({ colorScheme: null });
    await window.setViewportSize({ width: 1280, height: 800 });
  });

  test('a list whose request fails says why', async () => {
    dashboard.expectStatus(403, 404, 500);
    for (const [name, answer, shown] of STATES) {
      await window.route('**/api/v1/schedules?*', answer);
      await dashboard.load(window, '/schedules');
      await window.getByText(shown).waitFor();
      await assertFits(name);
      await window.unrouteAll();
    }
    assert.deepEqual(await dashboard.axe(window), []);
    assert.deepEqual(
      dashboard.takeFaults().filter((fault) => !/net::ERR_/.test(fault)),
      [],
    );
  });

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
      await dashboard.show(window, path);
      await dashboard.settled(window);
      assert.equal(await window.evaluate('scrollY'), 0, path);
      assert.ok(Number((await window.locator('h1').boundingBox())?.x) >= 8, `${path} has no margin`);
      await assertFits(path);
    }
    await dashboard.show(window, `${report}/html/${common}`);
    await window.getByRole('button', { name: 'Mute…' }).click();
    await window.getByRole('button', { name: 'Cancel' }).click();
    await window.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});

test('a site whose first report has errors links to them', async () => {
  await dashboard.show(window, '/');
  assert.equal(await window.getByRole('link', { name: 'Has errors' }).getAttribute('href'), report);
  assert.deepEqual(dashboard.takeFaults(), []);
});

test('without credits, each way to a check says so, and links to them', async () => {
  const { db } = dashboard.service.app;
  await changeCredits(db, owner, { set: 0 });
  dashboard.expectStatus(402);
  await dashboard.show(window, '/');
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
  await dashboard.show(window, `/reports/${reportId}`);
  await window.getByText(/^1 page found \(maximum 50\)/).waitFor();
  await dashboard.settled(window);
  assert.equal(await window.getByRole('progressbar').count(), 0);
  assert.equal(await window.getByRole('heading', { name: 'Not checked' }).count(), 0);
  assert.deepEqual(dashboard.takeFaults(), []);
});

const BAD = ['%2Fchanges', '..', '{"a":1}', '-1', '9999999999', '<b>', 'é', 'x'.repeat(300)];
/** Screens with the parameters and parts of other screens. */
const SIMILAR = /^\/(share|latest)\/|\/(accessibility|links)\b/;

/** Values of the parameters of paths. */
async function valuesOfPaths(): Promise<Readonly<Record<string, string>>> {
  const { ask, all } = dashboard.service;
  const id = sample.reportId;
  const { share_url } = (await ask(report, 'PATCH', { shared: true })).data.attributes;
  const definition = { starting_url: HOME, periodicity: { every: 'deploy' } };
  const channel = { kind: 'webhook', name: 'Bot', webhook_url: 'http://127.0.0.1:2/in' };
  return {
    report: id,
    secret: share_url.split('/').at(-1),
    page: String(sample.pageIds.get(HOME)),
    issue: String(sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message)),
    site: (await all('/sites'))[0]?.id ?? '',
    schedule: (await ask('/schedules', 'POST', definition)).data.id,
    channel: (await ask('/notification_channels', 'POST', channel)).data.id,
  };
}

const pathWith = (path: string, of: Record<string, string>): string =>
  path.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(of[name] ?? ''));

/** Goes there, and returns what the screen says. */
async function shownAt(address: string): Promise<string> {
  await dashboard.visit(window, address);
  return (await window.locator('body').textContent()) ?? '';
}

test('no value of a path or a search breaks a screen', async () => {
  dashboard.expectStatus(400, 401, 404, 422);
  const broken: string[] = [];
  const visit = async (address: string): Promise<void> => {
    const text = await shownAt(address);
    if (text.trim() === '' || /Something went wrong/.test(text)) broken.push(address);
  };
  const values = await valuesOfPaths();
  for (const [nth, path] of PATHS.entries()) {
    // Screens share their parsers, so each tries one of the values.
    const bad = BAD[nth % BAD.length] ?? '';
    const names = [...path.matchAll(/\$(\w+)/g)].map(([, name]) => name ?? '');
    const isSimilar = SIMILAR.test(path);
    for (const name of isSimilar ? names.slice(-1) : names)
      await visit(pathWith(path, { ...values, [name]: `a${bad}` }));
    if (isSimilar) continue;
    // All names of a search at once: a bad value of one does not hide a bad value of another.
    const search = new URLSearchParams(Object.keys(SEARCH[path]).map((name) => [name, bad]));
    if (search.size > 0) await visit(`${pathWith(path, values)}?${search}`);
    // A value that is accepted could hide what another name does with it; the others are ignored.
    const there = `${values['report']}/changes`;
    const guards: readonly (readonly [name: string, accepts: (text: string) => boolean])[] = Object.entries(
      SEARCH[path],
    );
    const [accepting, ignoring] = [true, false].map((isAccepted) =>
      guards.filter(([, accepts]) => accepts(there) === isAccepted).map(([name]) => [name, there] as [string, string]),
    );
    for (const pairs of [...(accepting ?? []).map((pair) => [pair]), ignoring ?? []])
      if (pairs.length > 0) await visit(`${pathWith(path, values)}?${new URLSearchParams(pairs)}`);
  }
  assert.deepEqual(broken.slice(0, 10), []);
  const copied = await shownAt(`/reports/new?from=${values['report']}/changes`);
  assert.match(copied, /New report/);
  for (const address of [`/reports/${encodeURIComponent(`${values['report']}/changes`)}`, '/nothing/here']) {
    assert.match(await shownAt(address), /There is no page at this address/);
    await window.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).waitFor();
    assert.equal(await window.getByRole('main').count(), 1, address);
  }
});

test('a filter that the API would refuse is ignored, or can be removed', async () => {
  dashboard.expectStatus(400);
  const days = ['zz', '2026-02-31', '0202-01-01'].map((day) => `/stats?from=${day}&to=${day}`);
  for (const address of [...days, '/reports?status=held'])
    assert.doesNotMatch(await shownAt(address), /invalid value|could not be loaded/, address);
  for (const address of ['/reports?sort=zz', `${report}/html?sort=zz`]) {
    assert.match(await shownAt(address), /This address contains an invalid value/, address);
    await window.getByRole('link', { name: 'Reset filters' }).click();
    await dashboard.settled(window);
    assert.doesNotMatch((await window.locator('body').textContent()) ?? '', /invalid value/, address);
    assert.equal(new URL(window.url()).search, '');
  }
  dashboard.takeFaults();
});

/** How long the dashboard waits for a part before it says so (`web/src/shell/installation-note.tsx`). */
const UNAVAILABLE_AFTER_MS = 10_000;

// It replaces the clock of the window.
test('a note says that checks wait for the browser of the service, and leaves when it is ready', async (t) => {
  let parts: readonly string[] = ['browser'];
  await window.route('**/api/v1/installation', async (route) => {
    const response = await route.fetch();
    const document = await response.json();
    Object.assign(document.data.attributes, { unavailable_parts: parts });
    await route.fulfill({ response, json: document });
  });
  await window.clock.install();
  const loadedAt = performance.now();
  await dashboard.load(window, '/devices');
  const note = window.getByRole('status').filter({ hasText: 'Accessibility checks wait until the browser' });
  await dashboard.settled(window);
  const isShown = (await note.count()) > 0;
  // The time of the window passes, too.
  if (performance.now() - loadedAt < UNAVAILABLE_AFTER_MS) assert.equal(isShown, false, 'it may be starting');
  else t.diagnostic('The screen took too long to expect no note.');
  await window.clock.fastForward(15_000);
  await note.waitFor();
  assert.equal(await window.getByRole('heading', { level: 1 }).count(), 1, 'screens are shown all the same');
  parts = [];
  await window.clock.fastForward(15_000);
  await note.waitFor({ state: 'detached' });
  assert.deepEqual(dashboard.takeFaults(), []);
});
