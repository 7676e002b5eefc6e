import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { sealUrl } from '../../src/notifications/channel-secrets.ts';
import { runSql } from '../helpers/database.ts';
import { GOOD, type Notified, startNotified } from '../helpers/notified.ts';
import type { Received } from '../helpers/receiver.ts';
import { type Item, startTestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** How notifications reach receivers that refuse them, are silent or are slow, and survive restarts. */

let notified: Notified;
before(async () => {
  notified = await startNotified();
});
after(() => notified?.stop());
beforeEach(() => notified.reset());

describe('deliveries', () => {
  it('are repeated with the same id and body until they are delivered, and again on request', async () => {
    const { service, receiver, createChannel, run, told, deliveriesOf, stateOf, hurry } = notified;
    const channel = await createChannel();
    Object.assign(receiver.behaviour, { status: 503, headers: { 'retry-after': '7200' } });
    await run(GOOD);
    await told(1);
    await until(async () => (await stateOf(channel)).status === 'failing');
    const { error, error_code: code, failing_since: since } = await stateOf(channel);
    assert.deepEqual(
      [error, code],
      ['The receiver returned 503: only 200 to 299 count as delivered.', 'receiver_answered'],
    );
    assert.notEqual(since, null);
    // As the receiver asked, instead of after 5 seconds.
    const next = new Date(`${(await deliveriesOf(channel))[0]?.attributes.next_attempt_at}Z`).getTime();
    assert.ok(Math.abs(next - Date.now() - 7_200_000) < 60_000);
    receiver.behaviour.status = 200;
    await hurry();
    await told(2);
    const [first, second] = receiver.received;
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
    assert.equal(second?.text, first?.text);
    await until(async () => (await stateOf(channel)).status === 'working');
    const [delivery] = await deliveriesOf(channel);
    assert.deepEqual([delivery?.attributes.status, delivery?.attributes.attempts], ['delivered', 2]);
    await service.ask(`/notification_channels/${channel.id}/deliveries/${delivery?.id}/repeat`, 'POST');
    await told(3);
    assert.equal(receiver.received[2]?.headers['webhook-id'], first?.headers['webhook-id']);
  });

  it('are given up after a day, and a channel that only fails is paused, which the others report', async () => {
    const { service, receiver, createChannel, run, told, deliveriesOf, stateOf, hurry } = notified;
    const broken = await createChannel({ name: 'Broken', webhook_url: `${receiver.origin}/broken` });
    receiver.behaviour.status = 500;
    await service.ask(`/notification_channels/${broken.id}/test`, 'POST');
    await told(1);
    // A test is attempted once.
    await until(async () => (await deliveriesOf(broken))[0]?.attributes.status === 'failed');
    await run(GOOD);
    await until(async () =>
      (await deliveriesOf(broken)).some(({ attributes }) => attributes.attempts >= 1 && attributes.event !== 'test'),
    );
    await sql`UPDATE notification_channels SET failing_since = now() - interval '4 days' WHERE id = ${broken.id}`.execute(
      service.app.db,
    );
    // However long ago the first failure was, neither an attempt that is followed by others pauses the channel, nor a test.
    await hurry();
    await service.ask(`/notification_channels/${broken.id}/test`, 'POST');
    await until(async () => (await deliveriesOf(broken)).some(({ attributes }) => attributes.attempts >= 2));
    await until(
      async () => (await deliveriesOf(broken)).filter(({ attributes }) => attributes.status === 'failed').length === 2,
    );
    assert.equal((await stateOf(broken)).status, 'failing');

    const other = await createChannel({ name: 'Other', events: ['channel.paused'] });
    receiver.received.length = 0;
    await sql`UPDATE notification_deliveries SET attempts = 9 WHERE event <> 'test'`.execute(service.app.db);
    await hurry();
    await told(2);
    await until(async () => (await deliveriesOf(broken)).every(({ attributes }) => attributes.status === 'failed'));
    const { status, active, paused_at: pausedAt } = await stateOf(broken);
    assert.deepEqual([status, active, pausedAt === null], ['paused', false, false]);
    const { body } = receiver.received.find(({ path }) => path === '/in') ?? {};
    assert.deepEqual([body.type, body.data.channel.name], ['channel.paused', 'Broken']);
    assert.equal((await stateOf(other)).status, 'failing');

    const resumed = await service.ask(`/notification_channels/${broken.id}`, 'PATCH', { active: true });
    const { paused_at, failing_since, error } = resumed.data.attributes;
    assert.deepEqual([paused_at, failing_since, error], [null, null, null]);
  });

  it('do not hold up the tests of a channel that is not active', async () => {
    const { service, receiver, createChannel, run, deliveriesOf, stateOf, hurry } = notified;
    const channel = await createChannel();
    receiver.behaviour.status = 500;
    await run(GOOD);
    await until(async () => (await stateOf(channel)).status === 'failing');
    await service.ask(`/notification_channels/${channel.id}`, 'PATCH', { active: false });
    await hurry();
    receiver.behaviour.status = 204;
    await service.ask(`/notification_channels/${channel.id}/test`, 'POST');
    await until(() => receiver.received.some(({ body }) => body.type === 'test'));
    const statusOf = async (event: string) =>
      (await deliveriesOf(channel)).find(({ attributes }) => attributes.event === event)?.attributes.status;
    await until(async () => (await statusOf('test')) === 'delivered');
    assert.equal(await statusOf('report.finished'), 'pending');
  });

  it('are signed with a new secret, and for a day also with the previous one', async () => {
    const { service, receiver, createChannel, told, deliveriesOf } = notified;
    const channel = await createChannel();
    const path = `/notification_channels/${channel.id}`;
    const replaced = (await service.ask(`${path}/secret`, 'POST')).data.attributes.signing_secret;
    const verifies = ({ text, headers }: Received, secret: string): boolean => {
      try {
        new Webhook(secret).verify(text, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    const former = channel.attributes.signing_secret;
    for (const [age, expected] of [
      ['23 hours', [true, true]],
      ['25 hours', [true, false]],
    ] as const) {
      await sql`UPDATE notification_channels SET secret_replaced_at = now() - ${age}::interval`.execute(service.app.db);
      receiver.received.length = 0;
      await service.ask(`${path}/test`, 'POST');
      await told(1);
      await until(async () => (await deliveriesOf(channel))[0]?.attributes.status === 'delivered');
      const [message] = receiver.received;
      assert.ok(message !== undefined);
      assert.deepEqual([verifies(message, replaced), verifies(message, former)], expected, age);
    }
  });

  it('of an account whose receivers do not respond do not hold up other accounts', async () => {
    const { service, receiver, createChannel, told } = notified;
    const { rows } = await sql<{ id: string }>`
      INSERT INTO accounts (email, name) VALUES ('other@example.com', 'Other') RETURNING id`.execute(service.app.db);
    const channels = await Promise.all(Array.from({ length: 9 }, () => createChannel()));
    const [own, ...silent] = channels;
    await sql`UPDATE notification_channels SET account_id = ${rows[0]?.id} WHERE id <> ${own?.id}`.execute(
      service.app.db,
    );
    receiver.behaviour.isSilent = true;
    await sql`
      INSERT INTO notification_deliveries (channel_id, event, key, details, next_attempt_at)
      SELECT id, 'test', 'test', '{}', now() FROM notification_channels WHERE id <> ${own?.id}`.execute(service.app.db);
    await service.ask(`/notification_channels/${own?.id}/test`, 'POST');
    await told(3);
    const names = receiver.received.map(({ body }) => body.data.channel.id);
    assert.ok(names.includes(own?.id) && names.length === 3, `${names} of ${silent.length}`);
  });

  it('follow no redirect, and stop if they are not wanted', async () => {
    const { service, receiver, createChannel, stateOf } = notified;
    const channel = await createChannel();
    Object.assign(receiver.behaviour, { status: 307, headers: { location: `${receiver.origin}/elsewhere` } });
    const test = async () => (await service.ask(`/notification_channels/${channel.id}/test`, 'POST')).data.id;
    const ended = async (id: string): Promise<Item['attributes']> => {
      const path = `/notification_channels/${channel.id}/deliveries/${id}`;
      await until(async () => (await service.ask(path)).data.attributes.status !== 'pending');
      return (await service.ask(path)).data.attributes;
    };
    const redirected = await ended(await test());
    assert.deepEqual([redirected.error_code, redirected.http_status], ['receiver_redirects', 307]);
    assert.equal(receiver.received.length, 1);
    receiver.behaviour.status = 410;
    assert.equal((await ended(await test())).error_code, 'receiver_gone');
    assert.equal((await stateOf(channel)).status, 'paused');
  });

  it('that a stop interrupts are delivered at once after the next start, with the same id', async () => {
    const { service, receiver, createChannel, run, told } = notified;
    await createChannel({ events: ['report.finished'] });
    receiver.behaviour.isSilent = true;
    await run(GOOD);
    await told(1);
    await service.restart(async () => {
      const left = await runSql(
        service.environment['DATABASE_URL'] ?? '',
        'SELECT status, attempts, next_attempt_at <= now() AS is_due FROM notification_deliveries',
      );
      assert.deepEqual(left, [{ status: 'pending', attempts: 0, is_due: true }], 'it waits for no claim to end');
      receiver.behaviour.isSilent = false;
    });
    service.app.startNotifying({ takesEmails: true });
    await told(2);
    const [first, second] = receiver.received;
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
    assert.equal(second?.text, first?.text);
  });

  it('are delivered after a restart', async () => {
    const { service, receiver, createChannel, run, told, stateOf, hurry } = notified;
    const channel = await createChannel();
    receiver.behaviour.status = 500;
    const id = await run(GOOD);
    await told(1);
    await until(async () => (await stateOf(channel)).status === 'failing');
    await service.restart(async () => {
      receiver.behaviour.status = 200;
      receiver.received.length = 0;
    });
    service.app.startNotifying({ takesEmails: true });
    await hurry();
    await told(1);
    assert.equal(receiver.received[0]?.body.data.report.id, id);
  });

  it('are dropped if their report was deleted, even after an attempt', async () => {
    const { service, receiver, createChannel, run, told, deliveriesOf, hurry } = notified;
    const channel = await createChannel();
    // Otherwise, the next attempts could come before the deletion.
    Object.assign(receiver.behaviour, { status: 503, headers: { 'retry-after': '7200' } });
    const [composed, other] = [await run(GOOD), await run(GOOD)];
    await told(2);
    await until(async () => (await deliveriesOf(channel)).every(({ attributes }) => attributes.http_status === 503));
    receiver.behaviour.status = 200;
    receiver.received.length = 0;
    await sql`UPDATE notification_deliveries SET message = NULL WHERE report_id = ${other}`.execute(service.app.db);
    await Promise.all([composed, other].map((id) => service.ask(`/reports/${id}`, 'DELETE')));
    await hurry();
    await until(async () => (await deliveriesOf(channel)).length === 0);
    assert.deepEqual(receiver.received, []);
  });
});

it('are not sent to private networks unless they are allowed', async () => {
  const { receiver } = notified;
  const guarded = await startTestApp({ SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'false' }, {}, WITHOUT_BROWSER);
  try {
    guarded.app.startNotifying({ takesEmails: true });
    // A literal address is refused at once. What a name leads to is known when it is looked up.
    const channel = { kind: 'webhook', webhook_url: 'https://hooks.example.com/in' };
    const { id } = (await guarded.ask('/notification_channels', 'POST', channel)).data;
    const url = sealUrl(guarded.app.credentialStore.box, id, `${receiver.origin}/in`);
    await guarded.app.db.updateTable('notification_channels').set({ url_sealed: url }).execute();
    const delivery = (await guarded.ask(`/notification_channels/${id}/test`, 'POST')).data;
    const path = `/notification_channels/${id}/deliveries/${delivery.id}`;
    await until(async () => (await guarded.ask(path)).data.attributes.status === 'failed');
    assert.equal((await guarded.ask(path)).data.attributes.error_code, 'address_refused');
    assert.deepEqual(receiver.received, []);
  } finally {
    await guarded.close();
  }
});
