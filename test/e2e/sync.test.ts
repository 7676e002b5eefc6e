import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { runHere } from '../helpers/run-here.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';

/** `sync`: the sites, schedules and mutings of an account follow a file. */

const token = 'test-admin-token-0123456789';
const directory = mkdtempSync(join(tmpdir(), 'sitewarden-sync-'));
let app: TestApp;
before(async () => {
  app = await startTestApp({}, {}, WITHOUT_BROWSER);
});
after(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const COUNT = 9;
const HEADER = 'name,starting_url,tags,max_pages,perform_a11y_checks,every,weekday,time_of_day,time_zone';

/** @param changed rows that differ, by index */
function csv(count: number, changed: Readonly<Record<number, string>> = {}): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const host = `site-${index}.example`;
    const row = `Site ${index},https://${host}/,"clients, ${index % 2 === 0 ? 'shop' : 'blog'}",10,FALSE,week,friday,07:30,Europe/Berlin`;
    return changed[index] ?? row;
  });
  return [HEADER, ...rows, ''].join('\r\n');
}

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const run = (path: string, ...args: string[]) =>
  runHere(['sync', path, ...args], { ...app.environment, SITEWARDEN_TOKEN: token });
const sites = (): Promise<Item[]> => app.all('/sites?filter%5Barchived%5D=all&page%5Bsize%5D=100');
const siteNamed = async (name: string): Promise<Item> =>
  (await sites()).find(({ attributes }) => attributes.name === name) ?? assert.fail(`no site ${name}`);
const schedules = (): Promise<Item[]> => app.all('/schedules?page%5Bsize%5D=100');
const everything = async (): Promise<Item[]> => [...(await sites()), ...(await schedules())];

test('a dry run prints what would be created, and creates nothing', async () => {
  const { status, stdout, stderr } = await run(file('sites.csv', csv(COUNT)), '--dry-run');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\+ create site Site 7 \(https:\/\/site-7\.example\/\)$/m);
  assert.match(stdout, /^\+ create schedule of Site 7 .*: every week on friday at 07:30 Europe\/Berlin$/m);
  assert.match(stdout, /Sites: 9 to create, 0 to change, 0 unchanged\.\nSchedules: 9 to create/);
  assert.match(stdout, /Nothing was changed\.$/m);
  assert.deepEqual([await sites(), await schedules()], [[], []]);
});

test('an invalid row changes nothing', async () => {
  const rows = {
    2: 'Site 2,https://site-2.example/,a,many,,,,,',
    5: 'Site 5,,a,10,,,,,',
    7: 'Site 7,https://s.example/,,,,,friday,,',
  };
  const path = file('invalid.csv', csv(COUNT, rows));
  const { status, stdout, stderr } = await run(path);
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.deepEqual(
    stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(path, 'FILE')),
    [
      'FILE:4:34: max_pages must be a whole number from 1 to 10000.',
      'FILE:7:1: The site has no starting_url.',
      "FILE:9:1: every can't be blank.",
      'Nothing was changed.',
    ],
  );
  assert.deepEqual(await sites(), []);
});

test('sites with schedules are created once', async () => {
  const path = file('sites.csv', csv(COUNT));
  const { status, stdout, stderr } = await run(path);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /Sites: 9 created, 0 changed, 0 unchanged\.\nSchedules: 9 created, 0 changed, 0 unchanged\.$/m);
  const { id, attributes } = await siteNamed('Site 7');
  assert.deepEqual(
    [attributes.max_pages, attributes.tags, attributes.perform_a11y_checks],
    [10, ['clients', 'blog'], false],
  );
  const [schedule] = await app.all(`/schedules?filter%5Bsite_id%5D=${id}`);
  const { periodicity, time_of_day, time_zone, tags, max_pages } = schedule?.attributes ?? {};
  assert.deepEqual(
    { periodicity, time_of_day, time_zone, tags, max_pages },
    {
      ...{ periodicity: { every: 'week', weekday: 'friday' }, time_of_day: '07:30', time_zone: 'Europe/Berlin' },
      ...{ tags: ['clients', 'blog'], max_pages: 10 },
    },
  );

  const before = await everything();
  const again = await run(path);
  assert.equal(
    again.stdout,
    'Sites: 0 created, 0 changed, 9 unchanged.\nSchedules: 0 created, 0 changed, 9 unchanged.\n',
  );
  assert.deepEqual(await everything(), before);
});

