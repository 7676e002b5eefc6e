import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { NOTHING_DECIDED } from '../../src/api/attributes/change-counts.ts';
import { schedulesMax } from '../../src/schedules/save-schedule.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { HOME, seedSample } from '../helpers/sample-report.ts';
import { SCHEDULES, schedulesOf } from '../helpers/schedules.ts';

const NOTHING_THERE = '00000000-0000-4000-8000-000000000000';

describe('schedules', () => {
  let api: TestApi;
  // A Wednesday.
  let now = new Date('2028-02-16T10:30:00Z');

  before(async () => {
    api = await startApi({ clock: () => now });
  });
  beforeEach(() => {
    now = new Date('2028-02-16T10:30:00Z');
  });
  after(() => api?.close());

  const { post, create, patch, change } = schedulesOf(() => api);

  test('POST fills in defaults, and GET shows the same', async () => {
    const reply = await post({ starting_url: 'HTTP://Example.com', periodicity: { every: 'week' } });
    assert.equal(reply.status, 201, reply.text);
    const made: Item = reply.document.data;
    const self = `${api.origin}${SCHEDULES}/${made.id}`;
    assert.equal(reply.headers['location'], self);
    assert.equal(made.type, 'schedule');
    const { inserted_at, updated_at, deploy_hook_url: hook, ...others } = made.attributes;
    assert.deepEqual(others, {
      starting_url: 'http://example.com/',
      initial_urls: [],
      inclusions: [],
      exclusions: [],
      perform_a11y_checks: false,
      perform_html_checks: true,
      deep_crawl: true,
      prefer_canonical_urls: true,
      dynamic_crawler: false,
      respect_robots_txt: false,
      device_rotated: false,
      wait_for: null,
      standard: null,
      best_practices: false,
      block_writes: true,
      journeys: [],
      only_journeys: false,
      explore_states: false,
      consent: null,
      store_screenshots: false,
      reuse: true,
      signs_in: false,
      needs_credentials: false,
      site_name: '',
      store_raw_html_checks: false,
      store_raw_a11y_checks: false,
      max_pages: 100,
      periodicity: { every: 'week', weekday: 'monday' },
      time_of_day: null,
      time_zone: 'UTC',
      spread: false,
      trigger: 'time',
      rate_limit: 1,
      active: true,
      deploy_hook_signature: null,
      fail_on: ['error'],
      tags: [],
      shared: false,
      last_run_at: null,
      last_run: null,
      last_run_error: null,
      last_run_error_code: null,
      next_run_at: '2028-02-21T00:00:00',
      next_runs: ['02-21', '02-28', '03-06', '03-13', '03-20'].map((day) => `2028-${day}T00:00:00`),
    });
    for (const time of [inserted_at, updated_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.match(hook, new RegExp(`^${api.origin}/schedule/${made.id}/[\\w-]{43}/fire$`));
    assert.deepEqual(made.links, { self });
    const siteId = made.relationships.site.links.related.split('/').at(-1);
    assert.deepEqual(made.relationships, {
      site: { links: { related: `${api.origin}/api/v1/sites/${siteId}` } },
      reports: { links: { related: `${api.origin}/api/v1/reports?filter%5Bschedule_id%5D=${made.id}` } },
    });
    assert.deepEqual((await api.get(self)).document.data, made);
  });

  test('shows its last run and its site once it has created a report', async () => {
    const made = await create({ starting_url: 'https://last-run.example/' });
    const run = async () => (await api.send('POST', `${made.links.self}/runs`)).document.data;
    const refused = await api.send('POST', `${made.links.self}/runs`, { attributes: { max_pages: 5, other: 1 } });
    assert.deepEqual(refused.errors, ['422 invalid /data/attributes/max_pages', '422 invalid /data/attributes/other']);
    assert.match(
      refused.document.errors[0].detail,
      /^Max pages cannot be set: a run has the settings of the schedule\. /,
    );
    const [first, second] = [await run(), await run()];
    const shown = async () => (await api.get(made.links.self)).document.data;
    const pending = {
      report_id: second.id,
      status: 'pending',
      finished_at: null,
      change: null,
      stopped: false,
      verdict: null,
    };
    assert.deepEqual((await shown()).attributes.last_run, pending);
    const site = second.relationships.site.links.related;
    assert.equal((await shown()).relationships.site.links.related, site);
    await api.db
      .updateTable('reports')
      .set({ status: 'finished', finished_at: new Date('2028-02-20T10:00:00Z'), num_failing: 2 })
      .where('id', '=', second.id)
      .execute();
    const states = { report_state: new Date(), with_state: new Date() };
    const occurrences = { new: 2, fixed: 9, regressed: 1, not_checked_before: 5, unverified: 6 };
    const counts = { ...occurrences, broken_pages: 3, recovered_pages: 4 };
    const row = { report_id: second.id, with_id: first.id, is_previous: true, ...states, ...counts };
    await api.db.insertInto('diffs').values(row).execute();
    const ended = {
      ...{ report_id: second.id, status: 'finished', finished_at: '2028-02-20T10:00:00' },
      ...{ change: { ...counts, decided: NOTHING_DECIDED }, stopped: false, verdict: 'failed' },
    };
    assert.deepEqual((await shown()).attributes.last_run, ended);
    const [listed] = (await api.walk('/api/v1/schedules?filter[url]=last-run')).filter(({ id }) => id === made.id);
    assert.deepEqual(listed, await shown());
    await api.send('DELETE', `/api/v1/reports/${second.id}`);
    assert.equal((await shown()).attributes.last_run.report_id, first.id);
  });

  test('POST accepts every attribute', async () => {
    const given = {
      rate_limit: 5,
      max_pages: 7,
      perform_html_checks: false,
      perform_a11y_checks: true,
      deep_crawl: false,
      prefer_canonical_urls: false,
      dynamic_crawler: true,
      device_rotated: true,
      wait_for: '#ready',
      store_raw_html_checks: false,
      store_raw_a11y_checks: true,
      active: false,
      shared: true,
    };
    const made = await create({
      ...given,
      initial_urls: 'https://example.com/a\nhttps://example.com/b\n',
      inclusions: '/shop/\n/help/',
      exclusions: ['/private', '/old'],
      tags: 'one, Two,one',
      periodicity: { every: 'month', monthday: 28 },
    });
    const shown = Object.fromEntries(Object.keys(given).map((name) => [name, made.attributes[name]]));
    assert.deepEqual(shown, given);
    assert.deepEqual(made.attributes.initial_urls, ['https://example.com/a', 'https://example.com/b']);
    assert.deepEqual(made.attributes.inclusions, ['/shop/', '/help/']);
    assert.deepEqual(made.attributes.exclusions, ['/private', '/old']);
    assert.deepEqual(made.attributes.tags, ['one', 'Two']);
    assert.deepEqual(made.attributes.periodicity, { every: 'month', monthday: 28 });
    assert.equal(made.attributes.next_run_at, null, 'inactive');
    assert.equal(made.attributes.next_runs, null);
  });

  test('a schedule has a device, as its reports do', async () => {
    const [device] = (await api.get('/api/v1/devices')).document.data;
    const { id, relationships } = await create({ device_id: device.id });
    assert.equal(relationships.device.links.related, device.links.self);
    const { relationships: changed } = await change(id, { device_id: null, perform_a11y_checks: true });
    assert.equal(changed.device.links.related, `${api.origin}/api/v1/devices/default`);
    assert.deepEqual((await patch(id, { device_id: NOTHING_THERE })).errors, [
      '422 invalid /data/attributes/device_id',
    ]);
  });

  const PERIODICITIES: [given: object, shown: object | null, nextRun: string | null][] = [
    [{ every: 'deploy' }, null, null],
    [{ every: 'day' }, { every: 'day' }, '2028-02-17T00:00:00'],
    [{ every: 'week', weekday: 'wednesday' }, { every: 'week', weekday: 'wednesday' }, '2028-02-23T00:00:00'],
    [{ every: 'week', weekday: 'thursday' }, { every: 'week', weekday: 'thursday' }, '2028-02-17T00:00:00'],
    [{ every: 'week', weekday: 'sunday' }, { every: 'week', weekday: 'sunday' }, '2028-02-20T00:00:00'],
    [{ every: 'day', weekday: null, monthday: null }, { every: 'day' }, '2028-02-17T00:00:00'],
    // The request of a form with a field for each attribute.
    [{ every: 'day', weekday: 'monday', monthday: 1 }, { every: 'day' }, '2028-02-17T00:00:00'],
    [{ every: 'month' }, { every: 'month', monthday: 1 }, '2028-03-01T00:00:00'],
    [{ every: 'month', monthday: 16 }, { every: 'month', monthday: 16 }, '2028-03-16T00:00:00'],
    [{ every: 'month', monthday: 17 }, { every: 'month', monthday: 17 }, '2028-02-17T00:00:00'],
  ];
  for (const [given, shown, nextRun] of PERIODICITIES) {
    test(`periodicity ${JSON.stringify(given)}`, async () => {
      const { attributes } = await create({ periodicity: given });
      assert.equal(attributes.trigger, attributes.periodicity === null ? 'deploy' : 'time');
      assert.deepEqual([attributes.periodicity, attributes.next_run_at], [shown, nextRun]);
      assert.equal(attributes.next_runs?.[0] ?? null, nextRun);
      assert.equal(attributes.next_runs?.length, nextRun === null ? undefined : 5);
    });
  }

  test('are sorted by their next run, and filtered by whether they are active', async () => {
    const make = (name: string, attributes: object) =>
      create({ starting_url: `https://sorted.example/${name}`, ...attributes });
    await make('monthly', { periodicity: { every: 'month', monthday: 16 } });
    await make('hook', { periodicity: { every: 'deploy' } });
    await make('daily', { periodicity: { every: 'day' } });
    await make('off', { periodicity: { every: 'day' }, active: false });
    await make('daily-too', { periodicity: { every: 'day' } });
    const listed = async (query: string) =>
      (await api.get(`/api/v1/schedules?filter[url]=sorted.example&${query}`)).document.data.map(
        ({ attributes }: Item) => attributes.starting_url.slice('https://sorted.example/'.length),
      );
    assert.deepEqual(await listed(''), ['daily-too', 'off', 'daily', 'hook', 'monthly']);
    assert.deepEqual(await listed('sort=next_run_at'), ['daily-too', 'daily', 'monthly', 'off', 'hook']);
    assert.deepEqual(await listed('sort=next_run_at-desc'), ['monthly', 'daily-too', 'daily', 'off', 'hook']);
    assert.deepEqual(await listed('sort=-starting_url&page[size]=2'), ['off', 'monthly']);
    assert.deepEqual(await listed('filter[active]=false'), ['off']);
    assert.deepEqual(await listed('filter[active]=true&sort=starting_url'), ['daily', 'daily-too', 'hook', 'monthly']);
    assert.equal((await api.get('/api/v1/schedules?filter[active]=yes')).status, 400);
  });

  const REFUSED: [attributes: object, ...pointers: string[]][] = [
    [{ periodicity: null }, 'periodicity'],
    [{ periodicity: 'day' }, 'periodicity'],
    [{ periodicity: [] }, 'periodicity'],
    [{ periodicity: {} }, 'periodicity/every'],
    [{ periodicity: { every: 'year' } }, 'periodicity/every'],
    [{ periodicity: { every: null, monthday: 'x' } }, 'periodicity/every', 'periodicity/monthday'],
    [{ periodicity: { every: 'month', monthday: 29 } }, 'periodicity/monthday'],
    [{ periodicity: { every: 'month', monthday: 0 } }, 'periodicity/monthday'],
    [{ periodicity: { every: 'month', monthday: 1.5 } }, 'periodicity/monthday'],
    [{ periodicity: { every: 'week', weekday: 'Monday' } }, 'periodicity/weekday'],
    [{ periodicity: { every: 'day', weekday: 'someday' } }, 'periodicity/weekday'],
    [{ periodicity: { every: 'day', 'a/b': 1 } }, 'periodicity/a~1b'],
    [{ time_of_day: '24:00' }, 'time_of_day'],
    [{ time_of_day: '7:30', time_zone: 'Mars', spread: 'yes' }, 'spread', 'time_of_day', 'time_zone'],
    [{ time_of_day: '07:30\n', time_zone: null }, 'time_of_day', 'time_zone'],
    [{ active: 'yes' }, 'active'],
    [{ max_pages: 10_001, rate_limit: 0 }, 'max_pages', 'rate_limit'],
    [{ starting_url: 'nonsense', tags: 5 }, 'starting_url', 'tags'],
    [{ perform_html_checks: false }, 'perform_html_checks'],
    [{ store_raw_html_checks: 1 }, 'store_raw_html_checks'],
  ];
  for (const [attributes, ...pointers] of REFUSED) {
    test(`POST rejects ${JSON.stringify(attributes)}`, async () => {
      const reply = await post({ starting_url: HOME, periodicity: { every: 'day' }, ...attributes });
      const expected = pointers.map((pointer) => `422 invalid /data/attributes/${pointer}`);
      assert.deepEqual(reply.errors.toSorted(), expected);
    });
  }

  test('POST requires a starting URL and a periodicity', async () => {
    const reply = await post({});
    assert.deepEqual(reply.errors, [
      '422 invalid /data/attributes/starting_url',
      '422 invalid /data/attributes/periodicity',
    ]);
    assert.equal(reply.document.errors[1].detail, "Periodicity can't be blank");
    const nested = await post({ starting_url: HOME, periodicity: { every: 'week', weekday: 'someday' } });
    assert.match(nested.document.errors[0].detail, /^Periodicity weekday must be one of monday, tuesday/);
  });

  test("GET lists the account's own schedules, newest first, filtered by URL and tags", async () => {
    const { stranger } = api.people;
    const names: string[] = [];
    for (const [url, tags] of [
      ['https://list.example/One', 'red,Blue'],
      ['https://list.example/two', 'blue'],
      ['https://other.example/', 'red'],
    ]) {
      names.push((await create({ starting_url: url, tags }, stranger)).id);
    }
    const [one, two, other] = names;
    const list = async (query: string) =>
      (await api.walk(`${SCHEDULES}?page[size]=1&${query}`, stranger)).map(({ id }) => id);
    assert.deepEqual(await list(''), [other, two, one]);
    assert.deepEqual(await list('filter[url]=LIST.example'), [two, one]);
    assert.deepEqual(await list('filter[url]=/one'), [one]);
    assert.deepEqual(await list('filter[tags][list]=BLUE,red&filter[tags][mode]=all'), [one]);
    assert.deepEqual(await list('filter[tags][list]=blue'), [two, one]);
    assert.deepEqual(await list('filter[tags][list]=blue&filter[tags][mode]=none'), [other]);
    assert.deepEqual(await list('filter[tags][list]=red&filter[url]=other'), [other]);
    const { related } = (await api.get(`${SCHEDULES}/${two}`, stranger)).document.data.relationships.site.links;
    await api.send('PATCH', related, { token: stranger, attributes: { name: 'Bakery' } });
    assert.deepEqual(await list('filter[text]=bakery'), [two]);
    assert.deepEqual(await list('filter[text]=list.example'), [two, one]);
    const named = (await api.walk(`${SCHEDULES}?filter[url]=list.example`, stranger)).map(
      ({ attributes }) => attributes.site_name,
    );
    assert.deepEqual(named, ['Bakery', '']);
    assert.deepEqual((await api.get(`${SCHEDULES}?filter[paused]=true`)).errors, [
      '400 invalid_parameter filter[paused]',
    ]);
    assert.ok((await api.walk(SCHEDULES)).every(({ id }) => !names.includes(id)));
  });

  test('fail_on accepts the same values as check --fail-on', async () => {
    const asked = { starting_url: 'https://example.com/', periodicity: { every: 'day' } };
    const { id, attributes } = (await post({ ...asked, fail_on: ' unchecked,critical,critical ' })).document.data;
    assert.deepEqual(attributes.fail_on, ['critical', 'unchecked']);
    const patch = (fail_on: unknown) => api.send('PATCH', `${SCHEDULES}/${id}`, { attributes: { fail_on } });
    assert.deepEqual((await patch(['warning'])).document.data.attributes.fail_on, ['warning']);
    const invalid: [value: unknown, detail: string][] = [
      [
        'everything',
        'Fail on takes error, warning, critical, serious, moderate, minor, unchecked, never, not "everything"',
      ],
      ['new', 'Fail on new requires a baseline, which only the command check supports'],
      [['never', 'error'], 'Fail on never cannot be combined with other values'],
      ['', 'Fail on requires at least one of error, warning, critical, serious, moderate, minor, unchecked, never'],
      [7, 'Fail on must be a string or an array of strings'],
    ];
    for (const [value, detail] of invalid) {
      const { errors, document } = await patch(value);
      assert.deepEqual(errors, ['422 invalid /data/attributes/fail_on'], detail);
      assert.equal(document.errors[0].detail, detail);
    }
    const kept = await api.send('PATCH', `${SCHEDULES}/${id}`, { attributes: { active: false } });
    assert.deepEqual(kept.document.data.attributes.fail_on, ['warning']);
  });

  test('a read-only token does not see the deploy hook', async () => {
    const { id } = await create();
    for (const path of [`${SCHEDULES}/${id}`, SCHEDULES]) {
      assert.doesNotMatch((await api.get(path, api.people.reader)).text, /deploy_hook_url|\/fire/);
    }
  });

  test('its reports name it, and their owner can list them by it', async () => {
    const { id, relationships } = await create();
    const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId, schedule_id: id, shared: true });
    const related = async (token?: string) =>
      (await api.get(`/api/v1/reports/${reportId}`, token)).document.data.relationships.schedule?.links.related;
    assert.equal(await related(), `${api.origin}${SCHEDULES}/${id}`);
    assert.equal(await related(api.people.stranger), undefined);
    const reports = async (path: string, token?: string) => (await api.walk(path, token)).map((report) => report.id);
    assert.deepEqual(await reports(relationships.reports.links.related), [reportId]);
    assert.deepEqual(await reports(`/api/v1/reports?filter[schedule_id]=${id}`, api.people.stranger), []);
    for (const nothing of ['', 'nonsense', NOTHING_THERE, (await create()).id]) {
      assert.deepEqual(await reports(`/api/v1/reports?filter[schedule_id]=${nothing}`), [], nothing);
    }
    assert.equal((await api.send('DELETE', `${SCHEDULES}/${id}`)).status, 204);
    assert.deepEqual((await api.get(`${SCHEDULES}/${id}`)).errors, ['404 not_found']);
    assert.equal((await api.get(`/api/v1/reports/${reportId}`)).status, 200, 'reports outlive their schedule');
    assert.equal(await related(), undefined);
  });

  test('missing resources are not found', async () => {
    for (const id of [NOTHING_THERE, '1', 'x'.repeat(99)]) {
      for (const method of ['GET', 'DELETE']) {
        assert.deepEqual((await api.send(method, `${SCHEDULES}/${id}`)).errors, ['404 not_found'], `${method} ${id}`);
      }
      assert.deepEqual((await patch(id, { active: true })).errors, ['404 not_found']);
    }
    assert.equal((await api.send('PUT', `${SCHEDULES}/${NOTHING_THERE}`)).headers['allow'], 'GET, HEAD, PATCH, DELETE');
  });

  test('an account has a maximum number of schedules', async () => {
    const { strangerId, stranger } = api.people;
    const make = () =>
      api.send('POST', '/api/v1/schedules', {
        token: stranger,
        attributes: { starting_url: HOME, periodicity: { every: 'deploy' } },
      });
    assert.equal((await make()).status, 201);
    await sql`INSERT INTO schedules (account_id, site_id, definition, active, hook_hash)
      SELECT account_id, site_id, definition, active, n::text::bytea FROM schedules, generate_series(1, ${schedulesMax - 1}) n
      WHERE account_id = ${strangerId}`.execute(api.db);
    const refused = await make();
    assert.deepEqual(refused.errors, ['422 invalid']);
    assert.match(refused.document.errors[0].detail, /at most 1000 schedules\. Delete one/);
    await sql`DELETE FROM schedules WHERE account_id = ${strangerId}`.execute(api.db);
  });
});

