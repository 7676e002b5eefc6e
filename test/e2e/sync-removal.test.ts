import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';

/** `sync --prune`, notification channels in the file, and what is left after a refusal. */

const token = 'test-admin-token-0123456789';
const directory = mkdtempSync(join(tmpdir(), 'sitewarden-sync-'));
const path = join(directory, 'sites.yaml');
let app: TestApp;
before(async () => {
  app = await startTestApp({}, {}, WITHOUT_BROWSER);
  // Not made by the file, even if it later changes it.
  await app.ask('/sites', 'POST', { name: 'Own', starting_url: 'https://own.example/' });
});
after(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

function sitesOf(...names: readonly string[]): string {
  return `sites:\n${names.map((name) => `  - {name: ${name}, starting_url: "https://${name.toLowerCase()}.example/"}\n`).join('')}`;
}

function run(text: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(path, text);
  return runHere(['sync', path, ...args], { ...app.environment, SITEWARDEN_TOKEN: token, ...environment });
}
const names = async (archived: string): Promise<string[]> =>
  (await app.all(`/sites?sort=name-asc&filter%5Barchived%5D=${archived}`)).map(({ attributes }) => attributes.name);

test('sites that the file created and no longer has are archived on request', async () => {
  assert.equal((await run(sitesOf('A', 'B', 'C', 'Own'), ['--prune'])).status, 0);
  const kept = await run(sitesOf('A'), []);
  assert.match(kept.stdout, /^Sites: 0 created, 0 changed, 1 unchanged\.\n$/);
  const plan = await run(sitesOf('A'), ['--prune', '--dry-run']);
  assert.equal(
    plan.stdout,
    [
      '- archive site B (https://b.example/), which is no longer in the file',
      '- archive site C (https://c.example/), which is no longer in the file',
      'Sites: 0 to create, 0 to change, 1 unchanged.',
      'No longer in the file: 2 to archive.',
      'Nothing was changed.\n',
    ].join('\n'),
  );
  assert.deepEqual(await names('false'), ['A', 'B', 'C', 'Own']);
  const { stdout, status } = await run(sitesOf('A'), ['--prune']);
  assert.equal(status, 0);
  assert.match(stdout, /No longer in the file: 2 archived\.\n$/);
  assert.deepEqual(
    [await names('false'), await names('true')],
    [
      ['A', 'Own'],
      ['B', 'C'],
    ],
  );
  assert.match((await run(sitesOf('A'), ['--prune'])).stdout, /No longer in the file: 0 archived\.\n$/);
  assert.match(
    (await run(sitesOf('A', 'B'), [])).stderr,
    /^B \(.*\) is archived and stays archived: add "archived: false"/m,
  );
});

test('a site that is renamed in the file keeps its history, and other sites at its address stay', async () => {
  const address = 'starting_url: "https://same.example/"';
  const text = (...given: readonly string[]): string =>
    `sites:\n${given.map((name) => `  - {name: ${name}, ${address}}\n`).join('')}`;
  const args = ['--prune=delete', '--source', 'renamed'];
  await run(text('Shop', 'Phone'), args);
  const ids = async (): Promise<readonly string[][]> =>
    (await app.all('/sites?sort=name-asc&filter%5Btext%5D=same.example')).map(({ id, attributes }) => [
      attributes.name,
      id,
    ]);
  const [[, phone] = [], [, shop] = []] = await ids();
  const { stdout } = await run(text('Store', 'Phone'), args);
  assert.match(stdout, /^~ change site Store \(.*\): name Shop → Store$/m);
  assert.match(stdout, /^Sites: 0 created, 1 changed, 1 unchanged\.\nNo longer in the file: 0 deleted\.$/m);
  assert.deepEqual(await ids(), [
    ['Phone', phone],
    ['Store', shop],
  ]);
  // Either could be the new one.
  const unclear = await run(text('New'), [...args, '--dry-run']);
  assert.match(unclear.stdout, /Sites: 1 to create.*\nNo longer in the file: 2 to delete\./);
  for (const [, id] of await ids()) await app.ask(`/sites/${id}`, 'DELETE');
});

test('another file removes nothing of this one, unless it has its name', async () => {
  writeFileSync(join(directory, 'other.yaml'), sitesOf('D'));
  const runOther = (...args: string[]) =>
    runHere(['sync', join(directory, 'other.yaml'), '--prune', ...args], {
      ...app.environment,
      SITEWARDEN_TOKEN: token,
    });
  assert.match((await runOther()).stdout, /No longer in the file: 0 archived\./);
  assert.match(
    (await runOther('--dry-run', '--source', path)).stdout,
    /^- archive site A .*\n.*\nNo longer in the file: 1 to archive\./m,
  );
  const empty = await run('mutings: []\n', ['--prune']);
  assert.deepEqual([empty.status, empty.stdout], [2, '']);
  assert.match(empty.stderr, /has no sites, so --prune would remove all sites/);
});

test('with delete, they are deleted with their reports, archived ones, too', async () => {
  const plan = await run(sitesOf('A'), ['--prune=delete', '--dry-run']);
  assert.match(
    plan.stdout,
    /^- delete site B \(https:\/\/b\.example\/\) with 0 reports and 0 pages, which is no longer/m,
  );
  assert.match((await run(sitesOf('A'), ['--prune=delete'])).stdout, /No longer in the file: 2 deleted\.\n$/);
  assert.deepEqual(await names('all'), ['A', 'D', 'Own']);
});

const CHANNELS = `${sitesOf('A')}channels:
  - {name: Team, kind: slack, webhook_url_env: TEAM_URL, events: [schedule.got_worse, report.failed]}
  - {name: Me, kind: email, email: admin@localhost.test, digest: daily, digest_hour: 8}
`;
const URL_SECRET = {
  TEAM_URL: 'https://hooks.example.com/secret-1',
  SITEWARDEN_SMTP_URL: 'smtp://127.0.0.1:1',
  SITEWARDEN_MAIL_FROM: 'a@b.example',
};

test('notification channels follow the file, and their URLs come from the environment', async () => {
  const missing = await run(CHANNELS, []);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /:4:\d+: The environment variable TEAM_URL with the URL is not set\./);
  const plan = await run(CHANNELS, ['--dry-run'], URL_SECRET);
  assert.match(plan.stdout, /^\+ create channel Team \(slack\)\n\+ create channel Me \(admin@localhost\.test\)$/m);
  const done = await run(CHANNELS, [], URL_SECRET);
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /^Channels: 2 created, 0 changed, 0 unchanged\.$/m);
  assert.match((await run(CHANNELS, [], URL_SECRET)).stdout, /^Channels: 0 created, 0 changed, 2 unchanged\.$/m);
  const changed = await run(CHANNELS.replace('digest_hour: 8', 'digest_hour: 9'), [], {
    ...URL_SECRET,
    TEAM_URL: 'https://hooks.example.com/secret-2',
  });
  assert.match(
    changed.stdout,
    /^~ change channel Team: different webhook_url\n~ change channel Me: digest_hour 8 → 9$/m,
  );
  assert.doesNotMatch(plan.stdout + done.stdout + changed.stdout, /secret/);
  const channels = await app.all('/notification_channels');
  assert.deepEqual(channels.map(({ attributes }) => attributes.webhook_url ?? attributes.digest_hour).toSorted(), [
    9,
    'https://hooks.example.com/secret-2',
  ]);
});

