import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listDevices } from '../../src/browser/devices.ts';
import { runCommand } from '../../src/commands/program.ts';
import { collectingTerminal, runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** `import --service`: from another installation, and from a service that has only what the contract says. */

const token = 'test-admin-token-0123456789';
let there: TestApp;
let here: TestApp;
let simple: TestSite;

const PHONE = listDevices().find(({ name }) => name === 'iPhone 15') ?? assert.fail();
const WEEKLY = {
  starting_url: 'https://example.com/',
  periodicity: { every: 'week', weekday: 'friday' },
  time_of_day: '07:30',
  time_zone: 'Europe/Berlin',
  spread: true,
  max_pages: 20,
  perform_a11y_checks: true,
  exclusions: '/archive/\n/tags/',
  tags: 'shop, autumn',
  device_id: PHONE.id,
  fail_on: 'critical',
  basic_auth: { username: 'me', password: 'secret words' },
};
const MUTING = {
  url_match: 'example.com/blog',
  message: 'Duplicate ID',
  comment: 'A plugin.',
  retroactive: true,
  expires_at: '2199-12-31',
};

before(async () => {
  [there, here] = await Promise.all([startTestApp({}, {}, null), startTestApp({}, {}, null)]);
  await there.ask('/schedules', 'POST', WEEKLY);
  await there.ask('/schedules', 'POST', {
    starting_url: 'https://example.com/news',
    periodicity: { every: 'deploy' },
    deploy_hook_signature: 'github',
    active: false,
  });
  await there.ask('/mutings', 'POST', MUTING);
  await there.ask('/reports', 'POST', { starting_url: 'http://127.0.0.1:9/' });

  // A service of this kind, with the attributes of the contract only.
  const list = (data: object[]) => ({
    headers: { 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data, links: { self: 'https://other.example/api/v1/x' } }),
  });
  const device = 'https://other.example/api/v1/devices/';
  const schedule = (id: string, url: string, at: string) => ({
    type: 'schedule',
    id,
    attributes: {
      ...{ starting_url: url, initial_urls: [], exclusions: [], tags: [], max_pages: 100, rate_limit: 1 },
      ...{ perform_html_checks: true, perform_a11y_checks: true, periodicity: null, active: true, nonsense: 1 },
    },
    relationships: { device: { links: { related: device + at } } },
  });
  const named = (name: string) => ({
    headers: { 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'device', id: 'x', attributes: { name } } }),
  });
  simple = await startTestSite({
    '/api/v1/schedules': list([
      schedule('1', 'https://one.example/', 'default'),
      schedule('2', 'https://two.example/', 'd-2'),
      schedule('3', 'https://three.example/', 'd-3'),
      schedule('4', 'nonsense', 'default'),
    ]),
    '/api/v1/mutings': list([]),
    '/api/v1/reports': list([]),
    '/sign-in/api/v1/schedules': '<h1>Sign in</h1>',
    '/odd/api/v1/schedules': list([null as unknown as object]),
    '/none/api/v1/schedules': list([{ type: 'schedule', id: '1', attributes: { tags: 5 }, relationships: null }]),
    '/none/api/v1/mutings': list([]),
    '/none/api/v1/reports': list([]),
    '/busy/api/v1/schedules': { status: 429, headers: { 'retry-after': '60' } },
    '/silent/api/v1/schedules': () => undefined,
    '/endless/api/v1/schedules': {
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: [], links: { next: 'https://other.example/api/v1/schedules' } }),
    },
    '/endless/api/v1/mutings': (_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"errors": {"\u001b[31m": 1}}');
    },
    '/api/v1/devices/d-2': named('Pixel 7'),
    '/api/v1/devices/d-3': named('A device of nobody'),
  });
});
after(async () => {
  await Promise.all([there?.close(), here?.close(), simple?.stop()]);
});

const origin = () => new URL(there.api).origin;
const run = (...args: string[]) => runHere(['import', ...args], { ...here.environment, SITEWARDEN_TOKEN: token });

test('a dry run reports what would be created, and creates nothing', async () => {
  const { status, stdout, stderr } = await run('--service', origin(), '--dry-run');
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split('\n').slice(0, 5).sort(), [
    'Would create 2 schedules and 1 muting; 0 already exist. Nothing was created.',
    'device    iPhone 15 -> iPhone 15',
    'muting    Duplicate ID  on example.com/blog',
    'schedule  deploy  https://example.com/news',
    'schedule  week    https://example.com/',
  ]);
  assert.match(stderr, /^The credentials of https:\/\/example\.com\/ are not imported/m);
  assert.match(stderr, /^The signature of the deploy hook of https:\/\/example\.com\/news is not imported/m);
  assert.match(stderr, /^Reports are not imported/m);
  assert.equal((await here.all('/schedules')).length, 0);
});

