import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';

/** Credits are words of installations that limit them: an account without a limit never reads of them. */

const SCREENS = ['/', '/reports/new', '/schedules/new', '/account', '/account/notifications', '/account/tokens'];

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard?.close());

/** Returns the screens that have the word, even where it is not visible. */
async function screensWithCredits(): Promise<string[]> {
  const page = await dashboard.open('/');
  const found: string[] = [];
  for (const path of SCREENS) {
    await dashboard.load(page, path);
    await dashboard.settled(page);
    const text = (await page.locator('body').textContent()) ?? '';
    if (/credit/i.test(text)) found.push(path);
  }
  await page.close();
  return found;
}

/** Returns what the account's screen calls its limits. */
async function nameOfLimits(): Promise<string | undefined> {
  const page = await dashboard.open('/account');
  await dashboard.settled(page);
  const names = await page.locator('dt').allTextContents();
  await page.close();
  return names.find((name) => name === 'Plan' || name === 'Limits');
}

test('no screen speaks of credits unless they are limited', async () => {
  assert.deepEqual(await screensWithCredits(), []);
  assert.equal(await nameOfLimits(), 'Limits');
  await sql`UPDATE accounts SET credits = 500`.execute(dashboard.service.app.db);
  assert.deepEqual(await screensWithCredits(), SCREENS);
  assert.equal(await nameOfLimits(), 'Plan');
});
