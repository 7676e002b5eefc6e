import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PATHS } from '../../web/src/lib/paths.ts';
import { SEARCH } from '../../web/src/lib/searches.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** A mistyped or broken address leads to a screen that says what is wrong, or that ignores the bad value. */

const BAD = ['%2Fchanges', '..', '{"a":1}', '-1', '9999999999', '<b>', 'é', 'x'.repeat(300)];

let dashboard: Dashboard;
let site: TestSite;
const values: Record<string, string> = {};

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard({}, WITHOUT_BROWSER),
    startTestSite({ '/': '<!doctype html><p>Page' }),
  ]);
  const { service } = dashboard;
  const definition = { starting_url: `${site.origin}/`, shared: true };
  const report = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  const idOf = async (path: string): Promise<string> => (await service.all(path))[0]?.id ?? '';
  values['report'] = report.id;
  values['secret'] = new URL(report.attributes.share_url).pathname.split('/').at(-1) ?? '';
  values['page'] = await idOf(`/reports/${report.id}/web_pages`);
  values['issue'] = await idOf(`/reports/${report.id}/common_html_issues`);
  values['site'] = await idOf('/sites');
  const schedule = { starting_url: `${site.origin}/`, periodicity: { every: 'deploy' } };
  values['schedule'] = (await service.ask('/schedules', 'POST', schedule)).data.id;
  const channel = { kind: 'webhook', name: 'Bot', webhook_url: 'http://127.0.0.1:2/in' };
  values['channel'] = (await service.ask('/notification_channels', 'POST', channel)).data.id;
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

const pathWith = (path: string, of: Record<string, string>): string =>
  path.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(of[name] ?? ''));

/** Goes there, and returns what the screen says. */
async function shownAt(page: Awaited<ReturnType<Dashboard['open']>>, address: string): Promise<string> {
  await dashboard.visit(page, address);
  return (await page.locator('body').textContent()) ?? '';
}

test('no value of a path or a search breaks a screen', { timeout: 240_000 }, async () => {
  dashboard.expectStatus(400, 401, 404, 422);
  const page = await dashboard.open('/');
  const broken: string[] = [];
  const visit = async (address: string): Promise<void> => {
    const text = await shownAt(page, address);
    if (text.trim() === '' || /Something went wrong/.test(text)) broken.push(address);
  };
  for (const [nth, path] of PATHS.entries()) {
    // Screens share their parsers, so each tries two of the values. Shared screens are the screens of reports with other data.
    const some = BAD.filter((_, index) => index % 4 === nth % 4);
    for (const [index, bad] of (/^\/(share|latest)\//.test(path) ? some.slice(0, 1) : some).entries()) {
      // All names of a search at once: a bad value of one does not hide a bad value of another.
      const search = new URLSearchParams(Object.keys(SEARCH[path]).map((name) => [name, bad]));
      if (search.size > 0) await visit(`${pathWith(path, values)}?${search}`);
      if (index === 0)
        for (const name of path.matchAll(/\$(\w+)/g))
          await visit(pathWith(path, { ...values, [name[1] ?? '']: `a${bad}` }));
    }
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
  const copied = await shownAt(page, `/reports/new?from=${values['report']}/changes`);
  assert.match(copied, /New report/);
  for (const address of [`/reports/${encodeURIComponent(`${values['report']}/changes`)}`, '/nothing/here']) {
    assert.match(await shownAt(page, address), /There is no page at this address/);
    await page.getByRole('navigation').getByRole('link', { name: 'Overview', exact: true }).waitFor();
    assert.equal(await page.getByRole('main').count(), 1, address);
  }
});

test('a filter that the API would refuse is ignored, or can be removed', async () => {
  dashboard.expectStatus(400);
  const page = await dashboard.open('/');
  const days = ['zz', '2026-02-31', '0202-01-01'].map((day) => `/stats?from=${day}&to=${day}`);
  for (const address of [...days, '/reports?status=held'])
    assert.doesNotMatch(await shownAt(page, address), /invalid value|could not be loaded/, address);
  for (const address of ['/reports?sort=zz', `/reports/${values['report']}/html?sort=zz`]) {
    assert.match(await shownAt(page, address), /This address contains an invalid value/, address);
    await page.getByRole('link', { name: 'Reset filters' }).click();
    await dashboard.settled(page);
    assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /invalid value/, address);
    assert.equal(new URL(page.url()).search, '');
  }
  await page.close();
});
