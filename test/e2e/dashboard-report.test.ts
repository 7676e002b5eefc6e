import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { EXPORT_FORMAT_NAMES } from '../../src/domain/export-formats.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { element, occurrence } from '../helpers/sample-report.ts';
import { type SeedIssue, seedDocument, seedReport } from '../helpers/seed.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The triage of a report: its issues one after another by keys, muting with undo, and a re-check with its results. */

const NO_ALT = '<img src="data:,">';
const OLD = '<center>old</center>';

let dashboard: Dashboard;
let site: TestSite;
let report: string;
let isFixed = false;

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard(),
    startTestSite({
      '/': (_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(page('Home', `${isFixed ? '' : NO_ALT + NO_ALT}${OLD}<p><a href="/b">b</a>`));
      },
      '/b': page('B', NO_ALT),
    }),
  ]);
  const { service } = dashboard;
  const { data } = await service.ask('/reports', 'POST', { starting_url: site.origin, max_pages: 5 });
  report = (await service.finished(data.id)).id;
  // The counts of an issue that is gone are requested once more.
  dashboard.expectStatus(404);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

const heading = (window: Page, text: RegExp) => window.getByRole('heading', { level: 1, name: text }).waitFor();

async function openImages(): Promise<Page> {
  const window = await dashboard.open(`/reports/${report}/html?text=alt`);
  await window.getByRole('link', { name: /“img” element must have/ }).click();
  await heading(window, /“img” element must have/);
  await dashboard.settled(window);
  return window;
}

test('each fix of the plan says how many pages pass before and after it, as exports do', async () => {
  const window = await dashboard.open(`/reports/${report}`);
  const fixes = window.getByRole('region', { name: 'Fix first' });
  await fixes.getByRole('listitem').first().waitFor();
  const steps = [...((await fixes.textContent()) ?? '').matchAll(/(\d+ → \d+) of \d+ pages? pass/g)].map(
    ([, step]) => step,
  );
  assert.deepEqual(steps, ['0 → 1', '1 → 2']);
  await dashboard.leave(window);
});