test('problems of channels have positions, and nothing is changed', async () => {
  const known = [
    ['{name: Team, kind: teams, webhook_url_env: TEAM_URL}', 'The channel Team has the kind slack, which cannot be'],
    ['{name: Me, kind: email, email: other@b.example}', 'The channel Me sends to admin@localhost.test'],
  ];
  const invalid = [
    ['{name: X, kind: slack, webhook_url: "https://a.example/"}', 'webhook_url must not be in the file'],
    ['{name: X, kind: slack}', 'The channel has no webhook_url_env'],
    ['{kind: slack, webhook_url_env: TEAM_URL}', "name can't be blank"],
    ['{name: X, kind: pager}', 'kind must be'],
    ['{name: X, kind: email, email: nobody}', 'email must be an email address'],
  ];
  for (const problems of [known, invalid]) {
    const text = `channels:\n${problems.map(([channel]) => `  - ${channel}\n`).join('')}`;
    const { status, stderr, stdout } = await run(text, [], URL_SECRET);
    assert.deepEqual([status, stdout], [2, '']);
    const lines = stderr.split('\n');
    for (const [index, [, problem = '']] of problems.entries()) {
      const start = `${path}:${index + 2}:`;
      assert.ok(
        lines.some((line) => line.startsWith(start) && line.includes(problem)),
        `${problem}\n${stderr}`,
      );
    }
  }
  assert.equal((await app.all('/notification_channels')).length, 2);
});

test('a refusal says what was not saved, and removes no site', async () => {
  const { db } = app.app;
  await sql`INSERT INTO schedules (account_id, site_id, definition, active, hook_hash)
    SELECT account_id, id, definition, false, sha256(n::text::bytea) FROM sites, generate_series(1, 1000) n WHERE name = 'Own'`.execute(
    db,
  );
  const text = `sites:
  - name: New
    starting_url: https://new.example/
    archived: true
    schedules: [{every: day}]
`;
  const { status, stdout, stderr } = await run(text, ['--prune=delete']);
  assert.equal(status, 2);
  assert.match(stderr, /sites\.yaml:5: An account can have at most 1000 schedules/);
  assert.match(
    stderr,
    /1 could not be saved\. Everything else was saved, but no site was removed: run the command again/,
  );
  assert.match(stdout, /Sites: 1 created, 0 changed, 0 unchanged\.\nNo longer in the file: 0 deleted\.\n$/);
  assert.deepEqual([await names('false'), await names('true')], [['A', 'D', 'Own'], ['New']]);
  await sql`DELETE FROM schedules`.execute(db);
  const again = await run(text, ['--prune=delete']);
  assert.match(again.stdout, /Schedules: 1 created.*\nNo longer in the file: 1 deleted\.\n$/);
  assert.deepEqual(await names('all'), ['D', 'New', 'Own']);
});
