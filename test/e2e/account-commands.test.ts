import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { findLink, redeemLink } from '../../src/accounts/sign-in-links.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { hashSecret } from '../../src/platform/kept-secret.ts';
import { findAccount } from '../../src/store/accounts/accounts.ts';
import { findTokenHolder } from '../../src/store/accounts/api-tokens.ts';
import type { Ended } from '../helpers/command-line.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';
import { runHere } from '../helpers/run-here.ts';
import { seedReport } from '../helpers/seed.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
// If the tests run as root, the database runs as another user, who must be able to enter the folder.
chmodSync(dataDir, 0o755);
let store: TestStore;

before(async () => {
  store = await openTestStore();
});
after(async () => {
  await store?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function environment() {
  return {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: store.connectionString,
    SITEWARDEN_DATA_DIR: dataDir,
  };
}

const run = (...args: readonly string[]): Promise<Ended> => runHere(args, environment());

const done = (stdout: string): Ended => ({ status: 0, stdout, stderr: '' });

test('an account is created once, and its plan changes', async () => {
  const args = ['account', 'create', '--email', 'Ada@example.com', '--name', 'Ada', '--plan', 'free', '--credits', '5'];
  const created = await run(...args);
  assert.match(created.stdout, /^[\da-f-]{36}\n$/);
  assert.deepEqual(created, done(created.stdout));
  const id = created.stdout.trim();
  const read = () =>
    store.db
      .selectFrom('accounts')
      .select(['id', 'name', 'plan', 'credits'])
      .where('email', '=', 'Ada@example.com')
      .execute();
  assert.deepEqual(await read(), [{ id, name: 'Ada', plan: 'free', credits: 5 }]);
  const again = await run('account', 'create', '--email', 'ada@EXAMPLE.com');
  assert.equal(again.status, 2);
  assert.match(again.stderr, /already exists/);
  assert.deepEqual(await run('account', 'plan', '--account', 'ada@example.com', '--set', 'pro'), done('pro\n'));
  assert.equal((await read())[0]?.plan, 'pro');
  // The data directory may be in the repository of a site.
  assert.equal(readFileSync(join(dataDir, '.gitignore'), 'utf8'), '*\n');
});

test('name and email address change, unless another account has the address', async () => {
  const { id } = await createAccount(store.db, { email: 'before@example.com', name: 'Before' });
  await createAccount(store.db, { email: 'other@example.com' });
  const changed = await run('account', 'profile', '--account', 'before@example.com', '--email', ' after@example.com');
  assert.deepEqual(changed, done('Before  after@example.com\n'));
  assert.deepEqual(
    await run('account', 'profile', '--account', id, '--name', 'After'),
    done('After  after@example.com\n'),
  );
  const refused = [['--email', 'OTHER@example.com'], ['--email', 'nobody'], []];
  for (const args of refused) {
    const { status, stdout, stderr } = await run('account', 'profile', '--account', id, ...args);
    assert.deepEqual([status, stdout], [2, ''], stderr);
  }
  assert.equal((await findAccount(store.db, id))?.email, 'after@example.com');
});

test('accounts are listed with plan and credits where any is limited', async () => {
  const { id: accountId } = await createAccount(store.db, {
    email: 'list\u001b[31m@example.com',
    plan: 'pro',
    credits: 7,
  });
  await seedReport(store.db, { account_id: accountId }, [], []);
  await seedReport(store.db, { account_id: accountId }, [], []);
  const list = await run('account', 'list');
  const [head, first, ...others] = list.stdout.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(head, ['ID', 'EMAIL', 'PLAN', 'CREDITS', 'REPORTS', 'STATUS']);
  assert.deepEqual(first?.slice(1), ['admin@localhost', 'enterprise', 'unlimited', '0', 'operator, active']);
  assert.ok(
    others.some((row) => isDeepStrictEqual(row, [accountId, 'list [31m@example.com', 'pro', '7', '2', 'active'])),
  );
  assert.deepEqual(list, done(list.stdout));
  await sql`UPDATE accounts SET plan = 'enterprise', credits = NULL`.execute(store.db);
  const unlimited = await run('account', 'list');
  const [short, row] = unlimited.stdout.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(short, ['ID', 'EMAIL', 'REPORTS', 'STATUS']);
  assert.deepEqual(row?.slice(1), ['admin@localhost', '0', 'operator, active']);
});

test('an account is disabled, enabled and deleted, and the last operator is not', async () => {
  const email = 'state@example.com';
  const { id } = await createAccount(store.db, { email });
  const { token } = await createToken(store.db, { accountId: id, scope: 'read' });
  const isDisabled = async () => (await findTokenHolder(store.db, hashSecret(token)))?.isDisabled;
  assert.deepEqual(await run('account', 'disable', email), done(`Disabled ${email}.\n`));
  assert.equal(await isDisabled(), true);
  const enabled = await run('account', 'enable', id, '--json');
  assert.deepEqual(JSON.parse(enabled.stdout), { id, email, operator: false, disabled_at: null });
  assert.equal(await isDisabled(), false);
  const refused = await run('account', 'disable', 'admin@localhost');
  assert.match(refused.stderr, /the only operator/);
  assert.deepEqual(await run('account', 'operator', email), done(`${email} is now an operator.\n`));
  const asked = await run('account', 'delete', email);
  assert.equal(asked.status, 2);
  assert.match(asked.stderr, /deletes the account state@example\.com with 0 sites and 0 reports/);
  assert.match((await run('account', 'delete', email, '--yes')).stdout, /^Deleted state@example\.com\./);
  assert.equal((await run('account', 'enable', email)).status, 2);
  const listed: object[] = JSON.parse((await run('account', 'list', '--json')).stdout);
  const admin = listed.find((account) => Object(account).email === 'admin@localhost');
  const { status, num_running_reports: running, num_web_pages: pages, bytes } = Object(admin);
  assert.deepEqual([status, running, pages, bytes], ['active', 0, 0, 0], 'the attributes of the API');
});

test('tokens are created, listed and revoked', async () => {
  await createAccount(store.db, { email: 'tokens@example.com' });
  const account = ['--account', 'tokens@example.com'];
  const named = ['--scope', 'read', '--name', 'nightly\u001b[31m\nbuild', '--expires', '30'];
  const [plain, second] = [
    await run('token', 'create', ...account),
    await run('token', 'create', ...account, ...named),
  ];
  const rowOf = (created: Ended) => {
    const token = created.stdout.trim().split('\n').at(-1) ?? '';
    assert.match(token, /^sw_[\w-]{43}$/);
    return store.db
      .selectFrom('api_tokens')
      .selectAll()
      .where('hash', '=', hashSecret(token))
      .executeTakeFirstOrThrow();
  };
  const [first, read] = [await rowOf(plain), await rowOf(second)];
  assert.deepEqual([first.scope, first.name, first.expires_at], ['write', '', null]);
  assert.equal(read.scope, 'read');
  const lifeMs = (read.expires_at?.getTime() ?? 0) - read.inserted_at.getTime();
  assert.ok(Math.abs(lifeMs - 30 * 86_400_000) < 60_000, `${lifeMs}`);

  assert.deepEqual(await run('token', 'revoke', String(first.id)), done(`Revoked token ${first.id}.\n`));
  const list = await run('token', 'list', ...account);
  const [made, expires] = [read.inserted_at, read.expires_at].map((date) => date?.toISOString().slice(0, 10));
  assert.deepEqual(
    list.stdout.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['ID', 'STATE', 'SCOPE', 'ACCOUNT', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'],
      [String(read.id), 'valid', 'read', 'tokens@example.com', made, 'never', expires, 'nightly [31m build'],
      [String(first.id), 'revoked', 'write', 'tokens@example.com', made, 'never', 'never'],
      [''],
    ],
  );
  assert.deepEqual(list, done(list.stdout));
});

test('a link for a forgotten password reports which API tokens stay valid, and revokes them on request', async () => {
  const { id: accountId } = await createAccount(store.db, { email: 'lost@example.com' });
  const make = () => createToken(store.db, { accountId, scope: 'write' });
  const [first] = [await make(), await make()];
  const { stdout, stderr } = await run('account', 'link', '--email', 'lost@example.com');
  assert.match(stdout, /^http:\S+\n$/);
  assert.match(
    stderr,
    /^If the service uses a different address, set PORT and HOST.*\nAPI tokens that are still valid: 2 \(.*--revoke-tokens.*\)\n$/,
  );
  assert.equal((await findTokenHolder(store.db, hashSecret(first.token)))?.valid, true);
  const revoked = await run('account', 'link', '--email', 'lost@example.com', '--revoke-tokens');
  assert.match(revoked.stdout, /^http:\S+\n$/);
  assert.match(revoked.stderr, /\nAPI tokens revoked: 2\n$/);
  assert.equal((await findTokenHolder(store.db, hashSecret(first.token)))?.valid, false);
});

test('a link lets the account set a password, and the first start prints one', async () => {
  await createAccount(store.db, { email: 'link@example.com' });
  const { stdout, ...ended } = await run('account', 'link', '--email', 'LINK@example.com');
  const stderr = 'If the service uses a different address, set PORT and HOST to the same values as for the service.\n';
  assert.deepEqual(ended, { status: 0, stderr });
  const [, secret = ''] = /^http:\/\/127\.0\.0\.1:3000\/welcome\/([\w-]{43})\n$/.exec(stdout) ?? [];
  assert.equal((await findLink(store.db, secret)).email, 'link@example.com');
  const unknown = await run('account', 'link', '--email', 'nobody@example.com');
  assert.deepEqual([unknown.status, unknown.stdout], [2, '']);

  const firsts = await Promise.all([greetingOfServe(), greetingOfServe()]);
  const [owners = '', ofOther] = firsts.map(
    (first) => /^ {2}Sign in {2}http:\/\/127\.0\.0\.1:\d+\/welcome\/([\w-]{43}) \(once/m.exec(first)?.[1],
  );
  assert.equal(ofOther, owners, 'two first starts at once print the same link');
  const { forOwner, email } = await findLink(store.db, owners);
  assert.deepEqual([forOwner, email], [true, 'admin@localhost']);
  await redeemLink(
    { db: store.db, passwords: createPasswords() },
    secret,
    { password: 'correct horse battery', profile: null },
    { userAgent: undefined },
  );
  await store.db.updateTable('accounts').set({ email: 'owner@example.com' }).where('email', '=', email).execute();
  const later = await greetingOfServe();
  assert.match(later, /^ {2}Sign in {2}http:\/\/127\.0\.0\.1:\d+\/sign-in$/m);
  assert.match(later, /token create --account owner@example\.com$/m);
});

/** What the service prints when it starts. */
async function greetingOfServe(): Promise<string> {
  const { stdout, status, stderr } = await runHere(['serve'], { ...environment(), PORT: '0' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('invalid usage exits with status 2 and a message', async () => {
  const wrong = [
    ['token', 'revoke', '999999'],
    ['token', 'create', '--account', 'tokens@example.com', '--expires', '36501'],
  ];
  const ended = await Promise.all(wrong.map((args) => run(...args)));
  for (const { status, stdout, stderr } of ended) {
    assert.deepEqual([status, stdout], [2, '']);
    assert.notEqual(stderr, '');
  }
});

test('what rules would delete is previewed, and nothing is deleted', async () => {
  const account = await createAccount(store.db, { email: 'keeps@example.com' });
  const days = ['2026-01-01', '2026-01-02', '2026-02-01'].map((day) => new Date(`${day}T12:00:00Z`));
  const ids: string[] = [];
  for (const inserted_at of days) {
    const { reportId } = await seedReport(
      store.db,
      { account_id: account.id, inserted_at, finished_at: inserted_at },
      [],
      [{ url: 'https://example.com/', checks: {} }],
    );
    ids.push(reportId);
  }
  const args = ['retention', 'preview', '--account', 'keeps@example.com'];
  assert.deepEqual(
    await run(...args),
    done('Would delete 0 reports and free 0 kB.\nWould keep 3 reports: 1 as the newest of a site, 2 without a rule.\n'),
  );
  const monthly = await run(...args, '--keep-monthly', '5');
  assert.deepEqual(
    monthly,
    done(
      `Would delete 1 report and free 0 kB.\n${ids[0]}  2026-01-01T12:00:00.000Z  https://example.com/\n` +
        'Would keep 2 reports: 1 as the newest of a site, 1 by keep_monthly.\n',
    ),
  );
  const json = JSON.parse((await run(...args, '--keep-monthly', '5', '--json')).stdout);
  assert.deepEqual(
    [json.deleted.map(({ id }: { id: string }) => id), json.kept.monthly, json.bytes_at_most],
    [[ids[0]], 1, false],
  );
  assert.equal((await run(...args, '--tag', 'shop')).status, 2);
  const unknown = await run(...args, '--keep-last', '1', '--schedule', 'nightly');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /names a schedule that does not exist: nightly/);
  const left = store.db.selectFrom('reports').select('id').where('account_id', '=', account.id);
  assert.equal((await left.where('deleted_at', 'is', null).execute()).length, 3);
});