test('a changed cell changes one site, with its schedule', async () => {
  const row = 'Site 7,https://site-7.example/,"clients, blog",500,FALSE,week,friday,07:30,Europe/Berlin';
  const before = await everything();
  const path = file('changed.csv', csv(COUNT, { 7: row }));
  const plan = await run(path, '--dry-run');
  assert.match(plan.stdout, /^~ change site Site 7 \(https:\/\/site-7\.example\/\): max_pages 10 → 500$/m);
  assert.deepEqual(await everything(), before);
  const { status, stdout } = await run(path, '--service', new URL(app.api).origin);
  assert.equal(status, 0);
  assert.match(stdout, /Sites: 0 created, 1 changed, 8 unchanged\.\nSchedules: 0 created, 1 changed, 8 unchanged\.$/m);
  const { id, attributes } = await siteNamed('Site 7');
  const [schedule] = await app.all(`/schedules?filter%5Bsite_id%5D=${id}`);
  assert.deepEqual([attributes.max_pages, schedule?.attributes.max_pages], [500, 500]);
  const after = await everything();
  assert.equal(after.filter((item, index) => !isDeepStrictEqual(item, before[index])).length, 2);
});

const YAML = `sites:
  - name: Two
    starting_url: https://two.example/
    tags: [shop]
    notes: "Relaunch in May."
    device_id: iPhone 15
    schedules:
      - every: day
        max_pages: 5
      - {every: week, weekday: monday, fail_on: critical}
  - starting_url: https://unnamed.example/
  - {name: Site 3, starting_url: "https://site-3.example/", archived: true}
mutings:
  - {url_match: two.example, message: Duplicate ID, comment: A plugin., retroactive: true, expires_at: 2199-12-31}
  - {url_match: two.example, message: Old, expires_at: 2020-01-01}
`;

test('a YAML file has several schedules per site, and mutings', async () => {
  const path = file('sites.yaml', YAML);
  const { status, stdout, stderr } = await run(path);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /sites\.yaml:15: This muting has expired/);
  assert.match(stdout, /^- archive site Site 3/m);
  assert.match(stdout, /Sites: 2 created, 1 changed, 0 unchanged\.\nSchedules: 2 created.*\nMutings: 1 created/);
  const { id, attributes } = await siteNamed('Two');
  assert.deepEqual([attributes.notes, attributes.device, attributes.max_pages], ['Relaunch in May.', 'iPhone 15', 100]);
  const [weekly, daily] = await app.all(`/schedules?filter%5Bsite_id%5D=${id}`);
  assert.deepEqual(
    [weekly, daily].map((schedule) => [schedule?.attributes.periodicity.every, schedule?.attributes.max_pages]),
    [
      ['week', 100],
      ['day', 5],
    ],
  );
  assert.deepEqual(weekly?.attributes.fail_on, ['critical']);
  assert.equal((await siteNamed('Site 3')).attributes.archived, true);

  const again = await run(path);
  assert.equal(
    again.stdout,
    'Sites: 0 created, 0 changed, 3 unchanged.\nSchedules: 0 created, 0 changed, 2 unchanged.\nMutings: 0 created, 0 changed, 1 unchanged.\n',
  );
});

