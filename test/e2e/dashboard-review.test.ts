import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What people decide about issues, by keyboard, on the page and in the list of their decisions, and what readers learn of it. */

/** Each color is a cause of its own: the first has six elements, the last one. */
const COLORS = ['#999999', '#aaaaaa', '#bbbbbb', '#cccccc', '#dddddd', '#eeeeee'];
const FAINT = COLORS.map((color, index) => `<p style="color: ${color}">Faint</p>`.repeat(COLORS.length - index)).join(
  '',
);
/** Texts on a gradient, whose contrast axe cannot compute: two causes, the first on both pages. */
const HERO = '<p class="hero">Hero</p>';
const CARD = '<div class="card">Card</div>';
const STYLE = '<style>.hero, .card { background: linear-gradient(#fff, #000); color: #777; }</style>';
const NO_ALT = '<img src="data:," id="one"><img src="data:," id="two">';
const OTHERS = '<center>Old</center><p class="a" class="b">Text<p><a href="/gone">Cakes</a>';
/** Each attribute is an issue type of its own. */
const UNKNOWN = Array.from({ length: 10 }, (_, number) => `<p unknown${number}>Text</p>`).join('');

let dashboard: Dashboard;
let site: TestSite;
let report: string;
/** The path of its share link. */
let shared: string;
let window: Page;
/** The window of a reader of the share link. */
let reader: Page;

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard(),
    startTestSite({
      '/': page('Home', `${STYLE}${HERO}${CARD}${FAINT}<p><a href="/b">b</a>`),
      '/b': page('B', `${STYLE}${HERO}${NO_ALT}${OTHERS}`),
      '/unknown': page('Unknown', UNKNOWN),
    }),
  ]);
  const { service } = dashboard;
  const checks = { perform_a11y_checks: true, perform_link_checks: true, store_screenshots: true };
  // The ids of occurrences change when something is decided about others of their rule. The dashboard finds them again.
  dashboard.expectStatus(422);
  const { data } = await service.ask('/reports', 'POST', { starting_url: `${site.origin}/`, shared: true, ...checks });
  report = (await service.finished(data.id)).id;
  await service.compared(report);
  shared = new URL(data.attributes.share_url).pathname;
  [window, reader] = await Promise.all([
    dashboard.open(`/reports/${report}`),
    dashboard.open(shared, { isSignedIn: false }),
  ]);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

/** The errors and the findings to review of its accessibility check, from the database: tests ask often. */
const checks = async (): Promise<readonly [errors: number, toReview: number]> => {
  const counts = dashboard.service.app.db.selectFrom('report_checks').select(['errors', 'warnings']);
  const ofReport = counts.where('report_id', '=', report).where('kind', '=', 'a11y');
  const { errors, warnings } = await ofReport.executeTakeFirstOrThrow();
  return [errors, warnings];
};
const counted = (...[errors, toReview]: readonly [errors: number, toReview: number]) =>
  until(async () => {
    const [now, left] = await checks();
    return now === errors && left === toReview;
  });
const rule = (text: RegExp | string) => window.getByRole('heading', { level: 3, name: text }).waitFor();
/** The end of the path of a page in the report. */
const pageAt = async (path: string): Promise<string> => {
  const pages = await dashboard.service.all(`/reports/${report}/web_pages`);
  return `/pages/${pages.find(({ attributes }) => attributes.url === site.origin + path)?.id}`;
};

