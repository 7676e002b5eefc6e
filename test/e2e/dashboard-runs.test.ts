import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

/** What lists say of how runs ended, and of which site they are. */

const FONT = { type: 'error', message: 'The font element is obsolete.' } as const;
const found = (url: string): SeedPage => ({
  url,
  checks: { html: { status: 'checked', issues: [{ kind: FONT, occurrences: [{ html: '<font>' }] }] } },
});

let dashboard: Dashboard;
let owner: string;
before(async () => {
  dashboard = await startDashboard();
  owner = (await ensureFirstAccount(dashboard.service.app.db)).id;
});
after(() => dashboard?.close());

/** The text of the row of a site in a table. */
async function rowOf(window: Page, table: string, site: string): Promise<string> {
  await dashboard.settled(window);
  const row = window.getByRole('table', { name: table }).getByRole('row').filter({ hasText: site });
  return (await row.innerText()).replaceAll(/\s+/g, ' ');
}

test('a run that its schedule counts as failed is shown as such wherever its state is', async () => {
  const { service } = dashboard;
  const url = 'http://strict.test/';
  const schedule = (await service.ask('/schedules', 'POST', { starting_url: url, periodicity: { every: 'deploy' } }))
    .data;
  const run = { account_id: owner, schedule_id: schedule.id, fail_on: ['error' as const], num_failing: 1 };
  const { reportId } = await seedReport(service.app.db, { ...run, starting_url: url }, ['html'], [found(url)]);
  const window = await dashboard.open('/');
  assert.match(await rowOf(window, 'Sites', 'strict.test'), /✕ did not pass/);
  await dashboard.load(window, '/reports');
  assert.match(await rowOf(window, 'Reports', 'strict.test'), /✕ did not pass/);
  await dashboard.load(window, '/schedules');
  assert.match(await rowOf(window, 'Schedules', 'strict.test'), /✕ did not pass/);
  for (const path of [`/schedules/${schedule.id}`, `/reports/${reportId}`]) {
    await dashboard.load(window, path);
    await window.getByText('did not pass').first().waitFor();
  }
  await window.close();
  assert.deepEqual(dashboard.takeFaults(), []);
});