describe('schedules at a time of day', () => {
  test('of their own run at that time in their time zone, within an hour if they are spread', async () => {
    const api = await startApi({ clock: () => new Date('2028-10-27T02:00:00Z'), scheduleTimeMs: 3.5 * 3_600_000 });
    const { create, change } = schedulesOf(() => api);
    try {
      const friday = { every: 'week', weekday: 'friday' };
      const { id, attributes } = await create({
        ...{ periodicity: friday, time_of_day: '07:30', time_zone: 'Europe/Berlin' },
      });
      assert.deepEqual(
        [attributes.time_of_day, attributes.time_zone, attributes.spread],
        ['07:30', 'Europe/Berlin', false],
      );
      assert.equal(attributes.next_run_at, '2028-10-27T05:30:00');
      // Clocks are set back on October 29.
      assert.deepEqual(attributes.next_runs.slice(0, 2), ['2028-10-27T05:30:00', '2028-11-03T06:30:00']);
      const nextRun = async (changes: object) => (await change(id, changes)).attributes.next_run_at;
      // It is still Thursday there.
      assert.equal(await nextRun({ time_zone: 'America/Los_Angeles' }), '2028-10-27T14:30:00');
      assert.equal(await nextRun({ time_of_day: '01:00', periodicity: { every: 'day' } }), '2028-10-27T08:00:00');
      assert.equal(await nextRun({ time_of_day: null }), '2028-10-27T03:30:00');
      const spread = (await change(id, { spread: true })).attributes.next_run_at;
      assert.ok(spread >= '2028-10-27T03:30:00' && spread < '2028-10-27T04:30:00', spread);
      assert.equal(await nextRun({ spread: true, tags: 'x' }), spread);
      const minute = (time: string) => new Date(`${time}Z`).getTime() % 3_600_000;
      assert.equal(minute(await nextRun({ time_of_day: '20:30', time_zone: 'UTC' })), minute(spread));
      assert.equal(await nextRun({ spread: false }), '2028-10-27T20:30:00');
    } finally {
      await api.close();
    }
  });

  test('are sorted with schedules at the time of the installation', async () => {
    const api = await startApi({ clock: () => new Date('2028-10-27T02:00:00Z'), scheduleTimeMs: 3.5 * 3_600_000 });
    const { create } = schedulesOf(() => api);
    try {
      for (const time_of_day of ['04:00', null, '03:00']) await create({ time_of_day });
      const { data } = (await api.get(`${SCHEDULES}?sort=next_run_at`)).document;
      assert.deepEqual(
        data.map(({ attributes }: Item) => attributes.next_run_at.slice(11, 16)),
        ['03:00', '03:30', '04:00'],
      );
    } finally {
      await api.close();
    }
  });

  test('show the time at which they run', async () => {
    const clock = () => new Date('2028-02-16T02:00:00Z');
    const api = await startApi({ clock, scheduleTimeMs: 3.5 * 3_600_000 });
    try {
      const attributes = { starting_url: HOME, periodicity: { every: 'week', weekday: 'wednesday' } };
      const { data } = (await api.send('POST', SCHEDULES, { attributes })).document;
      assert.equal(data.attributes.next_run_at, '2028-02-16T03:30:00');
      const changed = { periodicity: { every: 'day' } };
      const reply = await api.send('PATCH', `${SCHEDULES}/${data.id}`, { attributes: changed });
      assert.equal(reply.document.data.attributes.next_run_at, '2028-02-16T03:30:00');
    } finally {
      await api.close();
    }
  });
});
