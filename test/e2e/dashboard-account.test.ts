import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { ensureOwnerLink } from '../../src/accounts/sign-in-links.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { startIssuer, type TestIssuer } from '../helpers/oidc-issuer.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** Tasks around accounts: signing in, inviting, being invited, continuing after a session has ended, and using the keyboard. */

const PASSWORD = 'correct horse battery';
let dashboard: Dashboard;
let issuer: TestIssuer;

before(async () => {
  issuer = await startIssuer('localhost');
  const { oidcIssuer, oidcClientId, oidcClientSecret } = issuer.settings;
  const settings = {
    SITEWARDEN_SIGN_UP: 'open',
    SITEWARDEN_OIDC_ISSUER: oidcIssuer,
    SITEWARDEN_OIDC_CLIENT_ID: oidcClientId,
    SITEWARDEN_OIDC_CLIENT_SECRET: oidcClientSecret,
    SITEWARDEN_OIDC_NAME: 'Example ID',
  };
  dashboard = await startDashboard(settings, WITHOUT_BROWSER);
  issuer.register(`${dashboard.origin}/auth/oidc/callback`);
  dashboard.expectOrigin(oidcIssuer);
  // No one is signed in at first, links can be used up, and forms are refused.
  dashboard.expectStatus(401, 404, 409, 422);
});
after(async () => {
  await dashboard?.close();
  await issuer?.stop();
});

