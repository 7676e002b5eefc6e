import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { SITE_UPDATE } from '../../src/api/attributes/site-update.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { seedReport } from '../helpers/seed.ts';
import { type Item, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Sites through the dashboard, one from its creation to its deletion, and many at a time on their list. */

const PAGE = '<!doctype html><html lang="en"><title>Shop</title><p>Shop';
/** A site that asks for a password. */
const PASSWORD = `Basic ${btoa('me:secret')}`;

let dashboard: Dashboard;
let window: Page;
before(async () => {
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
  window = await dashboard.open('/');
});
after(() => dashboard?.close());

const button = (name: string | RegExp, within: Pick<Page, 'getByRole'> = window) =>
  within.getByRole('button', { name, exact: true });
const link = (name: string) => window.getByRole('link', { name, exact: true });
const field = (name: string) => window.getByLabel(name, { exact: true });
const dialog = (name: string) => window.getByRole('dialog', { name });
const row = (text: string) => window.getByRole('table', { name: 'Sites' }).getByRole('row').filter({ hasText: text });

function assertNoFaults(): void {
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

/** Asserts that the screen has no findings, and that nothing unexpected has happened. */
async function assertFaultless(): Promise<void> {
  await dashboard.settled(window);
  // At the end of the list, the bar of actions covers no part of a row.
  await window.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  assert.deepEqual(await dashboard.axe(window), []);
  assertNoFaults();
}

describe('a site', () => {
  let website: TestSite;
  let url: string;
  /** The path of the site's screen. */
  let path: string;
  before(async () => {
    website = await startTestSite({
      '/': (request, response) => {
        response.statusCode = request.headers.authorization === PASSWORD ? 200 : 401;
        response.setHeader('content-type', 'text/html');
        response.end(PAGE);
      },
    });
    url = `${website.origin}/`;
  });
  after(() => website?.stop());

  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
  const stored = async (): Promise<any> => (await dashboard.service.ask(path)).data.attributes;

  test('is not checked until it is run, with its credentials', async () => {
    const { service } = dashboard;
    await link('New site').click();
    await field('Name').fill('Shop');
    await field('Notes').fill('Ask Kim.\nBefore noon.');
    await window.getByRole('textbox', { name: 'Address (required)' }).fill(url);
    await field('Device').selectOption(IPHONE_15);
    // The service has no browser.
    await field('Accessibility').uncheck();
    await window.getByText('Sign in to the site').click();
    await field('Username').fill('me');
    await field('Password').fill('secret');
    await assertFaultless();
    await button('Create site').click();
    await window.getByRole('heading', { name: 'Shop' }).waitFor();
    path = new URL(window.url()).pathname;
    await window.getByText('This site has not been checked yet').waitFor();
    await window.getByText('Ask Kim.').waitFor();
    const { num_reports, signs_in, notes } = await stored();
    assert.deepEqual([num_reports, signs_in, notes], [0, true, 'Ask Kim.\nBefore noon.']);
    await link('New schedule').waitFor();

    await button('Run now').click();
    await window.getByText('Started 1 report.').waitFor();
    const [report] = await service.all('/reports');
    const { attributes, relationships } = await service.finished(report?.id ?? '');
    assert.deepEqual([attributes.status, attributes.num_pages, attributes.signs_in], ['finished', 1, true]);
    assert.ok(relationships.device.links.related.endsWith(IPHONE_15));
    await window.getByRole('table', { name: 'Last runs' }).waitFor();
    // The numbers of the site replace the hint when its first report begins, and move what is below it.
    dashboard.takeFaults();
  });

  test('whose settings are edited uses them in the next run, and other reports keep theirs', async () => {
    const { service } = dashboard;
    await link('Settings').click();
    await window.getByText('Existing reports keep their settings.').waitFor();
    await dashboard.settled(window);
    assert.equal(await field('Device').inputValue(), IPHONE_15);
    await field('Maximum pages').fill('0');
    dashboard.expectStatus(422);
    await button('Save').click();
    await window.getByRole('alert').getByText('Maximum pages').waitFor();
    await field('Name').fill('Big shop');
    await field('Maximum pages').fill('7');
    await button('Save').click();
    await window.getByText('Saved.').waitFor();
    await window.getByText('Sign in to the site').click();
    await window.getByText('Credentials are stored.').waitFor();
    const { name, max_pages, signs_in, notes } = await stored();
    assert.deepEqual([name, max_pages, signs_in, notes], ['Big shop', 7, true, 'Ask Kim.\nBefore noon.']);

    await dashboard.visit(window, '/');
    await button('Run again: Big shop').click();
    await until(async () => (await stored()).num_reports === 2);
    const reports = await service.all('/reports');
    const sizes = reports.map(({ attributes }) => attributes.max_pages);
    assert.deepEqual(
      sizes.toSorted((one, other) => one - other),
      [7, 100],
    );
    for (const { id } of reports) await service.finished(id);
  });

  test('is what its reports and schedules start from and belong to', async () => {
    const { service } = dashboard;
    await dashboard.visit(window, path);
    await link('New schedule').click();
    await window.getByText('A schedule with the settings of the site Big shop').waitFor();
    assert.equal(await field('Maximum pages').inputValue(), '7');
    assert.deepEqual([await field('Address').inputValue(), await field('Address').isEditable()], [url, false]);
    await field('When').selectOption('deploy');
    await button('Save schedule').click();
    await window.waitForURL(/\/schedules\/[\da-f-]{36}$/);
    const [schedule] = await service.all('/schedules');
    assert.ok(schedule?.relationships.site.links.related.endsWith(path));

    await dashboard.visit(window, path);
    await link('Edit and run').click();
    await window.getByText('A report with the settings of the site Big shop').waitFor();
    // Another address of the same website.
    await window.getByRole('textbox', { name: 'Address (required)' }).fill(`${url}blog`);
    await button('Start checking').click();
    await window.waitForURL(/\/reports\/[\da-f-]{36}$/);
    await service.finished(new URL(window.url()).pathname.split('/').at(-1) ?? '');
    const { num_reports, num_schedules, starting_url } = await stored();
    assert.deepEqual([num_reports, num_schedules, starting_url], [3, 1, url]);
  });

  test('says in lists that its credentials cannot be read, as a schedule does', async () => {
    const { db } = dashboard.service.app;
    await sql`UPDATE sites SET site_access = site_access || '\\x00'`.execute(db);
    await sql`UPDATE schedules SET site_access = (SELECT site_access FROM sites LIMIT 1)`.execute(db);
    await dashboard.load(window, '/');
    const needs = window.getByRole('link', { name: 'Needs credentials' });
    assert.equal(await needs.getAttribute('href'), `${path}/settings`);
    await dashboard.visit(window, path);
    await needs.waitFor();
    await dashboard.visit(window, '/schedules');
    await needs.click();
    await window.getByText('Enter them again').waitFor({ state: 'attached' });
    assertNoFaults();
    await db.updateTable('sites').set({ site_access: null }).execute();
  });

  test('is listed only on request when it is archived, and can be restored', async () => {
    await dashboard.load(window, `${path}/settings`);
    await button('Archive site').click();
    await button('Restore site').waitFor();
    assert.equal((await stored()).archived, true);
    await dashboard.visit(window, '/');
    await window.getByText('All sites are archived').waitFor();
    await field('Show').selectOption('archived');
    await row('Big shop').getByText('Archived').waitFor();
    assert.equal(await row('Big shop').getByText('on deploy').count(), 0);
    await field('Name or address').fill('nothing');
    await window.getByText('No sites match the filters').waitFor();
    await field('Name or address').fill('BIG');
    await row('Big shop').getByRole('link', { name: 'Big shop' }).click();
    await window.getByRole('heading', { name: 'Big shop' }).waitFor();
    await window.getByText('Archived', { exact: true }).waitFor();
    await link('Settings').click();
    await button('Restore site').click();
    await button('Archive site').waitFor();
    assert.equal((await stored()).archived, false);
    assertNoFaults();
  });

  test('is sorted by its name, or else by its address', async () => {
    const { db } = dashboard.service.app;
    const { id } = await ensureFirstAccount(db);
    const issues = [{ kind: { type: 'error', message: 'Bad' }, occurrences: [{ html: '<p>' }] }] as const;
    for (const host of ['alpha', 'zeta']) {
      const starting_url = `http://${host}.test/`;
      const pages = [{ url: starting_url, checks: { html: { status: 'checked', issues } } }] as const;
      await seedReport(db, { account_id: id, starting_url }, ['html'], host === 'alpha' ? pages : []);
    }
    await dashboard.visit(window, '/?sort=name-asc');
    await row('zeta.test').waitFor();
    const names = await window
      .getByRole('table', { name: 'Sites' })
      .locator('tbody a[href^="/sites/"]')
      .allTextContents();
    assert.deepEqual(names, ['alpha.test', 'Big shop', 'zeta.test']);
  });

  test('is merged into another one, which has the reports of both', async () => {
    // An event can make the screen read the removed site before it closes.
    dashboard.expectStatus(404);
    const before = await stored();
    await row('zeta.test').getByRole('link', { name: 'zeta.test', exact: true }).click();
    await link('Settings').click();
    await button('Merge…').click();
    const merge = dialog('Merge zeta.test into another site');
    await merge.getByText('Moves 1 report to the other site.').waitFor();
    await merge.getByLabel('alpha.test').waitFor();
    await button('Merge', merge).click();
    await merge.getByRole('alert').getByText('Choose a site.').waitFor();
    await merge.getByLabel('Find a site').fill('big');
    await merge.getByLabel('alpha.test').waitFor({ state: 'detached' });
    await merge.getByLabel('Big shop').check();
    await assertFaultless();
    await button('Merge', merge).click();
    await window.getByText('zeta.test merged into Big shop.').waitFor();
    assert.equal(new URL(window.url()).pathname, path);
    assert.equal((await stored()).num_reports, before.num_reports + 1);
  });

  test('is deleted after naming what is deleted with it', async () => {
    const { num_reports: reports, num_web_pages: pages } = await stored();
    const words = `Deletes ${reports} reports with ${pages} page${pages === 1 ? '' : 's'} and 1 schedule.`;
    await link('Settings').click();
    await window.getByText(words, { exact: true }).waitFor();
    await button('Delete site…').click();
    await dialog('Delete Big shop?').getByText(words).waitFor();
    await button('Delete site', dialog('Delete Big shop?')).click();
    await window.getByRole('heading', { name: 'Overview' }).waitFor();
    await row('alpha.test').waitFor();
    assert.equal(await row('Big shop').count(), 0);
    assert.deepEqual(await dashboard.service.all('/schedules'), []);
    assertNoFaults();
  });
});

/** Follows the tests of one site, which leave a site with an error. */
describe('many sites', () => {
  before(async () => {
    const { service } = dashboard;
    const [alpha] = await service.all('/sites');
    await service.ask(`/sites/${alpha?.id}`, 'PATCH', { name: 'Site 1', tags: ['Acme', 'shop'] });
    for (let number = 2; number <= 7; number += 1) {
      const tags = number <= 3 ? ['Acme', 'shop'] : number <= 5 ? ['Acme'] : number === 6 ? [] : ['Bakery'];
      const starting_url = `http://site-${number}.test/`;
      await service.ask('/sites', 'POST', { name: `Site ${number}`, starting_url, tags });
    }
  });

  const choose = (name: string) => window.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const chooseAll = () => window.getByRole('checkbox', { name: 'Select all on this page' });
  const sites = (query = ''): Promise<Item[]> => dashboard.service.all(`/sites?page%5Bsize%5D=100${query}`);
  const acme = (): Promise<Item[]> => sites('&sort=name-asc&filter%5Btags%5D%5Blist%5D=acme');
  const attributesOf = async (name: string) => (await acme()).map(({ attributes }) => attributes[name]);

  test('are chosen one by one, by page, and by the filters', async () => {
    // Several pages of sites.
    await window.route('**/api/v1/sites?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('page[size]', '4');
      return route.continue({ url: url.href });
    });
    await dashboard.load(window, '/');
    await window.getByText('7 sites, 1 needs attention').waitFor();
    await choose('Site 1').check();
    await window.getByRole('link', { name: 'Site 2', exact: true }).focus();
    await window.keyboard.press('x');
    await window.getByText('2 selected').waitFor();
    await chooseAll().check();
    await window.getByText('4 selected').waitFor();
    await button('Select all 7').click();
    await window.getByText('7 selected').waitFor();
    await window.getByRole('link', { name: '2', exact: true }).click();
    const checked = window.getByRole('table', { name: 'Sites' }).locator('tbody input:checked');
    await until(async () => (await checked.count()) === 3);
    await window.unroute('**/api/v1/sites?*');
    await window.getByLabel('Tags', { exact: true }).fill('acme');
    await window.getByText('5 match').waitFor();
    assert.equal(await window.getByText(/\d selected/).count(), 0);
    await chooseAll().check();
    await window.getByText('5 selected').waitFor();
    await assertFaultless();
  });

  test('get and lose tags', async () => {
    await button('Tags…').click();
    const form = dialog('Change the tags of 5 sites');
    await form.getByText('Site 1, Site 2, Site 3, Site 4, Site 5').waitFor();
    await form.getByLabel('Add tags').fill('vip, acme');
    await form.getByLabel('shop (3)').check();
    const request = window.waitForRequest('**/bulk_updates');
    await button('Change tags of 5 sites', form).click();
    assert.equal((await request).headers()['idempotency-key'], undefined);
    await window.getByText('Changed the tags of 5 sites.').waitFor();
    assert.deepEqual(await attributesOf('tags'), Array(5).fill(['Acme', 'vip']));
    await button('Tags…').click();
    await form.getByLabel('vip', { exact: true }).waitFor();
    assert.equal(await form.getByLabel('shop').count(), 0);
    await button('Cancel', form).click();
  });

  test('get settings, where an invalid value is refused in the form, and empty fields change nothing', async () => {
    await button('Settings…').click();
    const form = dialog('Change settings of 5 sites');
    await form.getByLabel('Maximum pages').fill('none');
    await button('Change 5 sites', form).click();
    await form.getByRole('alert').getByText('Maximum pages').waitFor();
    // The dialog offers every setting; tags, acknowledging and archiving have buttons of their own.
    const fields = await form.locator('input, select, textarea').all();
    const offered = await Promise.all(fields.map((each) => each.getAttribute('name')));
    const settings = Object.keys(SITE_UPDATE.properties.change.properties);
    assert.deepEqual(settings.filter((name) => !offered.includes(name)).toSorted(), [
      'acknowledged',
      'archived',
      'tags',
    ]);
    await form.getByLabel('Maximum pages').fill('7');
    await form.getByText('Inclusions and exclusions').click();
    await form.getByRole('textbox', { name: 'Excluded addresses' }).fill('/archive/\n/old/');
    await form.getByLabel('Clear “Included addresses”').check();
    await form.getByText('Crawling').click();
    await form.getByLabel('Maximum requests per second').fill('2');
    await form.getByLabel('Obey robots.txt').selectOption('on');
    await form.getByLabel('Links', { exact: true }).selectOption('on');
    await form.getByLabel('Standard', { exact: true }).selectOption('WCAG 2.2 AA');
    await form.getByLabel('Notes').fill('Ask Kim.');
    await assertFaultless();
    await button('Change 5 sites', form).click();
    await window.getByText('Changed 5 sites.').waitFor();
    const changed = {
      ...{ max_pages: 7, perform_html_checks: true, perform_link_checks: true, standard: 'wcag22-aa' },
      ...{ notes: 'Ask Kim.', exclusions: ['/archive/', '/old/'], inclusions: [] },
      ...{ rate_limit: 2, respect_robots_txt: true, deep_crawl: true },
    };
    for (const { attributes } of await acme()) assert.deepEqual({ ...attributes, ...changed }, attributes);
  });

  test('get a schedule with the same times, once', async () => {
    const form = dialog('Schedule 5 sites');
    for (const result of ['Scheduled 5 sites.', 'Nothing was changed, 5 already had these settings.']) {
      await button('Schedule…').click();
      await form.getByLabel('When').selectOption('day');
      await button('Schedule 5 sites', form).click();
      await window.getByText(result).waitFor();
    }
    const schedules = await dashboard.service.all('/schedules');
    assert.deepEqual(
      schedules.map(({ attributes }) => [attributes.spread, attributes.max_pages]),
      Array(5).fill([true, 7]),
    );
  });

  test('are acknowledged if they have errors', async () => {
    await window.getByRole('link', { name: 'Has errors' }).waitFor();
    await button('Acknowledge').click();
    await window.getByText('Acknowledged 1 site.').waitFor();
    await window.getByText('No new errors').waitFor();
    assert.equal(await button('Acknowledge').count(), 0);
  });

  test('are archived and restored', async () => {
    await choose('Site 1').uncheck();
    await button('Archive…').click();
    await dialog('Archive 4 sites').getByText('their schedules do not run').waitFor();
    await button('Archive 4 sites', dialog('Archive 4 sites')).click();
    await window.getByText('Archived 4 sites.').waitFor();
    await window.getByText('1 match').waitFor();
    await window.getByLabel('Show', { exact: true }).selectOption('all');
    await window.getByText('5 match').waitFor();
    await chooseAll().check();
    await button('Restore…').click();
    await button('Restore 4 sites', dialog('Restore 4 sites')).click();
    await window.getByText('Restored 4 sites.').waitFor();
    await button('Clear filters').click();
  });

  test('are run by their tag with one click, and found by what they need', async () => {
    await window.getByLabel('Tags', { exact: true }).fill('acme');
    await button('Run all 5 sites tagged acme').click();
    await window.getByText('Started 5 sites.').waitFor();
    const reports = await dashboard.service.all('/reports');
    assert.equal(reports.length, 6);
    for (const { id } of reports) await dashboard.service.finished(id);
    // Otherwise, the list grows while it is shown.
    await until(async () => (await sites('&filter%5Battention%5D=any')).length === 5);
    await dashboard.load(window, '/?need=any');
    await window.getByText('5 match').waitFor();
    await window.getByLabel('Status', { exact: true }).selectOption('new_critical');
    await window.getByText('No sites match the filters').waitFor();
    assertNoFaults();
  });

  test('are grouped by tag, with their sums', async () => {
    await window.setViewportSize({ width: 320, height: 800 });
    await dashboard.load(window, '/?group=tag');
    const groups = window.locator('summary');
    await groups.first().waitFor();
    const texts = (await groups.allTextContents()).map((text) => text.replaceAll(/\s+/g, ' '));
    assert.match(texts[0] ?? '', /^Acme5 sites5 need attention/);
    assert.match(texts[1] ?? '', /^Bakery1 sitenone need attention/);
    assert.match(texts[2] ?? '', /^vip5 sites/);
    assert.match(texts[3] ?? '', /^No tags1 sitenone need attention/);
    for (const at of [0, 3]) await groups.nth(at).click();
    const inGroup = (table: string, name: string) =>
      window.getByRole('table', { name: table }).getByRole('link', { name, exact: true });
    await inGroup('Sites tagged Acme', 'Site 5').waitFor();
    await inGroup('Sites without tags', 'Site 6').waitFor();
    await choose('Site 6').check();
    await assertFaultless();
    await window.getByRole('link', { name: 'Show only these' }).first().click();
    await window.getByText('5 match').waitFor();
    await window.setViewportSize({ width: 1280, height: 800 });
  });

  test('are deleted after saying what goes, and a site that is gone is listed as refused', async () => {
    await dashboard.load(window, '/?tags=acme');
    await chooseAll().check();
    await button('Delete…').click();
    const form = dialog('Delete 5 sites?');
    await form.getByText(/^Deletes 6 reports with \d+ pages? and 5 schedules permanently\.$/).waitFor();
    const [first] = await acme();
    await dashboard.service.ask(`/sites/${first?.id}`, 'DELETE');
    await button('Delete 5 sites', form).click();
    await window.getByText('Deleted 4 sites, 1 was refused.').waitFor();
    await window.getByText('This site does not exist.').waitFor();
    await assertFaultless();
    assert.equal((await sites()).length, 2);
  });
});
