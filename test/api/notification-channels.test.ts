import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { channelsMax } from '../../src/notifications/channels.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';

const WEBHOOK = { kind: 'webhook', webhook_url: 'https://hooks.example.com/in?key=secret-77' };

describe('notification channels', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const create = (attributes: object, token?: string) =>
    api.send('POST', '/api/v1/notification_channels', { attributes, ...(token !== undefined && { token }) });
  const channel = async (attributes: object) => {
    const reply = await create(attributes);
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };

  test('are created with the events that need action, and show their secret once', async () => {
    const { id, attributes, links, relationships } = await channel({ ...WEBHOOK, name: ' Deploys ' });
    const { inserted_at: _, updated_at: __, signing_secret: secret, ...shown } = attributes;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(shown, {
      ...{ kind: 'webhook', name: 'Deploys', target: 'hooks.example.com', webhook_url: WEBHOOK.webhook_url },
      events: ['report.failed', 'schedule.got_worse', 'schedule.out_of_credits', 'guest.near_limit', 'channel.paused'],
      worse_when: ['new_critical', 'new_errors', 'broken_pages', 'fail_on'],
      ...{ schedule_ids: [], active: true, status: 'working', failing_since: null, paused_at: null },
      ...{ last_delivered_at: null, error: null, error_code: null },
      ...{ digest: 'none', digest_hour: 7, time_zone: 'UTC', next_digest_at: null },
    });
    assert.equal(relationships.deliveries.links.related, `${links.self}/deliveries`);
    const again = await api.get(links.self);
    assert.ok(!again.text.includes('signing_secret') && !again.text.includes(secret));
    assert.equal(again.document.data.id, id);
    // The URL of Slack and Teams lets anyone post there.
    const { document } = await api.get(links.self, api.people.reader);
    assert.equal(document.data.attributes.webhook_url, undefined);
    assert.equal(document.data.attributes.target, 'hooks.example.com');
  });

  test('of Slack and Teams have no secret to sign with', async () => {
    for (const kind of ['slack', 'teams']) {
      const { attributes, links } = await channel({ ...WEBHOOK, kind });
      assert.equal(attributes.signing_secret, undefined);
      assert.deepEqual((await api.send('POST', `${links.self}/secret`)).errors, ['409 conflict']);
    }
  });

  test('get a new secret, and keep what is not changed', async () => {
    const { attributes, links } = await channel({ ...WEBHOOK, events: ['report.failed', 'report.finished'] });
    assert.deepEqual(attributes.events, ['report.finished', 'report.failed']);
    const { document } = await api.send('POST', `${links.self}/secret`);
    const { signing_secret: secret } = document.data.attributes;
    assert.match(secret, /^whsec_/);
    assert.notEqual(secret, attributes.signing_secret);
    const changes = {
      name: 'Team',
      active: false,
      webhook_url: 'https://hooks.example.org:8443/',
      worse_when: ['fail_on'],
    };
    const changed = await api.send('PATCH', links.self, { attributes: changes });
    const { events, status, ...shown } = changed.document.data.attributes;
    assert.deepEqual(
      [events, status, shown.target],
      [['report.finished', 'report.failed'], 'paused', 'hooks.example.org:8443'],
    );
    for (const [name, value] of Object.entries(changes)) assert.deepEqual(shown[name], value, name);
  });

  test('say what is wrong with each attribute', async () => {
    const wrong = {
      kind: 'pager',
      webhook_url: 'hooks.example.com',
      name: 'n'.repeat(201),
      events: ['report.finished', 'report.begun'],
      worse_when: [],
      schedule_ids: ['7'],
      digest_hour: 24,
      time_zone: 'Mars',
      colour: 'red',
    };
    const reply = await create(wrong);
    assert.deepEqual(
      reply.errors,
      Object.keys(wrong).map((name) => `422 invalid /data/attributes/${name}`),
    );
    const details = reply.document.errors.map(({ detail }: { detail: string }) => detail);
    assert.match(details[1], /^Webhook url must be an http or https URL$/);
    assert.match(details[3], /^Events has the unknown value "report\.begun": use report\.finished, report\.failed/);
    assert.match(details[4], /^Worse when must not be empty$/);
    for (const [url = '', problem = ''] of [
      ['ftp://hooks.example.com/', 'must be an http or https URL'],
      ['https://user:word@hooks.example.com/', 'must not contain a username or password'],
      [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
      [' ', "can't be blank"],
    ]) {
      const { document } = await create({ ...WEBHOOK, webhook_url: url });
      assert.equal(document.errors[0].title, problem, url);
    }
    assert.deepEqual((await create({ kind: 'webhook' })).errors, ['422 invalid /data/attributes/webhook_url']);
  });

  test('have a usable URL, as far as can be known without the network', async () => {
    const { links } = await channel(WEBHOOK);
    for (const [url, problem] of [
      ['https://hooks.example.com:25/', /^must not have port 25, which is reserved for a protocol other than HTTP/],
      ['http://10.1.2.3/in', /^must not point to 10\.1\.2\.3, which is on a private network: the operator/],
      ['http://0x7f.1:8080/', /^must not point to 127\.0\.0\.1,/],
      ['http://[::1]:8080/', /^must not point to \[::1\],/],
      ['http://[::ffff:169.254.169.254]/', /^must not point to \[::ffff:a9fe:a9fe\],/],
      ['http://localhost:8080/', /^must not point to localhost,/],
    ] as const) {
      const created = await create({ ...WEBHOOK, webhook_url: url });
      const changed = await api.send('PATCH', links.self, { attributes: { webhook_url: url } });
      for (const { errors, document } of [created, changed]) {
        assert.deepEqual(errors, ['422 invalid /data/attributes/webhook_url'], url);
        assert.match(document.errors[0].title, problem);
      }
    }
    for (const url of ['https://1.1.1.1/', 'https://[2606:4700::1111]:8443/', 'http://hooks.example.com:8080/'])
      assert.equal((await create({ ...WEBHOOK, webhook_url: url })).status, 201, url);
    const server = testServer(api.db, { allowPrivateNetworks: true });
    const payload = { data: { attributes: { ...WEBHOOK, webhook_url: 'http://10.1.2.3/in' } } };
    const headers = { authorization: `Bearer ${api.people.owner}` };
    const allowed = await server.inject({ method: 'POST', url: '/api/v1/notification_channels', headers, payload });
    assert.equal(allowed.statusCode, 201);
    await server.close();
  });

  test("are limited to the account's own schedules", async () => {
    const attributes = { starting_url: 'https://example.com/', periodicity: { every: 'day' } };
    const own = (await api.send('POST', '/api/v1/schedules', { attributes })).document.data.id;
    const { stranger } = api.people;
    const foreign = (await api.send('POST', '/api/v1/schedules', { attributes, token: stranger })).document.data.id;
    const { attributes: shown, links } = await channel({ ...WEBHOOK, schedule_ids: [own] });
    assert.deepEqual(shown.schedule_ids, [own]);
    const refused = await create({ ...WEBHOOK, schedule_ids: [own, foreign] });
    assert.deepEqual(refused.errors, ['422 invalid /data/attributes/schedule_ids']);
    assert.match(
      refused.text,
      new RegExp(`Schedule ids contains ${foreign}, which is not one of your schedules: see GET /schedules`),
    );
    const changed = await api.send('PATCH', links.self, { attributes: { schedule_ids: [foreign] } });
    assert.deepEqual(changed.errors, ['422 invalid /data/attributes/schedule_ids']);
  });

  test('have one test at a time, and a pending delivery is not repeated', async () => {
    const { links } = await channel({ ...WEBHOOK, active: false });
    const first = await api.send('POST', `${links.self}/test`);
    assert.equal(first.status, 201);
    const { id, attributes, links: own } = first.document.data;
    assert.deepEqual([attributes.event, attributes.status, attributes.attempts], ['test', 'pending', 0]);
    assert.equal(first.headers['location'], own.self);
    assert.equal((await api.send('POST', `${links.self}/test`)).document.data.id, id);
    const list = await api.walk(`${links.self}/deliveries?filter[status]=pending`);
    assert.deepEqual(
      list.map((delivery) => delivery.id),
      [id],
    );
    assert.deepEqual(await api.walk(`${links.self}/deliveries?filter[status]=failed`), []);
    assert.deepEqual((await api.send('POST', `${own.self}/repeat`)).errors, ['409 conflict']);
    await api.db.updateTable('notification_deliveries').set({ status: 'failed' }).where('id', '=', id).execute();
    const inactive = await api.send('POST', `${own.self}/repeat`);
    assert.match(inactive.text, /not active\. Activate it/);
    await api.send('PATCH', links.self, { attributes: { active: true } });
    const repeated = await api.send('POST', `${own.self}/repeat`);
    assert.deepEqual([repeated.status, repeated.document.data.attributes.status], [200, 'pending']);
  });

  test('of the kind email have an address, and all others a URL', async () => {
    for (const [attributes, error] of [
      [{ kind: 'email' }, '422 invalid /data/attributes/email'],
      [{ kind: 'email', email: 'Ana <ana@example.com>' }, '422 invalid /data/attributes/email'],
      [{ kind: 'email', email: 'a@example.com,b@example.com' }, '422 invalid /data/attributes/email'],
      [{ ...WEBHOOK, kind: 'email', email: 'ana@example.com' }, '422 invalid /data/attributes/webhook_url'],
      [{ ...WEBHOOK, email: 'ana@example.com' }, '422 invalid /data/attributes/email'],
    ] as const) {
      assert.deepEqual((await create(attributes)).errors, [error]);
    }
    // The address of the account is known.
    const { attributes, links } = await channel({ kind: 'email', email: ' OWNER@example.com ' });
    const { target, status, webhook_url: url, signing_secret: secret } = attributes;
    assert.deepEqual([target, status, url, secret], ['OWNER@example.com', 'working', undefined, undefined]);
    const moved = await api.send('PATCH', links.self, { attributes: { webhook_url: WEBHOOK.webhook_url } });
    assert.deepEqual(moved.errors, ['422 invalid /data/attributes/webhook_url']);
    for (let number = 1; number <= 20; number += 1) {
      assert.equal((await create({ kind: 'email', email: `client-${number}@example.net` })).status, 201);
    }
    const refused = await create({ kind: 'email', email: 'client-21@example.net' });
    assert.deepEqual([refused.errors, refused.headers['retry-after']], [['429 rate_limited'], '86400']);
  });

  test('of the kind email request confirmation again, once per hour, until the address is confirmed or has unsubscribed', async () => {
    const { strangerId, stranger: token } = api.people;
    const { id, links } = (await create({ kind: 'email', email: 'lost@example.net' }, token)).document.data;
    const path = `${links.self}/confirmation`;
    const ask = () => api.send('POST', path, { token });
    const questions = () =>
      api.db.selectFrom('notification_deliveries').selectAll().where('channel_id', '=', id).orderBy('id').execute();
    const [first] = await questions();
    // It has not been sent yet.
    const waiting = await ask();
    assert.deepEqual([waiting.status, waiting.document.data.id], [201, first?.id]);
    const end = () =>
      api.db.updateTable('notification_deliveries').set({ status: 'delivered' }).where('channel_id', '=', id);
    await end().execute();
    const early = await ask();
    assert.deepEqual(early.errors, ['429 rate_limited']);
    // Some of the hour has passed by now.
    const seconds = Number(early.headers['retry-after']);
    assert.ok(3_000 < seconds && seconds <= 3_600, String(seconds));
    assert.match(early.text, /Try again in (60|5\d) minutes/);
    await end()
      .set({ inserted_at: new Date(Date.now() - 3_601_000) })
      .execute();
    const { status, headers, document } = await ask();
    assert.deepEqual([status, document.data.attributes.event], [201, 'confirmation']);
    assert.equal(headers['location'], document.data.links.self);
    assert.equal((await questions()).length, 2);
    // The requests of the day are counted together with the requests for new channels.
    await sql`UPDATE confirmation_emails SET sent = 20 WHERE account_id = ${strangerId}`.execute(api.db);
    await end()
      .set({ inserted_at: new Date(0) })
      .execute();
    assert.deepEqual((await ask()).headers['retry-after'], '86400');
    await sql`UPDATE confirmation_emails SET sent = 0 WHERE account_id = ${strangerId}`.execute(api.db);

    const change = (changes: object) =>
      api.db.updateTable('notification_channels').set(changes).where('id', '=', id).execute();
    await change({ last_error: JSON.stringify({ code: 'recipient_stopped', params: {} }) });
    const ended = await ask();
    assert.deepEqual(ended.errors, ['409 conflict']);
    assert.match(ended.text, /The recipient has unsubscribed/);
    await change({ last_error: null, confirmed_at: new Date() });
    assert.match((await ask()).text, /needs no confirmation/);
    assert.deepEqual((await api.send('POST', path)).errors, ['404 not_found']);
    await api.send('DELETE', links.self, { token });
  });

  test('of the kind email are confirmed by the recipients, even for the account\u2019s own address if anyone may sign up', async () => {
    const status = async (signUp: 'closed' | 'open'): Promise<unknown> => {
      const server = testServer(api.db, { signUp });
      const headers = { authorization: `Bearer ${api.people.guest}` };
      const { data } = (await server.inject({ method: 'GET', url: '/api/v1/account', headers })).json();
      const payload = { data: { attributes: { kind: 'email', email: data.attributes.email } } };
      const reply = await server.inject({ method: 'POST', url: '/api/v1/notification_channels', headers, payload });
      await server.close();
      return reply.json().data.attributes.status;
    };
    assert.deepEqual([await status('closed'), await status('open')], ['working', 'unconfirmed']);
  });

  test('of the kind email require a mail server', async () => {
    const server = testServer(api.db, { mailFrom: null });
    const payload = { data: { attributes: { kind: 'email', email: 'owner@example.com' } } };
    const headers = { authorization: `Bearer ${api.people.owner}` };
    const reply = await server.inject({ method: 'POST', url: '/api/v1/notification_channels', headers, payload });
    assert.equal(reply.statusCode, 422);
    assert.match(reply.body, /"pointer":"\/data\/attributes\/kind"/);
    assert.match(reply.body, /does not send email: its operator can set SITEWARDEN_SMTP_URL and SITEWARDEN_MAIL_FROM/);
    await server.close();
  });

  test('have a maximum number per account', async () => {
    const { stranger, strangerId } = api.people;
    await sql`
      INSERT INTO notification_channels (account_id, kind, name, target, events, worse_when, schedule_ids, active)
      SELECT ${strangerId}, 'slack', '', 'hooks.example', '{report.failed}', '{fail_on}', '{}', true
      FROM generate_series(2, ${channelsMax})`.execute(api.db);
    const replies = await Promise.all([1, 2, 3].map(() => create(WEBHOOK, stranger)));
    const refused = replies.filter(({ status }) => status === 422);
    assert.equal(refused.length, 2);
    assert.match(refused[0]?.text ?? '', /at most 1000 notification channels\. Delete one/);
  });
});