test('schedules and mutings change in place, and what is not in the file stays', async () => {
  const { id } = await siteNamed('Two');
  const list = `/schedules?filter%5Bsite_id%5D=${id}`;
  const ids = (await app.all(list)).map((schedule) => schedule.id);
  const text = YAML.replace('weekday: monday', 'weekday: sunday')
    .replace('      - every: day\n        max_pages: 5\n', '')
    .replace('A plugin., retroactive: true', 'An old plugin.');
  const { status, stdout, stderr } = await run(file('later.yaml', text));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^~ change schedule of Two .*: periodicity every week on monday → every week on sunday$/m);
  assert.match(stdout, /^~ change muting of "Duplicate ID" on two\.example: comment A plugin\. → An old plugin\.$/m);
  assert.match(stderr, /also has a schedule that is not in the file, which is kept: every day\.$/m);
  assert.deepEqual((await app.all(list)).map((schedule) => schedule.id).sort(), ids.sort());
  const mutings = await app.all('/mutings');
  assert.deepEqual(
    mutings.map(({ attributes }) => [attributes.comment, attributes.retroactive, attributes.expires_at]),
    [['An old plugin.', true, '2199-12-31T23:59:59']],
  );
  const plan = await run(
    file('later.yaml', text.replace('An old plugin.', 'An old plugin., retroactive: false')),
    '--dry-run',
  );
  assert.match(plan.stdout, /^~ change muting of "Duplicate ID" on two\.example: retroactive true → false$/m);
  assert.equal((await sites()).length, 11);
});

test('problems have positions, and nothing is changed', async () => {
  const lines = async (name: string, text: string): Promise<string[]> => {
    const path = file(name, text);
    const { status, stderr } = await run(path);
    assert.equal(status, 2, stderr);
    return stderr.trim().replaceAll(path, name).split('\n').slice(0, -1);
  };
  assert.deepEqual(
    await lines(
      'bad.yaml',
      'sites:\n  - starting_url: https://a.example/\n    maxpages: 5\n    headers: {a: b}\n    schedules: [{every: year}]\n  - starting_url: http://a.example\n  - 5\n',
    ),
    ['bad.yaml:7:5: A site must consist of settings in the form "name: value".'],
  );
  const [first = '', second = '', third = ''] = await lines(
    'bad.yaml',
    'sites:\n  - starting_url: https://a.example/\n    maxpages: 5\n    headers: {a: b}\n    schedules: [{every: year}]\n',
  );
  assert.match(first, /^bad\.yaml:3:15: maxpages is not a known setting: did you mean max_pages\?$/);
  assert.match(second, /^bad\.yaml:4:5: headers must not be in the file/);
  assert.match(third, /^bad\.yaml:5:25: every /);
  assert.deepEqual(await lines('twice.csv', 'starting_url\nhttps://b.example/\nhttp://b.example\n'), [
    'twice.csv:3:1: This is the same as on line 2. Delete one, or give sites different names.',
  ]);
  assert.deepEqual(await lines('open.csv', 'starting_url;tags\nhttps://b.example/;"a\n'), [
    'open.csv:2:20: The quotation mark is not closed.',
  ]);
  assert.equal((await sites()).length, 11);
});

test('secrets are sent again only if the command says so, because they cannot be compared', async () => {
  const path = file(
    'secrets.yaml',
    `sites:
  - name: Behind
    starting_url: https://behind.example/
    login:
      steps: [{open: "https://behind.example/in"}, {fill: "#p", secret_env: SHOP_PASSWORD}]
`,
  );
  const withSecret = (secret: string, ...args: string[]) =>
    runHere(['sync', path, ...args], { ...app.environment, SITEWARDEN_TOKEN: token, SHOP_PASSWORD: secret });
  const created = await withSecret('first-secret-1');
  assert.deepEqual([created.status, created.stderr], [0, '']);
  const sealed = async () =>
    (await app.app.db.selectFrom('sites').select('site_access').where('name', '=', 'Behind').executeTakeFirstOrThrow())
      .site_access;
  const first = await sealed();
  const silent = await withSecret('other-secret-2');
  assert.match(
    silent.stderr,
    /^The secrets of 1 site were not compared\. If they have changed, add --send-secrets\.$/m,
  );
  assert.deepEqual(await sealed(), first);
  const sent = await withSecret('other-secret-2', '--send-secrets');
  assert.equal(sent.stderr, '');
  assert.match(sent.stdout, /^~ change site Behind \(https:\/\/behind\.example\/\): login with its secrets$/m);
  assert.doesNotMatch(sent.stdout, /other-secret/);
  assert.notDeepEqual(await sealed(), first);
});
