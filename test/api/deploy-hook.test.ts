import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Ask, type Item, type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { HOME } from '../helpers/sample-report.ts';

describe('deploy hook', () => {
  let api: TestApi;
  const now = new Date('2028-02-29T23:59:58.500Z');

  before(async () => {
    api = await startApi({ clock: () => now });
  });
  after(() => api?.close());

  /** Moves the calls of hooks into the past, as if the database's clock had advanced. */
  const wait = (ms: number) =>
    sql`UPDATE schedules SET hook_called_at = hook_called_at - make_interval(secs => ${ms / 1_000})`.execute(api.db);
  const create = async (attributes: object = {}): Promise<Item> => {
    const asked = { starting_url: HOME, periodicity: { every: 'deploy' }, tags: 'deployed', ...attributes };
    const reply = await api.send('POST', '/api/v1/schedules', { attributes: asked });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };
  const schedule = async (id: string) => (await api.get(`/api/v1/schedules/${id}`)).document.data.attributes;
  const fire = (item: Item, ask: Ask = {}): Promise<Reply> =>
    api.send('POST', item.attributes.deploy_hook_url, { token: null, ...ask });
  const fired = async (item: Item): Promise<Item> => {
    const reply = await fire(item);
    assert.equal(reply.status, 202, reply.text);
    return reply.document.data;
  };
  const numReports = async (item: Item) => (await api.walk(item.relationships.reports.links.related)).length;

  test('returns 202 with the created report', async () => {
    const item = await create({
      max_pages: 3,
      rate_limit: 2,
      inclusions: '/w',
      exclusions: '/x',
      perform_a11y_checks: true,
      store_raw_a11y_checks: true,
      shared: true,
    });
    const report = await fired(item);
    const own = (await api.get(`/api/v1/reports/${report.id}`)).document.data;
    const { share_url: _, ...attributes } = own.attributes;
    assert.deepEqual({ ...own, attributes }, report);
    assert.equal(report.relationships.schedule.links.related, item.links.self);
    const { max_pages, rate_limit, inclusions, exclusions, tags, shared, starting_url, status } = report.attributes;
    assert.deepEqual(
      { max_pages, rate_limit, inclusions, exclusions, tags, shared, starting_url, status },
      {
        max_pages: 3,
        rate_limit: 2,
        inclusions: ['/w'],
        exclusions: ['/x'],
        tags: ['deployed'],
        shared: true,
        starting_url: HOME,
        status: 'pending',
      },
    );
    assert.notEqual(report.attributes.checks.a11y, null);
    const checks = api.db.selectFrom('report_checks').select(['kind', 'store_raw']).where('report_id', '=', report.id);
    assert.deepEqual(await checks.orderBy('kind').execute(), [
      { kind: 'a11y', store_raw: true },
      { kind: 'html', store_raw: false },
    ]);
    assert.equal((await schedule(item.id)).last_run_at, '2028-02-29T23:59:58');
    assert.equal((await schedule(item.id)).next_run_at, null);
  });

  test('its reports are marked in the history of the site, unlike reports that the owner starts', async () => {
    const item = await create({ starting_url: 'http://deployed.test/' });
    const ids = [(await fired(item)).id];
    const run = await api.send('POST', `/api/v1/schedules/${item.id}/runs`);
    ids.push(run.document.data.id);
    await api.db
      .updateTable('reports')
      .set({ finished_at: new Date(), status: 'finished', checked_pages_at_end: 0, passed_pages_at_end: 0 })
      .where('id', 'in', ids)
      .execute();
    const { runs } = (await api.get(item.relationships.site.links.related)).document.data.attributes;
    const marks = new Map(runs.map((each: Item['attributes']) => [each.report_id, each.deployed]));
    assert.deepEqual(
      ids.map((id) => marks.get(id)),
      [true, false],
    );
  });

  test('accepts any body of any type, up to a maximum size', async () => {
    const headers = (type: string) => ({ 'content-type': type });
    const bodies: Ask[] = [
      {},
      { body: '{"ref": "refs/heads/main"}', headers: headers('application/json') },
      { body: '{nonsense', headers: headers('application/json') },
      { body: 'payload=%7B%7D', headers: headers('application/x-www-form-urlencoded') },
      { body: Buffer.from([0xff, 0, 1]), headers: headers('application/octet-stream') },
      { body: 'x'.repeat(1_048_576), headers: headers('nonsense') },
      { headers: { authorization: 'Basic nonsense' } },
    ];
    const item = await create();
    const ids = new Set();
    for (const body of bodies) {
      const reply = await fire(item, body);
      assert.equal(reply.status, 202, reply.text);
      ids.add(reply.document.data.id);
      await wait(10_000);
    }
    assert.equal(ids.size, bodies.length);
    assert.deepEqual((await fire(item, { body: 'x'.repeat(1_048_577) })).errors, ['413 payload_too_large']);
  });

  test('calls within 10 s after a call that created a report return the same report', async () => {
    const item = await create();
    const first = await fired(item);
    // Real time passes, too: this leaves 9 of the 10 s for the calls.
    await wait(1_000);
    assert.equal((await fired(item)).id, first.id);
    await wait(9_000);
    // It comes shortly after the previous call, but not after the call that created the report.
    const second = await fired(item);
    assert.notEqual(second.id, first.id);
    await wait(1_000);
    assert.equal((await fired(item)).id, second.id);
    assert.equal(await numReports(item), 2);
    const other = await create();
    assert.notEqual((await fired(other)).id, second.id);
  });

  test('no old report is returned after the clock was set back', async () => {
    const item = await create();
    const ids = new Set([(await fired(item)).id]);
    for (const ms of [3_600_000, 9_000]) {
      await wait(-ms);
      ids.add((await fired(item)).id);
    }
    assert.equal(ids.size, 3);
  });

  test('concurrent calls create one report', async () => {
    const item = await create();
    const reports = await Promise.all(Array.from({ length: 20 }, () => fired(item)));
    assert.equal(new Set(reports.map(({ id }) => id)).size, 1);
    assert.equal(await numReports(item), 1);
  });

  test('a deleted report is not returned', async () => {
    const item = await create();
    const { id } = await fired(item);
    await api.send('DELETE', `/api/v1/reports/${id}`);
    assert.notEqual((await fired(item)).id, id);
  });

  test('a run that its owner requests creates a separate report, and leaves the next run unchanged', async () => {
    const item = await create({ periodicity: { every: 'day' } });
    const before = await schedule(item.id);
    const run = () => api.send('POST', `/api/v1/schedules/${item.id}/runs`);
    const reply = await run();
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers['location'], `${api.origin}/api/v1/reports/${reply.document.data.id}`);
    assert.deepEqual((await api.get(`/api/v1/reports/${reply.document.data.id}`)).document, reply.document);
    assert.equal(reply.document.data.relationships.schedule.links.related, item.links.self);
    assert.equal((await run()).status, 201);
    assert.equal(await numReports(item), 2);
    const { last_run_at: lastRunAt, last_run: lastRun, ...after } = await schedule(item.id);
    assert.equal(lastRunAt, '2028-02-29T23:59:58');
    assert.equal(lastRun.status, 'pending');
    assert.deepEqual({ ...after, last_run_at: null, last_run: null }, before);
    await api.send('PATCH', `/api/v1/schedules/${item.id}`, { attributes: { active: false } });
    assert.deepEqual((await run()).errors, ['409 conflict']);
  });

  test('a run without credits notes the reason on the schedule', async () => {
    const item = await create();
    const credits = (balance: number | null) =>
      api.db.updateTable('accounts').set({ credits: balance }).where('id', '=', api.people.ownerId).execute();
    await credits(0);
    assert.deepEqual((await api.send('POST', `/api/v1/schedules/${item.id}/runs`)).errors, ['402 credits_exhausted']);
    const { last_run_error: error, last_run_error_code: code } = await schedule(item.id);
    assert.deepEqual([error.split('.')[0], code], ['There are not enough credits left', 'not_enough_credits']);
    assert.equal(await numReports(item), 0);
    await credits(null);
  });

  test('a wrong secret gets 404 and reveals nothing', async () => {
    const item = await create();
    const path = new URL(item.attributes.deploy_hook_url).pathname;
    const [, , id = '', secret = ''] = path.split('/');
    const answers = new Set();
    for (const wrong of [
      path.replace(secret, `${secret}x`),
      path.replace(secret, secret.slice(1)),
      path.replace(secret, '%00'),
      path.replace(id, '00000000-0000-4000-8000-000000000000'),
      path.replace(id, 'nonsense'),
    ]) {
      const reply = await api.send('POST', wrong, { token: null });
      assert.deepEqual(reply.errors, ['404 not_found'], wrong);
      answers.add(JSON.stringify(reply.document.errors));
    }
    assert.equal(answers.size, 1);
    await api.send('DELETE', `/api/v1/schedules/${item.id}`);
    assert.deepEqual((await fire(item)).errors, ['404 not_found']);
  });

  test('no secret is logged', async () => {
    const item = await create();
    await fired(item);
    const invited = await api.send('POST', '/api/v1/guest_accounts', { attributes: { max_usage: 1 } });
    const invitation = new URL(invited.document.data.attributes.invitation_url).pathname;
    const hook = new URL(item.attributes.deploy_hook_url).pathname;
    const attributes = { starting_url: 'https://example.com/', shared: true };
    const report = await api.send('POST', '/api/v1/reports', { attributes });
    const share = new URL(report.document.data.attributes.share_url).pathname;
    const link = await api.send('POST', '/api/v1/share_links', { attributes: { tag: 'shop' } });
    const latest = new URL(link.document.data.attributes.share_url).pathname;
    const secrets = [
      hook.split('/').at(-2) ?? '',
      ...[invitation, share, latest].map((path) => path.split('/').at(-1) ?? ''),
    ];
    const encoded = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    const parts: string[] = [];
    for (const path of [
      hook,
      invitation,
      share,
      latest,
      `/api/v1${share}`,
      `/api/v1${invitation}/accept`,
      `/api/v1${invitation}`,
      `${hook}/`,
      `/x${hook}`,
    ]) {
      const secret = secrets.find((one) => path.includes(one)) ?? '';
      const pieces = secret.match(/.{1,9}/g) ?? [];
      parts.push(...pieces, encoded(secret), encoded(encoded(secret)));
      for (const spelt of [
        path,
        `${path}?x=${secret}`,
        path.replace(secret, encoded(secret)),
        path.replace(secret, encoded(encoded(secret))),
        path.replace(secret, pieces.join('/')),
        path.replace(secret, `%zz${secret}`),
        path.replace('schedule', '%73chedule').replace('invitations', 'Invitations').replace('share', 'Shared'),
        `/${encoded(path.slice(1))}`,
      ]) {
        for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS', 'PROPFIND'])
          await api.send(method, spelt, { token: null });
      }
    }
    const log = api.logLines.join('');
    assert.match(log, new RegExp(`/schedule/${item.id}/\\(hidden\\)/fire`));
    for (const part of [...secrets, ...parts]) assert.ok(!log.includes(part), part);
  });

  test('an inactive schedule is a conflict', async () => {
    const item = await create({ active: false });
    assert.deepEqual((await fire(item)).errors, ['409 conflict']);
    assert.equal(await numReports(item), 0);
    await api.send('PATCH', `/api/v1/schedules/${item.id}`, { attributes: { active: true } });
    await fired(item);
  });

  test('a schedule with a periodicity has a hook too, which does not change its next run', async () => {
    const item = await create({ periodicity: { every: 'day' } });
    await fired(item);
    assert.equal((await schedule(item.id)).next_run_at, item.attributes.next_run_at);
  });

  test('no report is created without the plan or the credits, and the schedule says why', async () => {
    const item = await create();
    const setAccount = (changes: { plan?: 'free' | 'pro'; credits?: number | null }) =>
      api.db.updateTable('accounts').set(changes).where('id', '=', api.people.ownerId).execute();
    await setAccount({ plan: 'free' });
    assert.deepEqual((await fire(item)).errors, ['403 pro_required']);
    await setAccount({ plan: 'pro', credits: 0 });
    assert.equal((await schedule(item.id)).last_run_error_code, 'plan_without_schedules');
    assert.deepEqual((await fire(item)).errors, ['402 credits_exhausted']);
    await setAccount({ credits: null });
    const { last_run_error: error, last_run_at: time } = await schedule(item.id);
    assert.match(error, /credits/);
    assert.equal(time, null);
    assert.equal(await numReports(item), 0);
    await fired(item);
    assert.equal((await schedule(item.id)).last_run_error, null);
  });

  test('accepts POST only', async () => {
    const { attributes } = await create();
    const reply = await api.get(attributes.deploy_hook_url);
    assert.deepEqual([reply.errors, reply.headers['allow']], [['405 method_not_allowed'], 'POST']);
  });
});
