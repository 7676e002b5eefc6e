import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';

/** A new report at the address of a site: the form says that it has its own settings, and offers the settings of the site. */

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
});
after(() => dashboard?.close());

test('the form says which settings a report at the address of a site has', async () => {
  const attributes = { starting_url: 'https://localhost/shop', name: 'The shop', standard: 'en-301-549' };
  await dashboard.service.ask('/sites', 'POST', attributes);
  const window = await dashboard.open('/reports/new');
  await window.locator('input[name=starting_url]').fill('https://localhost/sho');
  await window.locator('input[name=starting_url]').press('p');
  const note = window.getByText('This address belongs to the site');
  await note.waitFor();
  assert.match((await note.textContent()) ?? '', /The shop, which has the standard EN 301 549/);
  await note.getByRole('link').click();
  await window.waitForURL(/site=/);
  await window.getByText('A report with the settings of the site').waitFor();
  assert.equal(await window.getByText('This address belongs to the site').count(), 0);
  await dashboard.leave(window);
});