describe('the keyboard', () => {
  test('finds screens from everywhere, and lists its keys unless they are turned off', async () => {
    const page = await dashboard.open('/devices');
    await dashboard.settled(page);
    // Text that is typed before anything is shown is not lost.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('toke');
    const field = page.getByRole('combobox', { name: /^Search/ });
    assert.equal(await field.inputValue(), 'toke');
    await page.getByRole('option', { name: 'API tokens', selected: true }).waitFor();
    assert.deepEqual(await dashboard.axe(page), []);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${dashboard.origin}/account/tokens`);
    // The policy of the page does not let Playwright wait for a script.
    await until(async () => (await page.evaluate('document.activeElement?.textContent')) === 'API tokens');

    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.keyboard.press('?');
    await keys.waitFor();
    assert.deepEqual(await dashboard.axe(page), []);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.goto(`${dashboard.origin}/account`);
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await field.waitFor();
    assert.equal(await keys.isVisible(), false);
    await dashboard.leave(page);
    assert.deepEqual(faults(), []);
  });

  test('moves through a menu, which returns the focus', async () => {
    const page = await dashboard.open('/');
    const button = page.getByRole('button', { name: 'admin' });
    await button.press('Enter');
    await page.getByRole('menu', { name: 'admin' }).waitFor();
    await until(async () => (await dashboard.told(page)).startsWith('menuitem'));
    assert.deepEqual(await dashboard.axe(page), []);
    const first = await dashboard.told(page);
    const keys = ['End', 'ArrowUp', 'Home', 'ArrowUp', 'ArrowDown', 'Escape', 'ArrowUp', 'Tab'];
    const told: string[] = [];
    for (const key of keys) {
      await page.keyboard.press(key);
      told.push(await dashboard.told(page));
    }
    const [last, opener] = ['menuitem "Sign out"', 'button "admin"'];
    assert.deepEqual(told.slice(0, 7), [last, 'menuitem "Theme: system"', first, last, first, opener, last]);
    assert.doesNotMatch(told[7] ?? '', /^menuitem|admin/);
    await dashboard.leave(page);
    assert.deepEqual(faults(), []);
  });

  test('preferences of the browser stay, and apply before the first paint', async () => {
    const page = await dashboard.open('/account', { width: 320 });
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Table density').selectOption('compact');
    await page.reload({ waitUntil: 'commit' });
    await page.getByLabel('Theme').waitFor();
    assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark');
    assert.equal(await page.evaluate('document.documentElement.dataset.density'), 'compact');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Schedules' }).click();
    await page.waitForURL(`${dashboard.origin}/schedules`);
    await dashboard.leave(page);
    assert.deepEqual(faults(), []);
  });
});

describe('a tab that is left open', () => {
  test('reads changes, which does not keep its session alive until it is used', async () => {
    const { db } = dashboard.service.app;
    const page = await dashboard.open('/reports');
    await dashboard.settled(page);
    const marks: boolean[] = [];
    page.on('request', (request) => {
      const isMarked = 'sitewarden-unattended' in request.headers();
      if (/\/api\/v1\/(?!events)/.test(request.url())) marks.push(isMarked);
    });
    await page.clock.setFixedTime(Date.now() + 120_000);
    await sql`UPDATE sessions SET last_seen_at = last_seen_at - interval '1 hour'`.execute(db);
    // The list follows the report of a site that refuses connections.
    const { data } = await dashboard.service.ask('/reports', 'POST', { starting_url: 'http://127.0.0.1:9/' });
    await dashboard.service.finished(data.id);
    await until(() => marks.length > 0, { pollMs: 100 });
    await dashboard.settled(page);
    const seen = async () => {
      const { rows } = await sql<{ ago: number }>`
        SELECT extract(epoch FROM now() - max(last_seen_at))::float8 AS ago FROM sessions`.execute(db);
      return rows[0]?.ago ?? 0;
    };
    assert.deepEqual([...new Set(marks)], [true]);
    assert.ok((await seen()) > 3_000, String(await seen()));
    await page.getByRole('link', { name: 'Schedules' }).click();
    await until(async () => (await seen()) < 3_000, { pollMs: 100 });
    await dashboard.leave(page);
    assert.deepEqual(faults(), []);
  });
});

test('a webhook is added, tested and notified again, and its secret is shown once', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  dashboard.service.app.startNotifying({ takesEmails: true });
  const page = await dashboard.open('/account/notifications');
  await page.getByRole('link', { name: 'New channel' }).click();
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('alert').getByRole('link', { name: /^URL/ }).click();
  await page.keyboard.type(`${receiver.origin}/in`);
  await page.getByLabel('Name').fill('Deploy bot');
  await page.getByLabel('A report has failed').uncheck();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Channel created' }).waitFor();
  const secret = (await page.locator('pre').textContent()) ?? '';
  await page.getByRole('link', { name: 'Open the channel' }).click();

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test delivered with status 204.').waitFor();
  await page.getByRole('cell', { name: 'delivered with status 204' }).waitFor();
  const repeat = page.getByRole('button', { name: /^Send again: Test/ });
  await repeat.click();
  await until(() => receiver.received.length === 2);
  for (const { headers, text } of receiver.received) {
    const message = new Webhook(secret).verify(text, headers as Record<string, string>) as { readonly type: string };
    assert.equal(message.type, 'test');
  }
  assert.ok(!(await page.content()).includes(secret), 'it is shown once');

  receiver.behaviour.status = 410;
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test failed. The receiver returned 410').waitFor();
  await page.getByText(/^The service paused this channel on/).waitFor();
  assert.equal(await repeat.count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();

  await page.getByRole('button', { name: 'Replace secret…' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('Your new signing secret').waitFor();
  assert.match((await page.locator('pre').textContent()) ?? '', /^whsec_/);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No notification channels yet').waitFor();
  await dashboard.leave(page);
  assert.deepEqual(faults(), []);
});

test('a lost email to confirm an address is sent again', async () => {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO notification_channels (account_id, kind, name, target, events, worse_when, schedule_ids, active)
    SELECT id, 'email', '', 'lost@example.net', '{report.failed}', '{fail_on}', '{}', true FROM accounts ORDER BY inserted_at LIMIT 1
    RETURNING id`.execute(dashboard.service.app.db);
  const page = await dashboard.open(`/account/notifications/${rows[0]?.id}`);
  await page.getByText('Waiting for confirmation from lost@example.net').waitFor();
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await page.getByText('Another email was sent to lost@example.net.').waitFor();
  await page.getByRole('rowheader', { name: 'Confirmation email' }).waitFor();
  await dashboard.leave(page);
  assert.deepEqual(faults(), []);
});

test('a deploy hook requires signatures with a secret that is shown once', async () => {
  const { service } = dashboard;
  const schedule = { starting_url: 'http://127.0.0.1:9/', periodicity: { every: 'deploy' } };
  const { data } = await service.ask('/schedules', 'POST', schedule);
  const page = await dashboard.open(`/schedules/${data.id}`);
  await page.getByRole('button', { name: 'Require signatures…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Signature format').selectOption('Vercel');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('link', { name: /^Secret can't be blank/ }).waitFor();
  await dialog.getByLabel('Signature format').selectOption('GitLab');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The secret for GitLab').waitFor();
  const secret = (await page.locator('[role=status] pre').textContent()) ?? '';
  assert.equal(await page.getByRole('button', { name: 'curl' }).count(), 0);
  const call = (headers: Record<string, string>) =>
    fetch(data.attributes.deploy_hook_url, { method: 'POST', headers }).then(({ status }) => status);
  assert.deepEqual([await call({}), await call({ 'x-gitlab-token': secret })], [403, 202]);
  await dashboard.leave(page);
  assert.deepEqual(faults(), []);
});

describe('people', () => {
  /** Two browsers, which are signed out at first. Each test continues where the one before it ended. */
  let graces: Page;
  let adas: Page;
  before(async () => {
    graces = await dashboard.open('/sign-up', { isSignedIn: false });
    adas = await dashboard.open('/sign-up', { isSignedIn: false, width: 1200 });
  });

  test('the owner signs in with a link, which disappears from the history and no longer works', async () => {
    const { db, credentialStore } = dashboard.service.app;
    const { secret } = (await ensureOwnerLink(db, credentialStore.box)) ?? assert.fail();
    const page = await go(graces, `/welcome/${secret}`);
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('Email address').fill('grace@example.com');
    await page.locator('[name=password]').fill('short');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('One thing to fix').waitFor();
    await page.locator('[role=alert]:focus').waitFor();
    await page.getByRole('alert').getByRole('link').click();
    assert.equal(await page.evaluate('document.activeElement.name'), 'password');
    await page.locator('[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${dashboard.origin}/`);
    await page.goBack();
    assert.ok(!page.url().includes('/welcome/'), page.url());
    await page.goto(`${dashboard.origin}/welcome/${secret}`);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    assert.deepEqual(faults(), []);
  });

  test('a wrong password is reported, and the right one leads to the requested screen', async () => {
    const page = await signedOut(graces, '/account/credits');
    await page.waitForURL(/\/sign-in\?to=/);
    await signIn(page, 'grace@example.com', 'not the password');
    await page.getByRole('alert').waitFor();
    assert.match(page.url(), /\/sign-in/);
    await signIn(page, 'grace@example.com', PASSWORD);
    await page.waitForURL(`${dashboard.origin}/account/credits`);
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    assert.deepEqual(faults(), []);
  });

  test('a guest is invited, creates an account, and sees whose plan it uses', async () => {
    const { data } = await dashboard.service.ask('/guest_accounts', 'POST', { max_usage: 500 });
    const { pathname } = new URL(data.attributes.invitation_url);
    const page = await go(adas, pathname);
    await page.getByText('500 credits per month').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.locator('[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account and accept' }).click();
    await page.getByRole('link', { name: '0 of 500 credits on Grace’s plan' }).waitFor();
    await page.goto(dashboard.origin + pathname);
    await page.getByText('You have accepted this invitation').waitFor();

    await go(graces, pathname);
    await graces.getByText('This is your own invitation').waitFor();
    await go(graces, '/guests');
    await graces.getByRole('heading', { name: 'Ada' }).waitFor();
    await graces.getByText('0 of 500 credits used this month').waitFor();
    const stranger = await signedOut(adas, pathname);
    await stranger.getByText('This invitation has already been accepted').waitFor();
    await go(stranger, '/invitations/wrong');
    await stranger.getByRole('heading', { name: 'Invitation not found' }).waitFor();
    assert.deepEqual(faults(), []);
  });

  test('an operator creates an account, and its owner sets a password', async () => {
    const page = await go(graces, '/operate/accounts');
    await page.getByRole('button', { name: 'New account…' }).press('Enter');
    await page.keyboard.type('hopper@example.com');
    await page.keyboard.press('Enter');
    const note = page.getByRole('status').filter({ hasText: 'Sign-in link for hopper@example.com' });
    await note.and(page.locator(':focus')).waitFor();
    await page.getByRole('row', { name: /^hopper@example.com active 0 0 0 bytes never/ }).waitFor();
    assert.deepEqual(await dashboard.axe(page), []);
    const { pathname } = new URL((await note.locator('pre').textContent()) ?? '');
    const owner = await go(adas, pathname);
    await owner.locator('[name=password]').fill(PASSWORD);
    await owner.keyboard.press('Enter');
    await owner.getByRole('button', { name: 'Account', exact: true }).waitFor();
    assert.deepEqual(faults(), []);
  });

  test('a user who is signed out while typing signs in again and continues', async () => {
    const page = await go(graces, '/account/tokens');
    await page.getByLabel('Name').fill('nightly build');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'You are signed out' });
    await dialog.waitFor();
    assert.deepEqual(await dashboard.axe(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(await dialog.getByLabel('Email address').inputValue(), 'grace@example.com');
    await dialog.locator('[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'nightly build');

    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Your new token').waitFor();
    const secret = await page.locator('pre').first().textContent();
    const reply = await fetch(`${dashboard.service.api}/account`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal(reply.status, 200);
    await page.reload();
    await page.getByRole('rowheader', { name: 'nightly build' }).waitFor();
    assert.ok(!(await page.content()).includes(String(secret)), 'it is shown once');
    await page.getByRole('button', { name: 'Revoke nightly build…' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('rowheader', { name: 'nightly build' }).waitFor({ state: 'detached' });

    // Only one of the tabs reads the events, and the session ends while none is used.
    const tab = await page.context().newPage();
    await tab.goto(`${dashboard.origin}/schedules`);
    await dashboard.settled(tab);
    await sql`DELETE FROM sessions USING accounts a WHERE a.id = account_id AND a.email = 'grace@example.com'`.execute(
      dashboard.service.app.db,
    );
    const ofTab = tab.getByRole('dialog', { name: 'You are signed out' });
    await Promise.all([dialog.waitFor(), ofTab.waitFor()]);
    await ofTab.locator('[name=password]').fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await Promise.all([dialog, ofTab].map((open) => open.waitFor({ state: 'hidden' })));
    await tab.close();
    assert.deepEqual(faults(), []);
  });

  test('the provider is linked with the password, signs in, and is unlinked', async () => {
    issuer.person = { sub: 'ada', name: 'Ada', email: 'ada@example.com', email_verified: true };
    const page = await signedOut(adas, '/sign-in?to=/account');
    const signInThere = page.getByRole('link', { name: 'Sign in with Example ID' });
    await signInThere.click();
    await page.getByText('An account with your email address already has a password.').waitFor();
    await page.goto(`${dashboard.origin}/sign-in?to=/account`);
    await signIn(page, 'ada@example.com', PASSWORD);
    await page.waitForURL(`${dashboard.origin}/account`);
    const link = page.getByRole('button', { name: 'Link your Example ID account' });
    await page.getByLabel('Your password').fill('not the password');
    await link.click();
    await page.getByRole('alert').getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await link.click();
    await page.getByText('Linked: you can sign in with Example ID.').waitFor();
    assert.equal(page.url(), `${dashboard.origin}/account`);

    await page.context().clearCookies();
    await page.goto(`${dashboard.origin}/sign-in?to=/account`);
    await signInThere.click();
    await page.waitForURL(`${dashboard.origin}/account`);
    const rows = page.getByRole('table', { name: 'Signed-in browsers' }).getByRole('rowheader');
    await rows.first().waitFor();
    const before = await rows.count();
    // Signing in again replaces the session of this browser, although the provider is another site.
    await page.goto(`${dashboard.origin}/auth/oidc/start?return_to=/account`);
    await rows.first().waitFor();
    assert.equal(await rows.count(), before);

    await page.getByRole('button', { name: 'Unlink…' }).click();
    await page.getByRole('dialog', { name: 'Unlink your Example ID account?' }).waitFor();
    await page.getByRole('button', { name: 'Unlink', exact: true }).click();
    await link.waitFor();
    await page.context().clearCookies();
    await page.goto(`${dashboard.origin}/sign-in`);
    await signInThere.click();
    await page.getByText('An account with your email address already has a password.').waitFor();
    assert.deepEqual(faults(), []);
  });

  test('name and email address change, which other browsers of the account show', async () => {
    const page = await go(adas, '/sign-in?to=/account');
    await signIn(page, 'ada@example.com', PASSWORD);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Email address').fill('grace@example.com');
    await page.getByLabel('Your password').first().fill(PASSWORD);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('An account with the address').waitFor();
    assert.deepEqual(await dashboard.axe(page), []);
    const other = await signedOut(graces, '/sign-in?to=/reports');
    await signIn(other, 'ada@example.com', PASSWORD);
    await other.getByRole('heading', { name: 'Reports', level: 1 }).waitFor();
    await page.getByLabel('Email address').fill('lovelace@example.com');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    // The contrast of the note is lowest there.
    await other.emulateMedia({ colorScheme: 'dark' });
    await other.reload();
    const note = other.getByText('was changed from ada@example.com to lovelace@example.com');
    await note.waitFor();
    assert.deepEqual(await dashboard.axe(other, ['color-contrast']), []);
    await other.getByRole('button', { name: 'OK' }).click();
    await note.waitFor({ state: 'detached' });

    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Your password').first().fill(PASSWORD);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Your password').nth(1).waitFor({ state: 'detached' });
    assert.deepEqual(faults(), []);
  });

  test('a new password signs other browsers out', async () => {
    const page = adas;
    await page.getByLabel('Current password').fill('not the password');
    await page.locator('[name=new_password]').fill('another good password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    assert.equal(await page.locator('[name=new_password]').inputValue(), '');
    const rows = page.getByRole('table', { name: 'Signed-in browsers' }).getByRole('rowheader');
    await rows.getByText('(this browser)').waitFor();
    // Those in which the account was made and its address was read are signed out.
    await until(async () => (await rows.count()) === 1);
    assert.deepEqual(faults(), []);
  });
});

async function go(page: Page, path: string): Promise<Page> {
  await page.goto(dashboard.origin + path);
  return page;
}

/** Goes there without a session. */
async function signedOut(page: Page, path: string): Promise<Page> {
  await page.context().clearCookies();
  return go(page, path);
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.locator('[name=password]').fill(password);
  await page.keyboard.press('Enter');
}

/** The errors of a form move its fields when they appear and when they go. `dashboard-screens.test.ts` looks for other shifts. */
function faults(): string[] {
  return dashboard.takeFaults().filter((fault) => !fault.includes('shift of '));
}
