import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** Only installations that limit credits and plans mention them: an account without a limit never reads about them. */

const SCREENS = [
  ...[
    '/',
    '/reports',
    '/reports/new',
    '/sites/new',
    '/schedules',
    '/schedules/new',
    '/mutings',
    '/stats',
    '/devices',
    '/guests',
  ],
  ...['/account', '/account/notifications', '/account/notifications/new', '/account/tokens'],
];

let dashboard: Dashboard;
before(async () => {
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
  const { service } = dashboard;
  const { id: accountId } = await ensureFirstAccount(service.app.db);
  const report = await seedOccurrences({ db: service.app.db, accountId }, [
    { url: 'https://a.example/', occurrences: [0, 2] },
  ]);
  SCREENS.push(...['', '/html', '/pages', '/urls', '/mutings'].map((path) => `/reports/${report}${path}`));
  const [site] = await service.all('/sites');
  SCREENS.push(`/sites/${site?.id}`, `/sites/${site?.id}/settings`);
  await service.ask('/guest_accounts', 'POST', { max_usage: 500 });
  for (const events of [['report.failed', 'schedule.out_of_credits'], ['guest.near_limit']]) {
    const channel = { kind: 'webhook', webhook_url: 'https://a.example/hook', events };
    const { data } = await service.ask('/notification_channels', 'POST', channel);
    SCREENS.push(`/account/notifications/${data.id}`);
  }
});
after(() => dashboard?.close());

/** Returns the screens that have such a word, even where it is not visible. */
async function screensWith(words: RegExp, paths: readonly string[]): Promise<string[]> {
  const page = await dashboard.open('/');
  const found: string[] = [];
  for (const path of paths) {
    await dashboard.visit(page, path);
    const text = (await page.locator('body').textContent()) ?? '';
    if (words.test(text)) found.push(path);
  }
  await dashboard.leave(page);
  return found;
}

/** Returns what the account's screen calls its limits. */
async function nameOfLimits(): Promise<string | undefined> {
  const page = await dashboard.open('/account');
  await dashboard.settled(page);
  const names = await page.locator('dt').allTextContents();
  await dashboard.leave(page);
  return names.find((name) => name === 'Plan' || name === 'Limits');
}

test('events that cannot happen are kept when a channel is saved', async () => {
  const { service } = dashboard;
  const { data } = await service.ask('/notification_channels', 'POST', {
    kind: 'webhook',
    webhook_url: 'https://a.example/kept',
  });
  const page = await dashboard.open(`/account/notifications/${data.id}`);
  await page.getByLabel('A report has failed').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  const eventsOf = async (): Promise<string[]> =>
    (await service.ask(`/notification_channels/${data.id}`)).data.attributes.events;
  await until(async () => !(await eventsOf()).includes('report.failed'));
  assert.deepEqual(
    await eventsOf(),
    data.attributes.events.filter((event: string) => event !== 'report.failed'),
  );
  assert.ok((await eventsOf()).includes('schedule.out_of_credits'));
  await dashboard.leave(page);
});

test('no screen mentions credits unless they are limited', async () => {
  // What guests may use is limited in credits.
  const others = SCREENS.filter((path) => path !== '/guests');
  assert.deepEqual(await screensWith(/credit|\bplans?\b|\bprices?\b|\bpa(?:y|id)/i, [...others, '/sign-up']), []);
  assert.equal(await nameOfLimits(), 'Limits');
  await sql`UPDATE accounts SET credits = 500`.execute(dashboard.service.app.db);
  assert.deepEqual(await screensWith(/credit/i, SCREENS), SCREENS);
  assert.equal(await nameOfLimits(), 'Plan');
});

test('the price follows the marks of journeys', async () => {
  const page = await dashboard.open('/reports/new');
  await page.getByText('Crawling', { exact: true }).first().click();
  const price = async (): Promise<number> => {
    const text = (await page.locator('form').last().textContent()) ?? '';
    return Number(/Up to ([\d,]+) credit/.exec(text)?.[1]?.replaceAll(',', ''));
  };
  const without = await price();
  assert.ok(without > 0);
  await page.getByRole('button', { name: 'Add a journey' }).click();
  await until(async () => (await price()) > without);
  await page
    .getByRole('button', { name: /^Remove journey/ })
    .first()
    .click();
  await until(async () => (await price()) === without);
  await dashboard.leave(page);
});