test('schedules and mutings are created once, as they were', async () => {
  const first = await run('--service', origin());
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stdout, /^Created 2 schedules and 1 muting; 0 already exist\.$/m);
  const again = await run('--service', `${origin()}/`);
  assert.match(again.stdout, /^Created 0 schedules and 0 mutings; 3 already exist\.\n$/);

  const settings = async (app: TestApp) =>
    (await app.all('/schedules'))
      .map(({ attributes, relationships }) => {
        const {
          inserted_at,
          updated_at,
          deploy_hook_url,
          signs_in,
          deploy_hook_signature,
          next_runs,
          next_run_at,
          ...rest
        } = attributes;
        return { ...rest, device: relationships.device?.links.related.split('/').at(-1) };
      })
      .sort((one, other) => one.starting_url.length - other.starting_url.length);
  assert.deepEqual(await settings(here), await settings(there));
  const mutings = async (app: TestApp) =>
    (await app.all('/mutings')).map(({ attributes: { url_match, message, comment, retroactive, expires_at } }) => [
      ...[url_match, message, comment, retroactive, expires_at],
    ]);
  assert.deepEqual(await mutings(here), await mutings(there));
  const { data } = await here.ask('/api_tokens');
  assert.ok(data.every((item: { attributes: { name: string } }) => item.attributes.name !== 'sitewarden import'));
});

test('a service that has only what the contract says is read, and refused settings are reported', async () => {
  const { status, stdout, stderr } = await run('--service', simple.origin);
  assert.equal(status, 2, stdout);
  assert.match(stderr, /^The device "A device of nobody" is not imported/m);
  assert.match(stderr, /^The schedule of nonsense was rejected: Starting url has invalid format/m);
  assert.match(stderr, /^1 could not be created\.$/m);
  assert.match(stdout, /^Created 3 schedules and 0 mutings;/m);
  assert.doesNotMatch(stdout, /nonsense/);
  const schedules = await here.all('/schedules?filter[url]=.example/');
  const pixel = schedules.find(({ attributes }) => attributes.starting_url === 'https://two.example/');
  const device = await here.ask(pixel?.relationships.device.links.related);
  assert.equal(device.data.attributes.name, 'Pixel 7');
  assert.equal(pixel?.attributes.trigger, 'deploy');
  assert.equal(schedules.length, 3);
});

test('unreadable responses are reported', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['--service', 'http://127.0.0.1:1'],
      /in 1 s\.\nhttp:\/\/127\.0\.0\.1:1 cannot be read: The service does not respond\.\n$/,
    ],
    [['--service', `${simple.origin}/sign-in`], /cannot be read: The response with status 200 is not from this API/],
    [['--service', `${simple.origin}/odd`], /cannot be read: The response with status 200 is not from this API/],
    [['--service', `${simple.origin}/endless`], /cannot be read: The service returned 500\.\n$/],
    [['--service', 'example'], /^--service must be the address of a service/],
    [[], /^import requires either files or --service/],
    [['x.json', '--service', origin()], /^import requires either files or --service/],
  ];
  for (const [args, words] of cases) {
    const { status, stdout, stderr } = await run(...args);
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, words);
  }
  const none = await run('--service', `${simple.origin}/none`);
  assert.equal(none.status, 2);
  assert.match(none.stderr, /^The schedule of undefined was rejected: Starting url can't be blank/m);
  const wrong = await runHere(['import', '--service', origin()], { ...here.environment, SITEWARDEN_TOKEN: 'wrong' });
  assert.match(wrong.stderr, /cannot be read: The API token is unknown/);
});

test('Ctrl-C ends it while it waits for the service, and it reports that nothing was created', async () => {
  const cases = [
    ['busy', /Trying again in/],
    ['silent', null],
  ] as const;
  for (const [name, waits] of cases) {
    const { terminal, printed } = collectingTerminal({ ...here.environment, SITEWARDEN_TOKEN: token });
    const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<NodeJS.Signals>();
    const path = `/${name}/api/v1/schedules`;
    const ended = runCommand(
      ['import', '--service', `${simple.origin}/${name}`, '--dry-run'],
      Object.assign(terminal, { untilStopped: () => interrupted }),
    );
    const isWaiting = () => waits?.test(printed.stderr) ?? simple.requests.some(({ url }) => url.startsWith(path));
    while (!isWaiting()) await delay(20);
    const seen = simple.requests.length;
    interrupt('SIGINT');
    await ended;
    assert.equal(simple.requests.length, seen, 'it does not try again');
    assert.equal(terminal.exitStatus, 130);
    assert.match(printed.stderr, /Stopping … .*\nNothing was created\.\n$/);
    assert.equal(printed.stdout, '');
  }
});
