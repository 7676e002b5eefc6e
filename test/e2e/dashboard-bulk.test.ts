import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { SITE_UPDATE } from '../../src/api/attributes/site-update.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { seedReport } from '../helpers/seed.ts';
import type { Item } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** Actions on many sites at a time, on the list of sites. */

let dashboard: Dashboard;
let window: Page;
before(async () => {
  dashboard = await startDashboard();
  const { service } = dashboard;
  for (let number = 1; number <= 105; number += 1) {
    const tags = number <= 3 ? ['Acme', 'shop'] : number <= 5 ? ['Acme'] : number === 6 ? [] : ['Bakery'];
    const starting_url = `http://site-${number}.test/`;
    await service.ask('/sites', 'POST', { name: `Site ${String(number).padStart(3, '0')}`, starting_url, tags });
  }
  const { id } = await ensureFirstAccount(service.app.db);
  const issues = [{ kind: { type: 'error', message: 'Bad' }, occurrences: [{ html: '<p>' }] }] as const;
  const url = 'http://site-1.test/';
  const pages = [{ url, checks: { html: { status: 'checked' as const, issues } } }];
  await seedReport(service.app.db, { account_id: id, starting_url: url }, ['html'], pages);
  window = await dashboard.open('/');
});
after(() => dashboard?.close());

const button = (name: string | RegExp, within: Pick<Page, 'getByRole'> = window) =>
  within.getByRole('button', { name, exact: true });
const choose = (name: string) => window.getByRole('checkbox', { name: `Choose ${name}`, exact: true });
const dialog = (name: string) => window.getByRole('dialog', { name });
const sites = (query = ''): Promise<Item[]> => dashboard.service.all(`/sites?page%5Bsize%5D=100${query}`);
const acme = (): Promise<Item[]> => sites('&sort=name-asc&filter%5Btags%5D%5Blist%5D=acme');
const attributesOf = async (name: string) => (await acme()).map(({ attributes }) => attributes[name]);