describe('triage', () => {
  test('goes from issue to issue by keys', async () => {
    const window = await dashboard.open(`/reports/${report}/html`);
    await window.locator('tbody a').first().focus();
    await window.keyboard.press('j');
    await window.keyboard.press('k');
    await window.keyboard.press('o');
    await heading(window, /“img” element must have/);
    await window.getByText('1 of 2').waitFor();
    await window.keyboard.press(']');
    await heading(window, /“center” element is obsolete/);
    await window.getByText('2 of 2').waitFor();
    await window.keyboard.press('[');
    await heading(window, /“img” element must have/);
    await dashboard.leave(window);
  });

  test('goes from page to page of the list that they were opened from', async () => {
    const window = await dashboard.open(`/reports/${report}/pages?html=with_errors&sort=-url`);
    await window.locator('tbody a').first().click();
    await heading(window, /^\/b$/);
    await window.getByText('1 of 2').waitFor();
    await window.getByRole('link', { name: 'Next page' }).click();
    await window.getByText('2 of 2').waitFor();
    await window.getByRole('link', { name: '‹ Pages' }).click();
    await window.waitForURL(/html=with_errors&sort=-url$/);
    await dashboard.leave(window);
  });

  test('mutes an issue after saying how much that hides, and undoes it', async () => {
    const window = await openImages();
    await window.locator('h1').focus();
    await window.keyboard.press('m');
    await window.getByText('Mutes 3 occurrences on 2 pages').waitFor();
    await window.getByLabel('Messages that contain').fill('no such message');
    await window.getByText('Mutes nothing').waitFor();
    await window.getByLabel('Messages that contain').fill('element must have an');
    await window.getByText('Mutes 3 occurrences on 2 pages').waitFor();
    await window.getByLabel('Reason').fill('Pictures come later');
    await window.getByRole('button', { name: 'Mute', exact: true }).click();
    await window.getByRole('button', { name: 'Undo' }).hover();
    await window.getByText('All occurrences are muted').waitFor();
    await window.getByRole('button', { name: 'Undo' }).click();
    await window.getByText('3 occurrences on 2 pages').first().waitFor();
    await dashboard.leave(window);
  });

  test('mutes an issue in the elements that match a selector, from the next check', async () => {
    const window = await openImages();
    await window.locator('h1').focus();
    await window.keyboard.press('m');
    const retroactive = window.getByLabel('Also change what earlier reports found');
    await retroactive.waitFor();
    await window.getByLabel('In elements that match').fill('main >');
    await window.getByText('Counting failed:').waitFor();
    await window.getByLabel('In elements that match').fill('main');
    await window.getByText('Mutes at most 3 occurrences on 2 pages').waitFor();
    assert.equal(await retroactive.count(), 0);
    assert.deepEqual(await dashboard.axe(window), []);
    await window.getByRole('button', { name: 'Mute', exact: true }).click();
    await window.getByText('Muted. It applies from the next check.').waitFor();
    const mutings = async () =>
      (await dashboard.service.ask('/mutings')).data.map(
        ({ attributes }: { attributes: { selector: string } }) => attributes.selector,
      );
    assert.deepEqual(await mutings(), ['main']);
    await window.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await mutings()).length === 0);
    await dashboard.leave(window);
  });

  test('checks the pages of an issue again, and says what is fixed, even in another tab and after a restart', async () => {
    const window = await openImages();
    const path = new URL(window.url()).pathname;
    const other = await dashboard.open(path);
    const [home] = (await dashboard.service.ask(`/reports/${report}/web_pages`)).data;
    const list = encodeURIComponent(`issue=html-${path.split('/').at(-1)}`);
    const leaving = await dashboard.open(`/reports/${report}/pages/${home.id}?list=${list}&at=1`);
    const position = leaving.getByRole('navigation', { name: 'Position of the page' });
    await position.getByText('1 of 2').waitFor();
    isFixed = true;
    await window.getByRole('button', { name: 'Re-check 2 pages' }).click();
    for (const tab of [window, other]) {
      for (const found of ['2 fixed', '1 still there', '0 new']) await tab.getByText(found).waitFor();
      await dashboard.settled(tab);
      await dashboard.leave(tab);
    }
    await leaving.getByText('element must have').first().waitFor({ state: 'hidden' });
    await dashboard.settled(leaving);
    await position.getByText('1 of 2').waitFor();
    await leaving.getByRole('button', { name: 'Source', exact: true }).press(']');
    await heading(leaving, /^\/b$/);
    await dashboard.leave(leaving);
    await dashboard.service.restart(async () => undefined);
    const later = await dashboard.open(path);
    await later.getByText('2 fixed').waitFor();
    await dashboard.leave(later);
  });
});

test('the summary finds a page', async () => {
  const window = await dashboard.open(`/reports/${report}`);
  await window.getByRole('searchbox', { name: 'Where is my page?' }).fill('/b#top');
  await window.getByRole('button', { name: 'Find' }).click();
  await window.getByText(`${site.origin}/b: checked as a page. Found on ${site.origin}/.`).waitFor();
  await window.getByRole('searchbox', { name: 'Where is my page?' }).fill('/nowhere');
  await window.getByRole('button', { name: 'Find' }).click();
  await window.getByText('No checked page links to a URL that contains “/nowhere”').waitFor();
  await window.goBack();
  await window.getByText('checked as a page. Found on').waitFor();
  await dashboard.leave(window);
});

test('what does not exist says so under a heading', async () => {
  const window = await dashboard.open(`/reports/${report}/pages/999999`);
  await heading(window, /^Not found$/);
  await window.getByText('Not found or not shared with you').waitFor();
  await dashboard.leave(window);
});

/** Downloads the open report by keyboard, and returns the name of the file. */
async function download(window: Page): Promise<string> {
  await window.getByRole('button', { name: 'Download' }).press('Enter');
  const formats = window.locator(':popover-open :is(a, button)');
  assert.equal(await formats.count(), EXPORT_FORMAT_NAMES.length);
  const saved = window.waitForEvent('download');
  await formats.getByText('CSV', { exact: true }).press('Enter');
  return (await saved).suggestedFilename();
}

