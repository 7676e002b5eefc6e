import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spreadMinutes } from '../../packages/client/periodicity.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard({ SITEWARDEN_SCHEDULE_TIME: '03:30' }, WITHOUT_BROWSER);
});
after(() => dashboard?.close());

test('a schedule gets a time of day in a time zone, is spread, and returns to the time of the installation', async () => {
  const { service } = dashboard;
  const page = await dashboard.open('/schedules/new?every=day');
  const settled = () => dashboard.settled(page);
  const time = page.getByLabel('Time', { exact: true });
  const zone = page.getByLabel('Time zone', { exact: true });
  await page.getByText('If empty, runs start at 03:30 UTC. Next runs in your time zone: ').waitFor();
  assert.equal(await zone.count(), 0);
  await page.getByRole('textbox', { name: 'Address (required)' }).fill('http://127.0.0.1:9/');
  await time.fill('07:30');
  assert.equal(await zone.inputValue(), await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'));
  await zone.selectOption('Asia/Tokyo');
  await page.getByLabel('Spread the start over an hour').check();
  await page.getByText('Next runs in Asia/Tokyo, each up to an hour later: ').waitFor();
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.waitForURL(/\/schedules\/[\da-f-]{36}$/);

  const [made] = await service.all('/schedules');
  assert.ok(made !== undefined);
  const { time_of_day, time_zone, spread } = made.attributes;
  assert.deepEqual([time_of_day, time_zone, spread], ['07:30', 'Asia/Tokyo', true]);
  const delay = spreadMinutes(made.id);
  const start = `${delay === 0 ? 'at' : `${delay} min after`} 07:30 (Asia/Tokyo)`;
  await page.getByText(`Runs every day${delay === 0 ? '' : ','} ${start}`).waitFor();
  // The form previews what the service has computed.
  const facts = (await page.getByRole('definition').filter({ hasText: '(Asia/Tokyo)' }).textContent()) ?? '';
  const first = facts.split(' · ')[0] ?? '';
  assert.match(first, /^\w{3} \d+ \w{3,4}, \d\d:\d\d$/);
  await page.getByText(`Next runs in Asia/Tokyo: ${first}; `).waitFor();
  await settled();
  assert.deepEqual(await dashboard.axe(page), []);
  await page.getByRole('link', { name: '‹ Schedules' }).click();
  await page.getByText(start).waitFor();

  await dashboard.load(page, `/schedules/${made.id}`);
  await time.fill('');
  await page.getByLabel('Spread the start over an hour').uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  const changed = (await service.ask(`/schedules/${made.id}`)).data.attributes;
  assert.deepEqual([changed.time_of_day, changed.spread], [null, false]);
  assert.match(changed.next_run_at, /T03:30:00$/);
  await page.close();
  assert.deepEqual(dashboard.takeFaults(), []);
});
