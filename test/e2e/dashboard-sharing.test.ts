import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The pages of the site, which are edited between the runs. */
const pages: Record<string, string> = {
  '/': page('Bakery', '<p id="a">One<p id="a">Two<p id="a">Three<p><a href="/offers">Offers</a>'),
  '/offers': page('Offers', '<p>Rolls'),
};

let dashboard: Dashboard;
let site: TestSite;
let siteId = '';

before(async () => {
  const answer =
    (path: string) =>
    (_: unknown, response: { setHeader(name: string, value: string): void; end(body?: string): void }) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(pages[path]);
    };
  [dashboard, site] = await Promise.all([
    startDashboard(),
    startTestSite({ '/': answer('/'), '/offers': answer('/offers') }),
  ]);
  const { service } = dashboard;
  const attributes = { name: 'Ada’s bakery', starting_url: `${site.origin}/`, tags: 'bakery' };
  siteId = (await service.ask('/sites', 'POST', attributes)).data.id;
  await run();
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

async function run(): Promise<string> {
  const { data } = await dashboard.service.ask(`/sites/${siteId}/runs`, 'POST');
  return (await dashboard.service.finished(data.id)).id;
}

test('the page of a client shows the newest report, what was fixed, and earlier reports, until the link is revoked', async () => {
  const owner = await dashboard.open(`/sites/${siteId}`);
  await owner.getByRole('link', { name: 'Share', exact: true }).click();
  await owner.getByLabel('For', { exact: true }).fill('Ada');
  await owner.getByRole('button', { name: 'Create link' }).click();
  const open = owner.getByRole('link', { name: 'Open the link for Ada (in a new tab)' });
  const { pathname } = new URL((await open.getAttribute('href')) ?? '');

  const client = await dashboard.open(pathname, { isSignedIn: false });
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

  await owner.getByRole('button', { name: 'Revoke the link for Ada…' }).click();
  await owner.getByRole('button', { name: 'Revoke', exact: true }).click();
  await owner.getByText('No links yet').waitFor();
  dashboard.expectStatus(401, 404);
  await client.reload();
  await client.getByRole('heading', { name: 'This site is no longer shared' }).waitFor();
  await Promise.all([owner, client].map((window) => dashboard.leave(window)));
});

test('the link of a tag lists its sites, which lead to their pages', async () => {
  const owner = await dashboard.open('/?tags=bakery');
  await owner.getByRole('link', { name: 'Share sites tagged bakery' }).click();
  await owner.getByRole('button', { name: 'Create link' }).click();
  const open = owner.getByRole('link', { name: 'Open the link for anyone (in a new tab)' });
  const { pathname } = new URL((await open.getAttribute('href')) ?? '');
  const client = await dashboard.open(pathname, { isSignedIn: false });
  await client.getByRole('link', { name: 'Ada’s bakery' }).click();
  await client.getByRole('heading', { name: 'What was fixed' }).waitFor();
  await client.getByRole('link', { name: '‹ All sites' }).click();
  await client.getByRole('heading', { name: 'bakery', exact: true }).waitFor();
  await dashboard.service.ask(`/sites/${siteId}`, 'PATCH', { tags: '' });
  dashboard.expectStatus(401, 404);
  await client.reload();
  await client.getByRole('heading', { name: 'This site is no longer shared' }).waitFor();
  await Promise.all([owner, client].map((window) => dashboard.leave(window)));
});

test('what was fixed has the numbers of the reports and of their comparison, and paper has no controls', async () => {
  const window = await dashboard.open(`/sites/${siteId}`);
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
  assert.deepEqual(dashboard.takeFaults(), []);
  await dashboard.leave(window);
});

test('what was fixed for a client adds up its sites', async () => {
  await dashboard.service.ask(`/sites/${siteId}`, 'PATCH', { tags: 'bakery' });
  const window = await dashboard.open('/?tags=bakery');
  await window.getByRole('link', { name: 'What was fixed for bakery' }).click();
  await window.getByRole('heading', { name: 'What was fixed for bakery' }).waitFor();
  const { attributes } = (await dashboard.service.ask(`/sites/${siteId}/comparison`)).data;
  const { before, now, found } = attributes;
  const sums = `1 site: ${before.errors} errors in the earlier reports, ${now.errors} in the later ones. ${found.errors.fixed} errors fixed, ${found.errors.new} new or back.`;
  await window.getByText(sums).waitFor();
  assert.deepEqual(await dashboard.axe(window), []);
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
  await dashboard.leave(window);
});

test('readers see first what hinders visitors most: broken links, then severe barriers; outdated code comes last', async () => {
  const { service } = dashboard;
  const repeated = page('Repeated', '<center>A</center><center>B</center>');
  const faulty = await startTestSite({
    '/': page(
      'Bakery',
      '<center>Old</center><p class="a" class="b">Text<p><img src="data:,"><a href="/gone">Cakes</a><a href="/b">B</a>',
    ),
    '/b': repeated,
  });
  const { data: created } = await service.ask('/reports', 'POST', {
    ...{ starting_url: `${faulty.origin}/`, perform_a11y_checks: true, perform_link_checks: true },
  });
  const { id } = await service.finished(created.id);
  await faulty.stop();
  const { data } = await service.ask(`/reports/${id}`, 'PATCH', { shared: true });
  const client = await dashboard.open(new URL(data.attributes.share_url).pathname, { isSignedIn: false });
  const section = client.getByRole('region', { name: 'What matters most' });
  await section.getByText('A screen reader is a program').waitFor();
  const lines = (await section.locator('h3, ol > li > p:first-child').allInnerTexts()).map((line) => line.trim());
  assert.deepEqual(lines.slice(0, 3), [
    'Most important',
    'Everyone who follows the link gets an error page.',
    "People who use a screen reader don't learn what the image shows.",
  ]);
  assert.deepEqual(lines.slice(-2), [
    'Least important',
    'No direct effect on visitors today: browsers still support this outdated code, but can stop doing so.',
  ]);
  assert.ok(lines.indexOf('Less important') > 2);
  // The message of a broken link ends with its address, so its place has no markup.
  const [link] = await section
    .getByRole('listitem')
    .filter({ hasText: '/gone' })
    .last()
    .getByRole('listitem')
    .allInnerTexts();
  assert.equal(link, 'On 1 page. See it on the page');
  await section.getByText('On 1 page: <img src="data:,">').waitFor();
  assert.deepEqual(await dashboard.axe(client), []);

  await section
    .getByRole('link', { name: /^Details.*(?:Images|“img”)/ })
    .first()
    .click();
  await client.getByRole('heading', { name: 'For visitors' }).waitFor();
  await client.getByText("People who use a screen reader don't learn what the image shows.").waitFor();
  await client.close();
});
