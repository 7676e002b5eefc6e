import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** `run`: the sites of an account are run by tag, text or name. */

const token = 'test-admin-token-0123456789';
let app: TestApp;
let website: TestSite;
before(async () => {
  website = await startTestSite({
    '/': '<!doctype html><html lang="en"><title>Shop</title><p id="a">One<p id="a">Two',
  });
  app = await startTestApp({}, {}, WITHOUT_BROWSER);
  const missing = 'http://127.0.0.1:1/';
  for (const [name, starting_url, tags] of [
    ['Shop', `${website.origin}/`, 'clients, shop'],
    ['Blog', `${website.origin}/?blog`, 'clients'],
    ['Twin', `${website.origin}/?twin`, ''],
    ['Twin', `${website.origin}/?other`, ''],
    ['Gone', missing, 'gone'],
  ]) {
    const attributes = { name, starting_url, tags, perform_a11y_checks: false };
    await app.ask('/sites', 'POST', attributes);
  }
});
after(async () => {
  await app?.close();
  await website?.stop();
});

/** Runs the command once no site is being checked. */
async function run(...args: string[]) {
  for (const { id } of await app.all('/reports')) await app.finished(id);
  return runHere(['run', ...args], { ...app.environment, SITEWARDEN_TOKEN: token });
}
const numReports = async (): Promise<number> => (await app.all('/reports')).length;

test('all sites with a tag are started', async () => {
  const { status, stdout, stderr } = await run('--tag', 'CLIENTS');
  assert.equal(status, 0, stderr);
  assert.match(
    stdout,
    /^Started Blog: report [\da-f-]{36}\nStarted Shop: report [\da-f-]{36}\n2 sites started, 0 refused\.\n$/,
  );
  assert.equal(await numReports(), 2);
});

test('the results are printed if the command waits for them, at another service, too', async () => {
  const service = new URL(app.api).origin;
  const { status, stdout, stderr } = await run('--text', 'shop', '--wait', '--service', service);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Shop: 1 page, \d errors? \(report [\da-f-]{36}\)\n1 site run, 0 refused\.\n$/);
  const failed = await run('--tag', 'gone', '--wait');
  assert.equal(failed.status, 3);
  assert.match(failed.stdout, /^Gone: failed: .+ \(report/);
  assert.match(failed.stderr, /^1 site could not be checked\.$/m);
});

test('sites are found by name, starting URL or id', async () => {
  const before = await numReports();
  const [site] = (await app.all('/sites')).filter(({ attributes }) => attributes.name === 'Blog');
  const { status, stdout } = await run('--site', 'Shop', '--site', website.origin, '--site', site?.id ?? '');
  assert.equal(status, 0);
  assert.match(stdout, /2 sites started/);
  assert.equal(await numReports(), before + 2);
});

test('an archived site is refused, and the others are started', async () => {
  const [site] = (await app.all('/sites')).filter(({ attributes }) => attributes.name === 'Blog');
  await app.ask(`/sites/${site?.id}`, 'PATCH', { archived: true });
  const { status, stdout, stderr } = await run('--site', 'Shop', '--site', 'Blog');
  assert.equal(status, 2);
  assert.match(stdout, /1 site started, 1 refused\./);
  assert.match(stderr, /^Blog: This site is archived\./m);
});

test('a selection is required, and must be clear', async () => {
  for (const [args, message] of [
    [[], 'run requires --tag, --text or --site.'],
    [['--site', 'Shop', '--tag', 'shop'], '--site cannot be combined with --tag and --text.'],
    [['--site', 'Twin'], '2 sites match Twin: pass the id of one.'],
    [['--site', 'Unknown'], 'no site has the name or starting URL Unknown.'],
    [['--tag', 'unused'], 'No site matches.'],
  ] as const) {
    const { status, stderr } = await run(...args);
    assert.equal(status, 2);
    assert.equal(stderr.trim(), message);
  }
});
