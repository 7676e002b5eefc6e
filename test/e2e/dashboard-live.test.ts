import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startRelay } from '../helpers/relay.ts';
import { seedReport } from '../helpers/seed.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/**
 * How the dashboard draws a large source, what it shows the client of a site from run to run, and how it follows the service
 * through everything that can come between the two.
 */

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
});
after(() => dashboard?.close());

/** Of a page with a long source, only the lines on the screen are drawn. */
describe('the source of a large page', () => {
  const OCCURRENCES = 1_200;
  const HEAD = '<!DOCTYPE html>\n<html lang="en">\n<head><title>Large</title></head>\n<body>\n<h1>Large</h1>\n';
  const BODY = Array.from(
    { length: OCCURRENCES },
    (_, index) => `<p nonsense>Paragraph ${index + 1}. ${'All of it is text. '.repeat(9)}</p>\n`,
  ).join('');
  const LINE_OF_FIRST = HEAD.split('\n').length;
  /** A screen has room for some 30 lines. */
  const DRAWN_MAX = 80;

  let site: TestSite;
  let path: string;
  let window: Page;
  before(async () => {
    site = await startTestSite({ '/': `${HEAD}${BODY}</body>\n</html>\n` });
    const { ask, finished } = dashboard.service;
    const { data } = await ask('/reports', 'POST', { starting_url: `${site.origin}/`, max_pages: 1 });
    const report = await finished(data.id);
    assert.equal(report.attributes.checks.html.issues.errors, OCCURRENCES);
    const [first] = (await ask(`/reports/${data.id}/web_pages`)).data;
    path = `/reports/${data.id}/pages/${first.id}`;
    window = await dashboard.open(path);
    await dashboard.settled(window);
    await linesIn().first().waitFor();
  });
  after(async () => {
    await window?.close();
    await site?.stop();
  });

  const linesIn = () => window.locator('li[aria-setsize]');
  const issue = () => window.getByRole('button', { name: /Attribute “nonsense”/ }).first();

  /** Waits for a line to be drawn and visible, and returns its text. */
  async function lineText(line: number): Promise<string> {
    const item = window.locator(`li[aria-posinset="${line}"]`).first();
    await item.waitFor();
    assert.ok((await linesIn().count()) <= DRAWN_MAX, 'only what is on the screen is drawn');
    return (await item.textContent()) ?? '';
  }

  test('is drawn where it is on the screen, and says how much there is', async () => {
    assert.match(await lineText(1), /<!DOCTYPE html>/);
    assert.equal(await linesIn().first().getAttribute('aria-setsize'), String(LINE_OF_FIRST + OCCURRENCES + 2));
    assert.match(
      await lineText(LINE_OF_FIRST),
      /line 6, error 1 of 1200: Attribute “nonsense” not allowed on element “p” at this point: <p nonsense>Paragraph 1\./,
    );
  });

  test('is reached from its issues and left by F6', async () => {
    const paneWithFocus = 'document.activeElement.getAttribute("aria-label") ?? "source"';
    for (const pane of ['Issues', 'source', 'Issues']) {
      await window.keyboard.press('F6');
      assert.equal(await window.evaluate(paneWithFocus), pane);
    }
    await window.keyboard.press('Shift+F6');
    assert.equal(await window.evaluate(paneWithFocus), 'source');
  });

  test('goes from occurrence to occurrence by keys, and keeps the occurrence in its URL', async () => {
    await issue().click();
    await window.keyboard.press('n');
    await window.waitForURL(/occurrence=2$/);
    assert.match(await lineText(LINE_OF_FIRST + 1), /error 2 of 1200/);
    await window.keyboard.press('p');
    await window.waitForURL(/issue=html-\d+$/);
    await window.goBack();
    await window.waitForURL(/occurrence=2$/);
  });

  test('has text in lines that are not drawn found', async () => {
    const find = window.getByLabel('Find in source');
    await find.fill('paragraph 1021.');
    assert.match(await lineText(LINE_OF_FIRST + 1_020), /Paragraph 1021\./);
    await window.getByText('1 of 1', { exact: true }).waitFor();
    await find.fill('Paragraph 113');
    await window.getByText('1 of 11', { exact: true }).waitFor();
    await find.press('Shift+Enter');
    assert.match(await lineText(LINE_OF_FIRST + 1_138), /Paragraph 1139\./);
    await window.getByLabel('Wrap').click();
    assert.match(await lineText(LINE_OF_FIRST + 1_138), /Paragraph 1139\./);
    assert.deepEqual(dashboard.takeFaults(), []);
  });

  test('opens at the last occurrence, and marks exactly what the validator highlights', async () => {
    const { search } = new URL(window.url());
    await dashboard.load(window, path + search.replace('occurrence=2', `occurrence=${OCCURRENCES}`));
    const line = LINE_OF_FIRST + OCCURRENCES - 1;
    assert.match(await lineText(line), /error 1200 of 1200: .*Paragraph 1200\./);
    const mark = window.locator(`li[aria-posinset="${line}"] mark`);
    assert.equal(await mark.textContent(), '<p nonsense>');
    assert.ok(await mark.isVisible());
    assert.ok(await window.getByText(`occurrence ${OCCURRENCES.toLocaleString('en')} of`).isVisible());
    await dashboard.settled(window);
    assert.deepEqual(await dashboard.validate(window), []);
    assert.deepEqual(dashboard.takeFaults(), []);
  });

  test('fits a phone, with the issues in a separate view', async () => {
    await window.setViewportSize({ width: 360, height: 800 });
    await dashboard.load(window, path);
    await issue().click();
    assert.match(await lineText(LINE_OF_FIRST), /error 1 of 1200/);
    await window.getByRole('button', { name: 'Next occurrence' }).click();
    assert.match(await lineText(LINE_OF_FIRST + 1), /error 2 of 1200/);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.ok(Number(await window.evaluate(overflow)) <= 0, 'nothing scrolls sideways');
    assert.deepEqual(await dashboard.axe(window), []);
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});

describe('the client of a site', () => {
  /** The pages of the site, which are edited between the runs. */
  const pages: Record<string, string> = {
    '/': page('Bakery', '<p id="a">One<p id="a">Two<p id="a">Three<p><a href="/offers">Offers</a>'),
    '/offers': page('Offers', '<p>Rolls'),
  };

  let site: TestSite;
  let siteId: string;
  let window: Page;
  let client: Page;
  before(async () => {
    site = await startTestSite({
      '*': (request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(pages[request.url ?? '']);
      },
    });
    const attributes = { name: 'Ada’s bakery', starting_url: `${site.origin}/`, tags: 'bakery' };
    siteId = (await dashboard.service.ask('/sites', 'POST', attributes)).data.id;
    await run();
    window = await dashboard.open('/account');
  });
  after(async () => {
    await Promise.all([window?.close(), client?.close()]);
    await site?.stop();
  });

  async function run(): Promise<void> {
    const { data } = await dashboard.service.ask(`/sites/${siteId}/runs`, 'POST');
    await dashboard.service.finished(data.id);
    await dashboard.service.compared(data.id);
  }

  test('sees the newest report, what was fixed, and earlier reports, until the link is revoked', async () => {
    await dashboard.visit(window, `/sites/${siteId}`);
    await window.getByRole('link', { name: 'Share', exact: true }).click();
    await window.getByLabel('For', { exact: true }).fill('Ada');
    await window.getByRole('button', { name: 'Create link' }).click();
    const open = window.getByRole('link', { name: 'Open the link for Ada (in a new tab)' });
    const { pathname } = new URL((await open.getAttribute('href')) ?? '');

    client = await dashboard.open(pathname, { isSignedIn: false });
    await client.getByRole('heading', { name: 'Ada’s bakery' }).waitFor();
    await client.getByText('1 of 2 pages').waitFor();
    assert.equal(await client.getByRole('heading', { name: 'What was fixed' }).count(), 0);

    pages['/'] = page('Bakery', '<p id="a">One<p><a href="/offers">Offers</a>');
    pages['/offers'] = page('Offers', '<center>Rolls</center>');
    await run();
    await client.reload();
    const fixed = client.getByRole('table', { name: 'Fixed issue types' });
    await fixed.getByText('Duplicate ID “a”.').waitFor();
    assert.match((await fixed.getByRole('row', { name: /Duplicate ID/ }).textContent()) ?? '', /22 → .*0$/);
    const added = client.getByRole('table', { name: 'New issue types' });
    await added.getByText('The “center” element is obsolete. Use CSS instead.').waitFor();
    await client.getByRole('img', { name: /^Errors and passing pages in the last 2 reports/ }).waitFor();

    const reports = client.getByRole('table', { name: 'Reports' });
    await reports.getByRole('link').nth(1).click();
    await client.getByRole('link', { name: '‹ Newest report' }).waitFor();
    await client.getByRole('link', { name: 'HTML', exact: true }).click();
    await client.getByText('Duplicate ID “a”.').first().waitFor();
    await client.goBack();
    await client.getByRole('link', { name: '‹ Newest report' }).click();
    await fixed.waitFor();
    assert.equal(new URL(client.url()).pathname, pathname);
    assert.deepEqual(dashboard.takeFaults(), []);

    // As soon as the link is revoked, and until the end.
    dashboard.expectStatus(401, 404);
    await window.getByRole('button', { name: 'Revoke the link for Ada…' }).click();
    await window.getByRole('button', { name: 'Revoke', exact: true }).click();
    await window.getByText('No links yet').waitFor();
    await client.reload();
    await client.getByRole('heading', { name: 'This site is no longer shared' }).waitFor();
  });

  test('gets the sites of a tag, which lead to their pages', async () => {
    await dashboard.visit(window, '/?tags=bakery');
    await window.getByRole('link', { name: 'Share sites tagged bakery' }).click();
    await window.getByRole('button', { name: 'Create link' }).click();
    const open = window.getByRole('link', { name: 'Open the link for anyone (in a new tab)' });
    const { pathname } = new URL((await open.getAttribute('href')) ?? '');
    await dashboard.load(client, pathname);
    await client.getByRole('link', { name: 'Ada’s bakery' }).click();
    await client.getByRole('heading', { name: 'What was fixed' }).waitFor();
    await client.getByRole('link', { name: '‹ All sites' }).click();
    await client.getByRole('heading', { name: 'bakery', exact: true }).waitFor();
    await dashboard.service.ask(`/sites/${siteId}`, 'PATCH', { tags: '' });
    await client.reload();
    await client.getByRole('heading', { name: 'This site is no longer shared' }).waitFor();
  });

  test('finds what was fixed with the numbers of the reports and of their comparison, and paper has no controls', async () => {
    await dashboard.visit(window, `/sites/${siteId}`);
    await dashboard.visit(window, '/');
    await dashboard.service.ask(`/sites/${siteId}`, 'PATCH', { notes: 'Ask Ada first.' });
    await run();
    await window.getByRole('img', { name: /^Errors per page of Ada’s bakery in the last 3 runs/ }).waitFor();
    // The window knows the site without notes. They arrive late, and must move nothing.
    const path = new RegExp(`/api/v1/sites/${siteId}`);
    await window.route(path, (route) => delay(300).then(() => route.continue()));
    await dashboard.visit(window, `/sites/${siteId}`);
    await window.getByText('Ask Ada first.').waitFor();
    await window.unrouteAll({ behavior: 'wait' });
    await window.getByRole('link', { name: 'What was fixed' }).click();
    await window.getByRole('heading', { name: 'What was fixed on Ada’s bakery' }).waitFor();
    const fixed = window.getByRole('region', { name: 'Fixed', exact: true });
    const sum = /^([\d,]+) occurrences?/.exec((await fixed.getByRole('paragraph').textContent()) ?? '')?.[1];
    const numbers = await window
      .getByRole('table', { name: 'Numbers of both reports' })
      .getByRole('row', { name: /^Errors/ })
      .textContent();

    const runs = (await dashboard.service.ask(`/sites/${siteId}`)).data.attributes.runs;
    const [last, first] = [runs.at(0), runs.at(-1)];
    assert.equal(numbers, `Errors${first.errors}${last.errors}`);
    const changes = await dashboard.service.all(`/reports/${last.report_id}/changes?with=${first.report_id}`);
    assert.equal(
      Number(sum),
      changes.reduce((total, { attributes }) => total + attributes.occurrences.fixed, 0),
    );

    assert.deepEqual(dashboard.takeFaults(), []);
    await window.emulateMedia({ media: 'print' });
    for (const name of ['Print', 'Download▾'])
      assert.equal(await window.getByRole('button', { name }).isVisible(), false);
    assert.equal(await window.getByRole('navigation').first().isVisible(), false);
    assert.equal(await window.getByText(/^Compares the report of/).isVisible(), true);
    await window.emulateMedia({ media: 'screen' });
    // Other media move everything, which an observer may report later, unless its document is gone.
    await window.reload();
    await window.getByText(/^Compares the report of/).waitFor();
    dashboard.takeFaults();
    await window.getByRole('link', { name: 'Since the previous report' }).click();
    await window.getByText(/^Compares the report of/).waitFor();
    await window.getByRole('link', { name: '30 days' }).click();
    await window.getByText(/so the first report is compared/).waitFor();
    await window.getByRole('link', { name: 'Every change' }).click();
    await window.getByRole('table', { name: 'Changes by issue type' }).waitFor();
    assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  });

  test('finds what was fixed on all of its sites added up', async () => {
    await dashboard.service.ask(`/sites/${siteId}`, 'PATCH', { tags: 'bakery' });
    await dashboard.visit(window, '/?tags=bakery');
    await window.getByRole('link', { name: 'What was fixed for bakery' }).click();
    await window.getByRole('heading', { name: 'What was fixed for bakery' }).waitFor();
    const { attributes } = (await dashboard.service.ask(`/sites/${siteId}/comparison`)).data;
    const { before, now, found } = attributes;
    const sums = `1 site: ${before.errors} errors in the earlier reports, ${now.errors} in the later ones. ${found.errors.fixed} errors fixed, ${found.errors.new} new or back.`;
    await window.getByText(sums).waitFor();
    // On paper, each site follows with its list.
    const ofSite = window.getByRole('heading', { name: 'Ada’s bakery', includeHidden: true });
    assert.equal(await ofSite.isVisible(), false);
    await window.emulateMedia({ media: 'print' });
    for (const name of ['Ada’s bakery', 'Fixed', 'New in the same period']) {
      assert.equal(await window.getByRole('heading', { name, exact: true }).isVisible(), true, name);
    }
    assert.equal(await window.getByRole('table', { name: 'Fixed issue types' }).isVisible(), true);
    assert.equal(await window.getByRole('link', { name: '‹ Overview' }).isVisible(), false);
    // Other media move everything, which browsers can report much later.
    await window.emulateMedia({ media: 'screen' });
    await dashboard.load(window, `${new URL(window.url()).pathname}${new URL(window.url()).search}`);
    dashboard.takeFaults();
    await window.getByRole('link', { name: 'This year' }).click();
    await window.getByRole('table', { name: 'Sites' }).getByRole('link', { name: 'Ada’s bakery' }).click();
    await window.getByRole('heading', { name: 'What was fixed on Ada’s bakery' }).waitFor();
    assert.match(window.url(), /since=\d{4}-01-01/);
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});

describe('the dashboard', () => {
  /** Less than `lostAfterMs` in `web/src/api/live.ts`. A busy machine may take longer to reconnect. */
  const SHORT_GAP_MS = 3_000;
  const LOST = /^The service does not respond\. This page shows data from \d/;

  /** The ids of the reports of sites that only tests about their deletion need. */
  const reports: string[] = [];
  let accountId: string;
  let window: Page;
  before(async () => {
    const { db } = dashboard.service.app;
    accountId = (await ensureFirstAccount(db)).id;
    for (const name of ['site-1', 'site-2', 'site-3', 'site-4']) {
      const url = `http://${name}.test/`;
      const pages = [{ url, checks: { html: { status: 'checked' } } }] as const;
      reports.push((await seedReport(db, { account_id: accountId, starting_url: url }, ['html'], pages)).reportId);
    }
    window = await dashboard.open('/devices', { isAlone: true });
  });
  after(() => window?.context().close());

  const rowOf = (name: string, within = window) => within.getByRole('rowheader', { name });
  const lost = (within = window) => within.getByRole('status').filter({ hasText: LOST });

  /** Opens the overview in a window whose connection others don't share. */
  async function openOverview(origin: string, prepare?: (opened: Page) => Promise<unknown>): Promise<Page> {
    const opened = await dashboard.open('/devices', { isAlone: true });
    await prepare?.(opened);
    await opened.goto(`${origin}/`);
    await rowOf('site-1', opened).waitFor();
    await dashboard.settled(opened);
    return opened;
  }

  /** The network fails on purpose; the content of the page must not move. */
  function assertFaultless(): void {
    assert.deepEqual(
      dashboard.takeFaults().filter((fault) => !/net::ERR_/.test(fault)),
      [],
    );
  }

  test('shows pending content as gray rows, not as an empty screen', async () => {
    const answered = Promise.withResolvers<void>();
    await window.route('**/api/v1/sites?*', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await window.getByRole('link', { name: 'Overview', exact: true }).click();
    const row = `document.querySelector('[data-loading] > [aria-hidden]')?.checkVisibility({ opacityProperty: true })`;
    await until(async () => (await window.evaluate(row)) === true);
    answered.resolve();
    await rowOf('site-1').waitFor();
    await window.unrouteAll();
    assertFaultless();
  });

  test('continues a dropped stream where it ended, without a message, and catches up', async (t) => {
    const { ask } = dashboard.service;
    const relay = await startRelay(Number(new URL(dashboard.origin).port));
    t.after(() => relay.stop());
    dashboard.expectOrigin(relay.origin);
    const streams: (string | undefined)[] = [];
    const relayed = await openOverview(relay.origin, async (opened) => {
      opened.on('request', (request) => {
        // Not the stream of the previous screen, which may still be opening.
        if (request.url() === `${relay.origin}/api/v1/events`) streams.push(request.headers()['last-event-id']);
      });
    });
    const said: string[] = [];
    await relayed.exposeFunction('noteStatus', (text: string) => void said.push(text));
    await relayed.evaluate(`new MutationObserver(() => {
      for (const status of document.querySelectorAll('[role=status]')) if (status.textContent !== '') noteStatus(status.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    // An event gives the stream an id to continue from.
    await ask(`/reports/${reports[1]}`, 'DELETE');
    await rowOf('site-2', relayed).waitFor({ state: 'detached' });
    const downAt = performance.now();
    relay.setDown(true);
    await ask(`/reports/${reports[2]}`, 'DELETE');
    relay.setDown(false);
    await rowOf('site-3', relayed).waitFor({ state: 'detached' });
    const gapMs = performance.now() - downAt;
    await ask(`/reports/${reports[3]}`, 'DELETE');
    await rowOf('site-4', relayed).waitFor({ state: 'detached' });
    if (gapMs < SHORT_GAP_MS) assert.deepEqual(said, [], 'a short gap is not worth a message');
    else t.diagnostic(`The gap was too long to expect no message: ${Math.round(gapMs)} ms.`);
    assert.equal(streams[0], undefined);
    assert.ok(streams.length > 1 && streams.slice(1).every((lastId) => lastId !== undefined), String(streams));
    assertFaultless();
    await relayed.context().close();
  });

  test('says that the service is gone on a computer that slept for minutes, and catches up when it is back', async (t) => {
    const relay = await startRelay(Number(new URL(dashboard.origin).port));
    t.after(() => relay.stop());
    dashboard.expectOrigin(relay.origin);
    const relayed = await openOverview(relay.origin, (opened) => opened.clock.install());
    relay.freeze();
    // As when a laptop is opened again: timers fire once, and the clock has moved on.
    await relayed.clock.fastForward('05:00');
    await lost(relayed).waitFor();
    await seedReport(
      dashboard.service.app.db,
      { account_id: accountId, starting_url: 'http://site-5.test/' },
      ['html'],
      [],
    );
    assert.equal(await rowOf('site-5', relayed).count(), 0);
    assert.ok(await rowOf('site-1', relayed).isVisible(), 'the content stays');
    assert.deepEqual(await dashboard.axe(relayed), []);
    relay.setDown(false);
    await lost(relayed).waitFor({ state: 'detached' });
    await rowOf('site-5', relayed).waitFor();
    assertFaultless();
    await relayed.context().close();
  });

  test('reports a lost network although the stream stays open, its return, and what loads only then', async () => {
    await window.context().setOffline(true);
    await lost().waitFor();
    await window.context().setOffline(false);
    await lost().waitFor({ state: 'detached' });
    await window.route('**/api/v1/devices?*', (route) => route.abort());
    await dashboard.load(window, '/devices');
    await window.getByText('Check that it is running').waitFor();
    await window.unrouteAll();
    await window.getByRole('table').waitFor();
    assertFaultless();
  });

  test('reports a stopped service and its restart, also by a form, and shows screens that were opened in between', async () => {
    const other = await openOverview(dashboard.origin);
    await dashboard.visit(window, '/');
    const formError = window.getByRole('alert').filter({ hasText: 'The service does not respond.' });
    await dashboard.service.restart(async () => {
      await lost().waitFor();
      await window
        .getByRole('button', { name: /^Run again/ })
        .first()
        .click();
      await window.getByText('Stopped: The service does not respond.').waitFor();
      await window.getByLabel('Check another site').fill('http://site-6.test/');
      await window.getByRole('button', { name: 'Start checking' }).click();
      await formError.waitFor();
      await lost(other).waitFor();
      // Neither its code nor its data can be read now.
      await other.getByRole('link', { name: 'Schedules' }).first().click();
      await other.waitForURL('**/schedules');
      await lost(other).waitFor();
    });
    await lost().waitFor({ state: 'detached' });
    await window.getByRole('alert').filter({ hasText: 'it is available again. Try again.' }).waitFor();
    assert.equal(await formError.count(), 0);
    await other.getByRole('heading', { name: 'Schedules' }).waitFor();
    await lost(other).waitFor({ state: 'detached' });
    // Events arrive again.
    await dashboard.service.ask(`/reports/${reports[0]}`, 'DELETE');
    await rowOf('site-1').waitFor({ state: 'detached' });
    assertFaultless();
    await other.context().close();
  });
});