/** Asserts that the screen has no findings, and that nothing unexpected has happened. */
async function assertFaultless(): Promise<void> {
  await dashboard.settled(window);
  // At the end of the list, the bar of actions covers no part of a row.
  await window.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

test('sites are chosen one by one, by page, and by the filters', async () => {
  await window.getByText('105 sites, 1 needs attention').waitFor();
  await choose('Site 001').check();
  await window.getByRole('link', { name: 'Site 002', exact: true }).focus();
  await window.keyboard.press('x');
  await window.getByText('2 chosen').waitFor();
  await assertFaultless();
  await window.getByRole('checkbox', { name: 'Choose all on this page' }).check();
  await window.getByText('100 chosen').waitFor();
  await button('Choose all 105').click();
  await window.getByText('105 chosen').waitFor();
  await window.getByRole('link', { name: '2', exact: true }).click();
  await dashboard.settled(window);
  assert.equal(await window.getByRole('table', { name: 'Sites' }).locator('tbody input:checked').count(), 5);
  await window.getByLabel('Tags', { exact: true }).fill('acme');
  await window.getByText('5 match').waitFor();
  assert.equal(await window.getByText('chosen', { exact: false }).count(), 0);
  await window.getByRole('checkbox', { name: 'Choose all on this page' }).check();
  await window.getByText('5 chosen').waitFor();
});

test('tags are added and removed', async () => {
  await button('Tags…').click();
  const form = dialog('Change the tags of 5 sites');
  await form.getByText('Site 001, Site 002, Site 003, Site 004, Site 005').waitFor();
  await form.getByLabel('Add tags').fill('vip, acme');
  await form.getByLabel('shop (3)').check();
  await assertFaultless();
  const request = window.waitForRequest('**/bulk_updates');
  await button('Change tags of 5 sites', form).click();
  assert.equal((await request).headers()['idempotency-key'], undefined);
  await window.getByText('Changed the tags of 5 sites.').waitFor();
  assert.deepEqual(await attributesOf('tags'), Array(5).fill(['Acme', 'vip']));
  await assertFaultless();
  await button('Tags…').click();
  await form.getByLabel('vip', { exact: true }).waitFor();
  assert.equal(await form.getByLabel('shop').count(), 0);
  await button('Cancel', form).click();
});

test('an invalid setting is refused in the form, and empty fields change nothing', async () => {
  await button('Settings…').click();
  const form = dialog('Change settings of 5 sites');
  await form.getByLabel('Maximum pages').fill('none');
  dashboard.expectStatus(422);
  await button('Change 5 sites', form).click();
  await form.getByRole('alert').getByText('Maximum pages').waitFor();
  // The dialog offers every setting; tags, acknowledging and archiving have buttons of their own.
  const fields = await form.locator('input, select, textarea').all();
  const offered = await Promise.all(fields.map((field) => field.getAttribute('name')));
  const settings = Object.keys(SITE_UPDATE.properties.change.properties);
  assert.deepEqual(settings.filter((name) => !offered.includes(name)).toSorted(), ['acknowledged', 'archived', 'tags']);
  await form.getByLabel('Maximum pages').fill('7');
  await form.getByText('Inclusions and exclusions').click();
  await form.getByRole('textbox', { name: 'Excluded addresses' }).fill('/archive/\n/old/');
  await form.getByLabel('Empty “Included addresses”').check();
  await form.getByText('Crawling').click();
  await form.getByLabel('Maximum requests per second').fill('2');
  await form.getByLabel('Obey robots.txt').selectOption('on');
  await form.getByLabel('Accessibility', { exact: true }).selectOption('on');
  await form.getByLabel('Standard', { exact: true }).selectOption('WCAG 2.2 AA');
  await form.getByLabel('Notes').fill('Ask Kim.');
  await assertFaultless();
  await button('Change 5 sites', form).click();
  await window.getByText('Changed 5 sites.').waitFor();
  assert.deepEqual(await attributesOf('max_pages'), Array(5).fill(7));
  assert.deepEqual(await attributesOf('perform_a11y_checks'), Array(5).fill(true));
  assert.deepEqual(await attributesOf('perform_html_checks'), Array(5).fill(true));
  assert.deepEqual(await attributesOf('standard'), Array(5).fill('wcag22-aa'));
  assert.deepEqual(await attributesOf('notes'), Array(5).fill('Ask Kim.'));
  assert.deepEqual(await attributesOf('exclusions'), Array(5).fill(['/archive/', '/old/']));
  assert.deepEqual(await attributesOf('inclusions'), Array(5).fill([]));
  assert.deepEqual(await attributesOf('rate_limit'), Array(5).fill(2));
  assert.deepEqual(await attributesOf('respect_robots_txt'), Array(5).fill(true));
  assert.deepEqual(await attributesOf('deep_crawl'), Array(5).fill(true));
});

test('sites get a schedule with the same times, once', async () => {
  await button('Schedule…').click();
  await dialog('Schedule 5 sites').getByLabel('When').selectOption('day');
  await assertFaultless();
  await button('Schedule 5 sites', dialog('Schedule 5 sites')).click();
  await window.getByText('Scheduled 5 sites.').waitFor();
  await button('Schedule…').click();
  await dialog('Schedule 5 sites').getByLabel('When').selectOption('day');
  await button('Schedule 5 sites', dialog('Schedule 5 sites')).click();
  await window.getByText('Nothing was changed, 5 were already like that.').waitFor();
  const schedules = await dashboard.service.all('/schedules');
  assert.deepEqual(
    schedules.map(({ attributes }) => [attributes.spread, attributes.max_pages]),
    Array(5).fill([true, 7]),
  );
});

test('the errors of sites are acknowledged', async () => {
  await window.getByRole('link', { name: 'Has errors' }).waitFor();
  await button('Acknowledge').click();
  await window.getByText('Acknowledged 1 site.').waitFor();
  await window.getByText('No new errors').waitFor();
  assert.equal(await button('Acknowledge').count(), 0);
});

test('sites are archived and restored', async () => {
  await choose('Site 001').uncheck();
  await button('Archive…').click();
  await dialog('Archive 4 sites').getByText('their schedules do not run').waitFor();
  await button('Archive 4 sites', dialog('Archive 4 sites')).click();
  await window.getByText('Archived 4 sites.').waitFor();
  await window.getByText('1 match').waitFor();
  await window.getByLabel('Show', { exact: true }).selectOption('all');
  await window.getByText('5 match').waitFor();
  await window.getByRole('checkbox', { name: 'Choose all on this page' }).check();
  await button('Restore…').click();
  await button('Restore 4 sites', dialog('Restore 4 sites')).click();
  await window.getByText('Restored 4 sites.').waitFor();
  await button('Clear filters').click();
});

test('the sites with a tag are run with one click', async () => {
  await window.getByLabel('Tags', { exact: true }).fill('acme');
  await button('Run all 5 sites tagged acme').click();
  await window.getByText('Started 5 sites.').waitFor();
  await dashboard.settled(window);
  const reports = await dashboard.service.all('/reports');
  assert.equal(reports.length, 6);
  for (const { id } of reports) await dashboard.service.finished(id);
  // Otherwise, the list grows while it is shown.
  await until(async () => (await sites('&filter%5Battention%5D=any')).length === 5);
  await dashboard.load(window, '/?need=any');
  await dashboard.settled(window);
  await window.getByText('5 match').waitFor();
  await window.getByLabel('Status', { exact: true }).selectOption('new_critical');
  await window.getByText('No sites match the filters').waitFor();
  await assertFaultless();
});

test('sites are grouped by tag, with their sums', async () => {
  for (const width of [320, 1280]) {
    const page = await dashboard.open('/?group=tag', { width });
    const groups = page.locator('summary');
    await groups.first().waitFor();
    const texts = (await groups.allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));
    assert.match(texts[0] ?? '', /^Acme5 sites5 need attention/);
    assert.match(texts[1] ?? '', /^Bakery99 sitesnone need attention/);
    assert.match(texts[2] ?? '', /^vip5 sites/);
    assert.match(texts[3] ?? '', /^No tags1 sitenone need attention/);
    for (const at of [0, 3]) await groups.nth(at).click();
    await page
      .getByRole('table', { name: 'Sites tagged Acme' })
      .getByRole('link', { name: 'Site 005', exact: true })
      .waitFor();
    await page
      .getByRole('table', { name: 'Sites without tags' })
      .getByRole('link', { name: 'Site 006', exact: true })
      .waitFor();
    await page.getByRole('checkbox', { name: 'Choose Site 006', exact: true }).check();
    await dashboard.settled(page);
    assert.deepEqual(await dashboard.axe(page), []);
    await page.getByRole('link', { name: 'Show only these' }).first().click();
    await page.getByText('5 match').waitFor();
    await page.close();
  }
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
});

test('deleting says what goes, and a site that is gone is listed as refused', async () => {
  await dashboard.load(window, '/?tags=acme');
  await window.getByRole('checkbox', { name: 'Choose all on this page' }).check();
  await button('Delete…').click();
  const form = dialog('Delete 5 sites?');
  await form.getByText(/^Deletes 6 reports with \d+ pages? and 5 schedules permanently\.$/).waitFor();
  await assertFaultless();
  const [first] = await acme();
  await dashboard.service.ask(`/sites/${first?.id}`, 'DELETE');
  await button('Delete 5 sites', form).click();
  await window.getByText('Deleted 4 sites, 1 was refused.').waitFor();
  await window.getByText('This site does not exist.').waitFor();
  await assertFaultless();
  assert.equal((await sites()).length, 100);
});
