import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startRelay } from '../helpers/relay.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The dashboard follows the service through everything that can come between the two. */

const LOST = /^The service does not respond\. This page shows data from \d/;

let dashboard: Dashboard;
let site: TestSite;
let sites = 0;

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard({}, WITHOUT_BROWSER),
    startTestSite({ '*': page('Any', '<p>Any') }),
  ]);
  await runNewSite();
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

/** Checks another site. Returns how the overview names it. */
async function runNewSite(): Promise<string> {
  sites += 1;
  const { ask, finished } = dashboard.service;
  const { data } = await ask('/reports', 'POST', {
    starting_url: `${site.origin}/site-${sites}/`,
    max_pages: 1,
    deep_crawl: false,
  });
  await finished(data.id);
  return `${new URL(site.origin).host}/site-${sites}`;
}

async function openOverview(origin: string, prepare?: (window: Page) => Promise<unknown>): Promise<Page> {
  const window = await dashboard.open('/devices', { isAlone: true });
  await prepare?.(window);
  await window.goto(`${origin}/`);
  await rowOf(window, 'site-1').waitFor();
  await dashboard.settled(window);
  return window;
}

const rowOf = (window: Page, name: string) => window.getByRole('rowheader', { name });
const lost = (window: Page) => window.getByRole('status').filter({ hasText: LOST });

/** The network fails on purpose; the content of the page must not move. */
function endWithout(window: Page): Promise<void> {
  assert.deepEqual(
    dashboard.takeFaults().filter((fault) => !/net::ERR_/.test(fault)),
    [],
  );
  return window.context().close();
}

test('pending content is shown as gray rows, not as an empty screen', async () => {
  const window = await dashboard.open('/devices', { isAlone: true });
  await dashboard.settled(window);
  await window.clock.install();
  await window.clock.pauseAt(Date.now() + 60_000);
  const answered = Promise.withResolvers<void>();
  await window.route('**/api/v1/sites?*', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await window.getByRole('link', { name: 'Overview', exact: true }).click();
  // Until the parts of the screen are shown even if content is missing.
  await window.clock.runFor(1_000);
  const row = `document.querySelector('[data-loading] > [aria-hidden]')?.checkVisibility({ opacityProperty: true })`;
  await until(async () => (await window.evaluate(row)) === true);
  answered.resolve();
  await window.clock.resume();
  await rowOf(window, 'site-1').waitFor();
  await endWithout(window);
});

test('a dropped stream continues where it ended, without a message, and the screen catches up', async (t) => {
  const { ask } = dashboard.service;
  const relay = await startRelay(Number(new URL(dashboard.origin).port));
  t.after(() => relay.stop());
  dashboard.expectOrigin(relay.origin);
  const [first, second, third] = [await runNewSite(), await runNewSite(), await runNewSite()];
  const reports = (await ask('/reports')).data.slice(0, 3).toReversed();
  const streams: (string | undefined)[] = [];
  const window = await openOverview(relay.origin, async (opened) => {
    opened.on('request', (request) => {
      // Not the stream of the previous screen, which may still be opening.
      if (request.url() === `${relay.origin}/api/v1/events`) streams.push(request.headers()['last-event-id']);
    });
  });
  const said: string[] = [];
  await window.exposeFunction('noteStatus', (text: string) => void said.push(text));
  await window.evaluate(`new MutationObserver(() => {
    for (const status of document.querySelectorAll('[role=status]')) if (status.textContent !== '') noteStatus(status.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  // An event gives the stream an id to continue from.
  await ask(`/reports/${reports[0].id}`, 'DELETE');
  await rowOf(window, first).waitFor({ state: 'detached' });
  relay.setDown(true);
  await ask(`/reports/${reports[1].id}`, 'DELETE');
  relay.setDown(false);
  await rowOf(window, second).waitFor({ state: 'detached' });
  await ask(`/reports/${reports[2].id}`, 'DELETE');
  await rowOf(window, third).waitFor({ state: 'detached' });
  assert.deepEqual(said, [], 'a short gap is not worth a message');
  assert.equal(streams[0], undefined);
  assert.ok(streams.length > 1 && streams.slice(1).every((lastId) => lastId !== undefined), String(streams));
  await endWithout(window);
});

test('a lost network is reported although the stream stays open, and so is its return', async () => {
  const window = await openOverview(dashboard.origin);
  await window.context().setOffline(true);
  await lost(window).waitFor();
  await window.context().setOffline(false);
  await lost(window).waitFor({ state: 'detached' });
  await endWithout(window);
});

test('a computer that slept for minutes says that the service is gone, and catches up when it is back', async (t) => {
  const relay = await startRelay(Number(new URL(dashboard.origin).port));
  t.after(() => relay.stop());
  dashboard.expectOrigin(relay.origin);
  const window = await openOverview(relay.origin, (opened) => opened.clock.install());
  relay.freeze();
  // As when a laptop is opened again: timers fire once, and the clock has moved on.
  await window.clock.fastForward('05:00');
  await lost(window).waitFor();
  const name = await runNewSite();
  assert.equal(await rowOf(window, name).count(), 0);
  assert.ok(await rowOf(window, 'site-1').isVisible(), 'the content stays');
  assert.deepEqual(await dashboard.axe(window), []);
  relay.setDown(false);
  await lost(window).waitFor({ state: 'detached' });
  await rowOf(window, name).waitFor();
  await endWithout(window);
});

test('a stopped service is reported, and its restart is noticed, also by a form', async () => {
  const window = await openOverview(dashboard.origin);
  const formError = window.getByRole('alert').filter({ hasText: 'The service does not respond.' });
  await dashboard.service.restart(async () => {
    await lost(window).waitFor();
    await window
      .getByRole('button', { name: /^Run again/ })
      .first()
      .click();
    await window.getByText('Stopped: The service does not respond.').waitFor();
    await window.getByLabel('Check another site').fill(site.origin);
    await window.getByRole('button', { name: 'Start checking' }).click();
    await formError.waitFor();
  });
  await lost(window).waitFor({ state: 'detached' });
  await window.getByRole('alert').filter({ hasText: 'It does now: try again.' }).waitFor();
  assert.equal(await formError.count(), 0);
  await rowOf(window, await runNewSite()).waitFor();
  await endWithout(window);
});

test('screens that were opened during an outage show their content when the service is back', async () => {
  const window = await openOverview(dashboard.origin);
  await dashboard.service.restart(async () => {
    await lost(window).waitFor();
    // Neither its code nor its data can be read now.
    await window.getByRole('link', { name: 'Schedules' }).first().click();
    await window.waitForURL('**/schedules');
    await lost(window).waitFor();
  });
  await window.getByRole('heading', { name: 'Schedules' }).waitFor();
  await lost(window).waitFor({ state: 'detached' });
  await endWithout(window);
});

test('content that could not be loaded appears when it can be, without a click', async () => {
  const window = await openOverview(dashboard.origin);
  await window.route('**/api/v1/devices?*', (route) => route.abort());
  await dashboard.load(window, '/devices');
  await window.getByText('Check that it is running').waitFor();
  await window.unroute('**/api/v1/devices?*');
  await window.getByRole('table').waitFor();
  await endWithout(window);
});
