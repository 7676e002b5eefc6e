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

/** Texts on a gradient, whose contrast axe cannot compute, so that a person decides. */
const STYLE = '<style>.hero, .card { background: linear-gradient(#fff, #000); color: #777; }</style>';
const UNCLEAR = `${STYLE}<p class="hero">Hero</p><div class="card">Card</div>`;

let dashboard: Dashboard;
let site: TestSite;
let report: string;
let shared: string;

before(async () => {
  [dashboard, site] = await Promise.all([
    startDashboard(),
    startTestSite({ '/': page('Faint', TEXTS.join('') + UNCLEAR) }),
  ]);
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

test('what a person decided is marked, and counted with what waits', async () => {
  const { service } = dashboard;
  const window = await dashboard.open(shared, { isSignedIn: false });
  await window.getByText('2 elements need review by a person.').waitFor();
  const path = `/reports/${report}/common_a11y_issues`;
  const [rule] = await service.all(`${path}?filter[issue_type]=warning`);
  const [first] = await service.all(`${path}/${rule?.id}/occurrences`);
  const decision = { occurrence: first?.id, scope: 'occurrence', verdict: 'error', note: '' };
  await service.ask(`/reports/${report}/decisions`, 'POST', decision);
  await window.getByText('A person reviewed 1 element; 1 still needs review.').waitFor();
  await window.getByText('Reviewed by a person', { exact: true }).waitFor();
  assert.equal(await window.getByText('Reviewed by a person', { exact: true }).count(), 1);
  await dashboard.settled(window);
  assert.deepEqual(await dashboard.axe(window), []);
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
  await dashboard.leave(window);
});