function assertFaultless(): void {
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

describe('readers of a shared report', () => {
  test('see first what hinders visitors most: broken links, then severe barriers; outdated code comes last', async () => {
    const section = reader.getByRole('region', { name: 'What matters most' });
    await section.getByText('A screen reader is a program').waitFor();
    const lines = (await section.locator('h3, ol > li > p:first-child').allInnerTexts()).map((line) => line.trim());
    assert.deepEqual(lines.slice(0, 4), [
      'Most important',
      'Everyone who follows the link gets an error page.',
      'People with low vision, and everyone in bright light, have trouble reading the text.',
      "People who use a screen reader don't hear what the image shows.",
    ]);
    const [less, least] = [lines.indexOf('Less important'), lines.indexOf('Least important')];
    assert.ok(3 < less && less < least, String(lines));
    assert.equal(
      lines.at(-1),
      'No direct effect on visitors today: browsers still support this outdated code, but may stop doing so.',
    );
    // The message of a broken link ends with its address, so its place has no markup.
    const [link] = await section
      .getByRole('listitem')
      .filter({ hasText: '/gone' })
      .last()
      .getByRole('listitem')
      .allInnerTexts();
    assert.equal(link, 'On 1 page. See it on the page');
    await section
      .getByText(/^On 1 page: such as <img src="data:,"/)
      .first()
      .waitFor();
    await section
      .getByRole('link', { name: /^Details.*(?:Images|“img”)/ })
      .first()
      .click();
    await reader.getByRole('heading', { name: 'For visitors' }).waitFor();
    await reader.getByText("People who use a screen reader don't hear what the image shows.").waitFor();
    await dashboard.visit(reader, shared);
  });

  test('see each of the first causes, with a link to its first element, and how many others there are', async () => {
    await reader.getByText('And 6 more elements, with 3 more causes.').waitFor();
    await reader.getByText('3 elements need review by a person.').waitFor();
    const causes = reader.getByRole('listitem').filter({ hasText: /^On 1 page: #/ });
    await causes.nth(2).waitFor();
    for (const [index, first] of [1, 7, 12].entries()) {
      await causes.nth(index).getByText(`${COLORS[index]} on #ffffff`).waitFor();
      await causes.nth(index).getByRole('link').click();
      await reader.getByText(`occurrence ${first} of 21`).waitFor();
      await reader.goBack();
    }
    assertFaultless();
  });

  test('see the open issue until the next screen is loaded', async () => {
    const [first] = await dashboard.service.all(`/reports/${report}/common_a11y_issues`);
    const path = `${shared}/accessibility/${first?.id}`;
    const own = await dashboard.open(path, { isSignedIn: false, isAlone: true });
    await own.getByRole('heading', { name: 'For visitors' }).waitFor();
    const read: string[] = [];
    own.on('request', (request) => read.push(request.url()));
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await own.route('**/assets/*.js', (route) => released.then(() => route.continue()));
    const asked = own.waitForRequest('**/assets/*.js');
    await own.locator('main a[href*="/pages/"]').first().click();
    await asked;
    await own.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.deepEqual(
      read.filter((url) => url.includes('/common_html_issues')),
      [],
    );
    assert.equal(await own.getByRole('heading', { name: 'Issue not found' }).count(), 0);
    release();
    await own.getByText(/^occurrence \d+ of/).waitFor();
    await own.context().close();
    assertFaultless();
  });
});

describe('people who review', () => {
  const reviewed = async (show: string): Promise<void> => {
    await dashboard.visit(window, `/reports/${report}/review?show=${show}`);
  };

  test('go from cause to cause by keyboard, and undo decisions', async () => {
    const [errors, toReview] = await checks();
    assert.equal(toReview, 3);
    await window.getByRole('link', { name: 'Review 3 elements' }).click();
    await rule('Elements must meet minimum color contrast ratio thresholds');
    await window.getByText('0 of 2 causes decided').waitFor();
    await window.getByRole('img', { name: 'The element on /: <p class="hero">' }).waitFor();
    await window.locator('mark', { hasText: '<p class="hero">' }).waitFor();
    await window.getByText('2 elements on 2 pages with this cause').waitFor();
    await dashboard.settled(window);
    assert.match(await dashboard.told(window), /^heading "Elements must meet/);

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
    await until(async () => (await dashboard.told(window)).startsWith('heading "All decided"'));
    await counted(errors + 2, 1);
    await window.getByRole('link', { name: 'Summary' }).last().click();
    await window.getByText('Nothing is left to review, 1 later').waitFor();
    assertFaultless();
  });

  test('are mentioned to readers of the share link, who cannot change their decisions', async () => {
    await reader.getByText('A person reviewed 2 elements; 1 still needs review.').waitFor();
    await reader.getByText('Reviewed by a person', { exact: true }).waitFor();
    assert.equal(await reader.getByText('Reviewed by a person', { exact: true }).count(), 1);
    await dashboard.visit(reader, `${shared}${await pageAt('/')}?type=serious`);
    await reader.getByRole('button', { name: /serious: .*Decided: error/ }).click();
    await reader.getByText('Decided: error, for all elements with this cause').waitFor();
    for (const name of ['Undo decision', 'Error…', 'Mute…'])
      assert.equal(await reader.getByRole('button', { name }).count(), 0, name);
    assertFaultless();
  });

  test('decide about occurrences and leave the others of the cause, and decide what is later', async () => {
    const [errors] = await checks();
    await reviewed('errors');
    await rule('Images must have alternative text');
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
    assertFaultless();
  });

  test('have a decision that the service refuses back in the queue', async () => {
    dashboard.expectStatus(503);
    await reviewed('later');
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
  });

  test('see what was decided on the page, decide and undo', async () => {
    const [errors] = await checks();
    await dashboard.visit(window, `/reports/${report}${await pageAt('/')}`);
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
    assertFaultless();
  });

  test('restore the decision that theirs replaced by undoing it', async () => {
    const { service } = dashboard;
    const [errors] = await checks();
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

    await reviewed('later');
    await window.getByText('Decided: later').waitFor();
    await window.keyboard.press('x');
    await window.getByRole('heading', { name: 'All decided' }).waitFor();
    await counted(errors, 0);
    await window.keyboard.press('u');
    await restored();
    await counted(errors, 1);

    const { web_page_id: home } = cluster.sample;
    // Without the messages of former changes, which have the same button.
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
    assertFaultless();
  });

  test('decide about one element in the dialog of a muting', async () => {
    const [errors] = await checks();
    await dashboard.visit(window, `/reports/${report}${await pageAt('/b')}?type=critical`);
    await window.getByRole('button', { name: /^critical: Images must have/ }).click();
    await window.keyboard.press('m');
    await window.getByLabel('Only this element').check();
    await window.getByLabel('Reason').fill('An ornament');
    await window.getByRole('button', { name: 'Mute', exact: true }).click();
    await counted(errors - 1, 1);
    await window.getByRole('button', { name: /^critical: Images must have/ }).waitFor({ state: 'detached' });
    await window.getByText('1 issue type not an error.').getByRole('button', { name: 'Show' }).click();
    await window.getByText('These issues were marked “not an error” and are not counted.').waitFor();
    assertFaultless();
  });

  test('list, change and undo the decisions about a site', async () => {
    const [errors] = await checks();
    const [{ id }] = (await dashboard.service.ask('/sites')).data;
    await dashboard.visit(window, `/sites/${id}`);
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
    assertFaultless();
  });

  test('read all rules, the causes of a few at once', async () => {
    const { service } = dashboard;
    const definition = { starting_url: `${site.origin}/unknown`, perform_html_checks: true };
    const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
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
      // Nothing is decided about a cause that is still loading.
      await dashboard.settled(window);
    }
    assert.deepEqual([read, mostOpen], [10, 4]);
    await window.keyboard.press('x');
    await window.getByRole('heading', { name: 'All decided' }).waitFor();
    await window.getByText('You made 10 decisions: 10 not an error.').waitFor();
    assertFaultless();
    await window.unroute('**/common_html_issues?*');
  });
});
