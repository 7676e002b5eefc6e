import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What readers of a shared report learn about a rule with many causes. */

/** Each color is a cause of its own: the first has six elements, the last one. */
const COLORS = ['#999999', '#aaaaaa', '#bbbbbb', '#cccccc', '#dddddd', '#eeeeee'];
const TEXTS = COLORS.map((color, index) => `<p style="color: ${color}">Faint</p>`.repeat(COLORS.length - index));

let dashboard: Dashboard;
let site: TestSite;
let report: string;
let shared: string;

before(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startTestSite({ '/': page('Faint', TEXTS.join('')) })]);
  const { service } = dashboard;
  const checks = { perform_html_checks: false, perform_a11y_checks: true, store_screenshots: true };
  const { data } = await service.ask('/reports', 'POST', { starting_url: `${site.origin}/`, shared: true, ...checks });
  report = (await service.finished(data.id)).id;
  shared = new URL(data.attributes.share_url).pathname;
  await until(async () => (await service.all(`/reports/${report}/fixes`)).length >= COLORS.length);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

test('the elements of causes that are not listed are counted', async () => {
  const window = await dashboard.open(shared, { isSignedIn: false });
  await window.getByText('And 6 more elements, with 3 more causes.').waitFor();
  await dashboard.leave(window);
});

test('each cause links to its own first element', async () => {
  const window = await dashboard.open(shared, { isSignedIn: false });
  const causes = window.getByRole('listitem').filter({ hasText: /^On 1 page: #/ });
  await causes.nth(2).waitFor();
  for (const [index, first] of [1, 7, 12].entries()) {
    await causes.nth(index).getByText(`${COLORS[index]} on #ffffff`).waitFor();
    await causes.nth(index).getByRole('link').click();
    await window.getByText(`occurrence ${first} of 21`).waitFor();
    await window.goBack();
  }
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});