test('a report is downloaded, shared and closed again', async () => {
  const window = await dashboard.open(`/reports/${report}`);
  assert.match(await download(window), /^127\.0\.0\.1-[\d-]+\.csv$/);
  await window.getByRole('button', { name: 'Share…' }).click();
  await window.getByRole('checkbox').click();
  await window.getByRole('checkbox', { checked: true }).waitFor();
  const link = await window.getByLabel('Link', { exact: true }).inputValue();
  const reader = await dashboard.open(new URL(link).pathname, { isSignedIn: false });
  assert.match(await download(reader), /\.csv$/);
  await dashboard.leave(reader);
  await window.getByRole('checkbox').click();
  await window.getByRole('button', { name: 'Stop sharing' }).click();
  await window.getByRole('checkbox', { checked: false }).waitFor();
  await dashboard.settled(window);
  assert.equal((await fetch(link)).status, 404);
  await dashboard.leave(window);
});

test('a report that runs again is opened, and the previous report links to it', async () => {
  const window = await dashboard.open(`/reports/${report}`);
  await window.getByRole('button', { name: 'Run again' }).click();
  await window.waitForURL((url) => !url.pathname.endsWith(report));
  const next = new URL(window.url()).pathname;
  await dashboard.service.finished(next.split('/').at(-1) ?? '');
  await window.getByRole('link', { name: /^Since / }).waitFor();
  await dashboard.load(window, `/reports/${report}/changes`);
  await window.getByText('No earlier report to compare with').waitFor();
  await window.locator(`a[href="${next}/changes"]`).click();
  await heading(window, /127\.0\.0\.1/);
  await window.getByLabel('Compared with').waitFor();
  await dashboard.load(window, `${next}/pages?html=with_errors`);
  await window.getByRole('button', { name: 'Re-check 2 pages' }).click();
  await window.getByText('Re-checking 2 pages.').waitFor();
  await dashboard.service.finished(next.split('/').at(-1) ?? '');
  await dashboard.leave(window);
});

test('a page says which other page has the same document', async (t) => {
  const start = page('Twice', '<a href="/index.html">Start</a>');
  const twice = await startTestSite({ '/': start, '/index.html': start });
  t.after(() => twice.stop());
  const { data } = await dashboard.service.ask('/reports', 'POST', { starting_url: `${twice.origin}/` });
  const { id } = await dashboard.service.finished(data.id);
  const pages = (await dashboard.service.ask(`/reports/${id}/web_pages`)).data;
  assert.equal(pages.length, 2);
  const window = await dashboard.open(`/reports/${id}/pages/${pages[0].id}`);
  await window.getByText('the same document as /index.html').waitFor();
  await window.getByRole('link', { name: '/index.html', exact: true }).click();
  await window.getByText('the same document as /', { exact: true }).waitFor();
  await dashboard.leave(window);
});

test('the markup of a fix is an example where other occurrences have other markup', async (t) => {
  const varying = '<p><font id="first">Old</font> <font id="second">Old</font></p>';
  const rows = await startTestSite({ '/': page('Rows', `${varying}<center>Same</center><center>Same</center>`) });
  t.after(() => rows.stop());
  const { ask, finished, api } = dashboard.service;
  const { data } = await ask('/reports', 'POST', { starting_url: `${rows.origin}/`, shared: true });
  const { id } = await finished(data.id);
  const fixes = async () => (await ask(`/reports/${id}/fixes`)).data;
  await until(async () => (await fixes()).length > 0);
  const shown = (await fixes()).map(({ attributes }: { attributes: Record<string, unknown> }) => [
    ...[attributes['markup'], attributes['how_many'], attributes['markup_differs']],
  ]);
  assert.deepEqual(shown.toSorted(), [
    ['<center>', 2, false],
    ['<font id="first">', 2, true],
  ]);
  const secret = new URL(data.attributes.share_url).pathname;
  const headers = { authorization: `Bearer ${secret.split('/').at(-1)}` };
  const download = async (format: string) =>
    (await fetch(`${api}/reports/${id}/export?format=${format}`, { headers })).text();
  assert.match(await download('md'), /<br>such as `<font id="first">` .*\n.*<br>`<center>` /);
  assert.match(await download('html'), /<br>such as <code>&lt;font id=&quot;first&quot;&gt;/);
  const window = await dashboard.open(`/reports/${id}`);
  const list = window.getByRole('region', { name: 'Fix first' });
  await list.getByText('such as <font id="first">').waitFor();
  assert.equal(await list.getByText('such as').count(), 1);
  await dashboard.load(window, secret);
  await window.getByText('On 1 page: such as <font id="first">').waitFor();
  await dashboard.leave(window);
});

