import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createToken, revokeToken } from '../../src/accounts/tokens.ts';
import { streamsMax } from '../../src/api/events/limits.ts';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { SAME_KEY } from '../helpers/credential-store.ts';
import { assertOpened, type EventClient, followEvents, type ReceivedEvent } from '../helpers/event-client.ts';
import { page } from '../helpers/faulty-pages.ts';
import { invitePeople, type People } from '../helpers/people.ts';
import { seedSample } from '../helpers/sample-report.ts';
import { startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const ENDED = ['finished', 'failed'];

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely; a wrong guess fails the test.
const jsonOf = (response: Response): Promise<any> => response.json();

describe('GET /events', () => {
  let app: TestApp;
  let site: TestSite;
  let people: People;
  const clients: EventClient[] = [];
  /** Open from the beginning, because the first comment comes after 15 seconds. */
  let idle: EventClient;
  before(async () => {
    app = await startTestApp(SAME_KEY, {}, WITHOUT_BROWSER);
    people = await invitePeople(app.app.db);
    idle = await followEvents(`${app.api}/events`, people.stranger);
    site = await startTestSite({
      '/': page('Start', '<p><a href="/two">Two</a><p id="a">One<p id="a">Two'),
      '/two': page('Two', '<p id="b">One<p id="b">Two'),
    });
  });
  after(async () => {
    idle?.close();
    await app?.close();
    await site?.stop();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  const follow = async (query = '', token = people.owner, lastEventId?: string, api = app.api) => {
    const client = await followEvents(`${api}/events${query}`, token, lastEventId);
    clients.push(client);
    return client;
  };
  const send = (path: string, method: string, attributes?: object, token = people.owner): Promise<Response> =>
    fetch(`${app.api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      ...(attributes && { body: JSON.stringify({ data: { attributes } }) }),
    });
  const create = async (): Promise<string> => {
    const { data } = await jsonOf(await send('/reports', 'POST', { starting_url: site.origin, rate_limit: 100 }));
    return data.id;
  };
  const seed = async (values: object = {}): Promise<string> =>
    (await seedSample(app.app.db, { account_id: people.ownerId, ...values })).reportId;
  const ofReport =
    (id: string, name = 'report') =>
    (event: ReceivedEvent): boolean =>
      event.name === name && (event.data.report_id ?? event.data.data?.id) === id;
  /** Waits for the event with the insights of a finished report, and for the hint that its common issues have theirs. */
  const untilAnswered = (client: EventClient, id: string): Promise<void> =>
    until(() => {
      const isAnswered = (event: ReceivedEvent) =>
        ofReport(id)(event) && event.data.data.attributes.fix_effect !== null;
      const first = client.events.findIndex(isAnswered);
      return first >= 0 && client.events.slice(first).some(ofReport(id, 'common_issues'));
    });
  const share = (id: string, shared: boolean) => send(`/reports/${id}`, 'PATCH', { shared });

  test('follows a report from its creation to its end, as the example in docs/events.md does', async () => {
    const client = await follow();
    assertOpened(client);
    const id = await create();
    const docs = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    const [, example = ''] = /```sh\n(.*?)```/s.exec(docs) ?? [];
    const { origin } = new URL(app.api);
    const env = { PATH: process.env['PATH'], API_TOKEN: people.owner, REPORT_ID: id };
    const { stdout } = await promisify(execFile)('sh', ['-c', example.replace('http://127.0.0.1:3000', origin)], {
      env,
    });
    assert.equal(stdout, '"status":"finished"\n');
    await client.seen((event) => ofReport(id)(event) && ENDED.includes(event.data.data.attributes.status));
    await untilAnswered(client, id);
    const own = client.events.filter((event) => JSON.stringify(event).includes(id));
    assert.equal(own[0]?.name, 'report');
    for (const name of ['web_pages', 'common_issues']) assert.ok(own.some(ofReport(id, name)), name);
    const last = own.filter(ofReport(id)).at(-1);
    const current = await jsonOf(await send(`/reports/${id}`, 'GET'));
    // The size is measured after the end.
    for (const report of [last?.data.data, current.data]) delete report.attributes.size;
    assert.deepEqual(last?.data, current);
    assert.equal(current.data.attributes.num_pages, 2);
    assert.equal(current.data.attributes.fix_effect.passing_after, 2);
  });

  test('follows one report from its current state on', async () => {
    const id = await seed();
    const client = await follow(`?filter[report_id]=${id.toUpperCase()}`);
    await client.seen(ofReport(id));
    await seed();
    await share(id, true);
    await client.seen((event) => event.data.data?.attributes.shared === true);
    assert.deepEqual(new Set(client.events.map(({ data }) => data.report_id ?? data.data.id)), new Set([id]));
    await send(`/reports/${id}`, 'DELETE');
    await client.seen(ofReport(id, 'gone'));
    await until(client.hasEnded);
  });

  test('notifies owner and host, and others only of a shared report that they request', async () => {
    const id = await seed({ account_id: people.guestId, guest_account_id: people.guestAccountId });
    const filter = `?filter[report_id]=${id}`;
    assert.equal((await follow(filter, people.stranger)).status, 404);
    await share(id, true);
    const [host, guest, stranger] = [await follow(), await follow('', people.guest), await follow('', people.stranger)];
    const asking = await follow(filter, people.stranger);
    await asking.seen(ofReport(id));
    await share(id, false);
    for (const client of [host, guest]) await client.seen(ofReport(id));
    await asking.seen(ofReport(id, 'gone'));
    await until(asking.hasEnded);
    // What follows has arrived, so the change before it would have, too.
    const other = await seed({ account_id: people.strangerId });
    await send(`/reports/${other}`, 'PATCH', { shared: true }, people.stranger);
    await stranger.seen(ofReport(other));
    assert.equal(stranger.events.some(ofReport(id)), false);
  });

  test('resets the host when a guest leaves', async () => {
    const host = await follow('', people.owner);
    const { data } = await jsonOf(await send('/guest_accounts', 'POST', { max_usage: 5 }));
    await send(`/guest_accounts/${data.id}`, 'DELETE');
    await host.seen(({ name }) => name === 'reset');
  });

  test('resumes with what changed in the meantime, and nothing else', async () => {
    const [changed, deleted, same] = [await seed(), await seed(), await seed()];
    const first = await follow();
    await until(() => first.lastId() !== '');
    await share(same, true);
    await first.seen(ofReport(same));
    const id = first.lastId();
    first.close();
    await share(changed, true);
    await send(`/reports/${deleted}`, 'DELETE');
    const second = await follow('', people.owner, id);
    await second.seen(ofReport(deleted, 'gone'));
    await second.seen(ofReport(changed));
    assert.equal(second.events.some(ofReport(same)), false);
    assert.equal(
      second.events.some(({ name }) => name === 'reset'),
      false,
    );
    await until(() => second.lastId() !== '');
    const third = await follow(`?filter[report_id]=${changed}`, people.owner, second.lastId());
    await share(changed, false);
    await third.seen((event) => event.data.data?.attributes.shared === false);
    assert.equal(third.events.filter(ofReport(changed)).length, 1);
  });

  test('sends a reset for an id that it cannot resume from', async () => {
    const client = await follow();
    await until(() => client.lastId() !== '');
    const [time = '', snapshot = ''] = client.lastId().split('-');
    const far = '9'.repeat(18);
    for (const id of ['', 'x', `${Number(time) - 90_000}-${snapshot}`, `${time}-${far}:${far}:`, `${time}-5:3:`]) {
      const other = await follow('', people.owner, id);
      assert.equal(other.status, 200);
      await other.seen(({ name }) => name === 'reset');
      await until(() => other.lastId() !== '');
    }
  });

  test('refuses more than 20 streams of an account', async () => {
    for (let count = 0; count < streamsMax; count += 1) assert.equal((await follow('', people.free)).status, 200);
    const refused = await send('/events', 'GET', undefined, people.free);
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await jsonOf(refused)).errors[0].code, 'too_many_streams');
    assert.equal((await send('/events', 'HEAD', undefined, people.free)).status, 200);
    assert.equal((await follow('', people.stranger)).status, 200);
    clients[0]?.close();
    await until(async () => (await follow('', people.free)).status === 200);
  });

  test('ends with its token', async () => {
    const accountId = people.ownerId;
    const revoked = await createToken(app.app.db, { accountId, scope: 'read' });
    const expiring = await createToken(app.app.db, {
      accountId,
      scope: 'read',
      expiresAt: new Date(Date.now() + 2_000),
    });
    const ending = [await follow('', revoked.token), await follow('', expiring.token)];
    const staying = await follow();
    await revokeToken(app.app.db, revoked.id);
    for (const client of ending) await until(client.hasEnded);
    assert.equal(staying.hasEnded(), false);
    assert.equal((await follow('', revoked.token)).status, 401);
  });

  test('supports HEAD without a stream, and sends comments while nothing happens', async () => {
    const head = await send('/events', 'HEAD');
    assert.equal(head.headers.get('content-type'), 'text/event-stream');
    await until(() => idle.comments() > 0);
  });

  test('reports what another process did, and ends at once with its own process', async () => {
    const { origin } = new URL(app.api);
    const config = loadConfig({ ...app.environment, PORT: '0' }, false);
    const other = await createApp(config, createLogger({ level: 'silent', format: 'json' }), { isLongLived: false });
    let isClosed = false;
    try {
      // It does no work.
      const api = `${await other.listen()}/api/v1`;
      assert.notEqual(new URL(api).origin, origin);
      const client = await follow('', people.owner, undefined, api);
      const id = await seed();
      await share(id, false);
      await client.seen(ofReport(id));
      await other.close();
      isClosed = true;
      await until(client.hasEnded);
      const next = await follow('', people.owner, client.lastId());
      await share(id, true);
      await next.seen((event) => ofReport(id)(event) && event.data.data.attributes.shared);
      assert.equal(
        next.events.some(({ name }) => name === 'reset'),
        false,
      );
    } finally {
      if (!isClosed) await other.close();
    }
  });
});