test('a report of a section is started with inclusions, and shows them', async () => {
  const window = await dashboard.open('/reports/new');
  await window.getByLabel('Address').first().fill(`${site.origin}/`);
  await window.getByText('Inclusions and exclusions').click();
  const inclusions = window.getByLabel('Included addresses');
  await inclusions.fill('b');
  dashboard.expectStatus(422);
  await window.getByRole('button', { name: 'Start checking' }).click();
  await window
    .getByText(/inclusion: b must begin with \//)
    .first()
    .waitFor();
  await inclusions.fill('/b');
  await window.getByText('(1 included)').waitFor();
  await window.getByRole('button', { name: 'Start checking' }).click();
  await window.getByText('Only /b').waitFor();
  await window.getByText(/^1 page, /).waitFor();
  await window.getByRole('link', { name: '1 URL', exact: true }).click();
  await window.getByText("It matches none of the report's inclusions. It was requested for its links.").waitFor();
  await dashboard.leave(window);
});

test('a comparison with another site says that pages are matched by their paths', async () => {
  const { app, ask } = dashboard.service;
  const { id: accountId } = await ensureFirstAccount(app.db);
  const store = { db: app.db, accountId };
  const published = await seedOccurrences(store, [{ url: 'https://published.example/', occurrences: [0, 3] }]);
  const preview = await seedOccurrences(store, [{ url: 'http://preview.example/', occurrences: [1, 3] }]);
  await ask(`/reports/${preview}/changes?with=${published}`);
  const window = await dashboard.open(`/reports/${preview}/changes?with=${published}`);
  await window.getByText('pages are matched by path').waitFor();
  // The other site is found by its name.
  const named = await seedOccurrences(store, [{ url: 'https://third.example/', occurrences: [0, 3] }]);
  const { related } = (await ask(`/reports/${named}`)).data.relationships.site.links;
  await ask(related.split('/api/v1')[1] ?? '', 'PATCH', { name: 'Bakery' });
  await window.getByText('Compare with another site').click();
  await window.getByLabel('Name or address contains').fill('baker');
  await window.getByRole('button', { name: /^Bakery, third\.example, / }).waitFor();
  const changes = window.getByRole('table', { name: 'Differences by issue type' }).locator('tbody tr');
  await changes.getByText('fewer here').waitFor();
  const [row, ...others] = (await changes.allInnerTexts()).map((text) => text.split(/[\t\n]+/));
  assert.deepEqual(others, []);
  assert.equal(row?.[0], '▾ fewer here');
  assert.match(row?.join(' ') ?? '', /sites differ .*3 .*2 1 only there 1$/);
  await window.getByRole('button', { name: /only there/ }).waitFor();
  await dashboard.leave(window);
});

test('a shared report with many problems says on paper how many it omits', async () => {
  const { app } = dashboard.service;
  const { id: accountId } = await ensureFirstAccount(app.db);
  const issues = Array.from({ length: 23 }, (_, index) => ({
    kind: { type: 'error', message: `Problem ${index}.` } as const,
    occurrences: [occurrence(1)],
  }));
  const report = { account_id: accountId, starting_url: 'https://long.example/' };
  const { reportId } = await seedReport(
    app.db,
    report,
    ['html'],
    [{ url: 'https://long.example/', checks: { html: { status: 'checked', issues } } }],
  );
  await app.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  await until(async () => (await dashboard.service.all(`/reports/${reportId}/fixes`)).length === issues.length);
  const { data } = await dashboard.service.ask(`/reports/${reportId}`, 'PATCH', { shared: true });
  const window = await dashboard.open(new URL(data.attributes.share_url).pathname, { isSignedIn: false });
  await window.getByRole('button', { name: 'Show all 23 problems' }).waitFor();
  const rest = window.getByText('And 13 more problems.');
  assert.equal(await rest.isVisible(), false);
  await window.emulateMedia({ media: 'print' });
  assert.equal(await rest.isVisible(), true);
  await dashboard.leave(window);
});

test('issues outside the standard of a report are shown apart, down to their page', async () => {
  const { app } = dashboard.service;
  const { id: accountId } = await ensureFirstAccount(app.db);
  const url = 'https://standard.example/';
  const inStandard = { ruleId: 'color-contrast', tags: ['wcag2aa', 'wcag143'], impact: 'serious' } as const;
  const outside = { ruleId: 'region', tags: ['best-practice'], impact: 'moderate' } as const;
  const issues: readonly SeedIssue[] = [
    { kind: { type: 'error', message: 'Contrast is low', ...inStandard }, occurrences: [element('a')] },
    { kind: { type: 'error', message: 'Content has no landmark', ...outside }, occurrences: [element('b')] },
  ];
  const { reportId, pageIds } = await seedReport(
    app.db,
    { account_id: accountId, standard: 'wcag22-aa', starting_url: url },
    ['a11y'],
    [{ url, checks: { a11y: { status: 'checked', issues } } }],
  );
  for (const page of pageIds.values()) await seedDocument(app.db, page, Buffer.from('<!doctype html><img class=a>'));
  const window = await dashboard.open(`/reports/${reportId}/accessibility?muted=outside_standard`);
  await window.getByRole('link', { name: 'Content has no landmark' }).click();
  await window.locator('[data-row]').getByRole('link', { name: '/', exact: true }).click();
  const list = window.getByRole('region', { name: 'Issues' });
  await list.getByText('These issues do not belong to the standard and are not counted.').waitFor();
  await list.getByText('Content has no landmark').waitFor();
  assert.equal(await list.getByText('Contrast is low').count(), 0);
  await list.getByRole('button', { name: 'Show other issues' }).click();
  await list.getByText('Contrast is low').waitFor();
  await list.getByText('1 issue type outside the standard.').waitFor();
  assert.equal(await list.getByText('Content has no landmark').count(), 0);
  await dashboard.leave(window);
});

test('a fix plan of several API pages is shown from beginning to end, and the causes of an issue have pages', async () => {
  const { app } = dashboard.service;
  const { id: accountId } = await ensureFirstAccount(app.db);
  const causes = 130;
  const pages = [{ url: 'https://many.example/', occurrences: [0, causes], clusters: causes }] as const;
  const report = await seedOccurrences({ db: app.db, accountId }, pages);
  await app.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', report).execute();
  await until(async () => (await dashboard.service.all(`/reports/${report}/fixes`)).length === causes);
  const window = await dashboard.open(`/reports/${report}`);
  // Paper has no buttons.
  await window.getByRole('button', { name: `Show 50 more of ${causes}` }).waitFor();
  const rest = window.getByText(`And ${causes - 5} more causes of errors.`);
  assert.equal(await rest.isVisible(), false);
  await window.emulateMedia({ media: 'print' });
  assert.equal(await rest.isVisible(), true);
  await window.emulateMedia({ media: 'screen' });
  await window.getByRole('button', { name: `Show 50 more of ${causes}` }).click();
  await window.getByRole('button', { name: `Show 50 more of ${causes}` }).click();
  await window.getByRole('button', { name: `Show all ${causes}` }).click();
  assert.equal(await window.getByRole('region', { name: 'Fix first' }).getByRole('listitem').count(), causes);
  const [issue] = await dashboard.service.all(`/reports/${report}/common_html_issues`);
  await dashboard.show(window, `/reports/${report}/html/${issue?.id}`);
  const first = window.locator('[data-row]').first().getByRole('link').first();
  await window.getByRole('link', { name: `By cause ${causes}` }).waitFor();
  const href = await first.getAttribute('href');
  await window.getByRole('navigation', { name: 'Pagination' }).getByRole('link', { name: 'Next' }).click();
  await until(async () => (await first.getAttribute('href')) !== href);
  await dashboard.leave(window);
});
