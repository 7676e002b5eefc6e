import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { sealUrl } from '../../src/notifications/channel-secrets.ts';
import { takeAccountCredits } from '../../src/store/credits.ts';
import { type Received, type Receiver, startReceiver } from '../helpers/receiver.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Channels are told what happens to reports and schedules: a real service, a site that gets worse, and a receiver. */

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Page</h1>${body}</body></html>`;
const GOOD = page('<p>Fine</p>');
const BAD = page('<p><font color="red">Red & <b>loud</b></font></p>');
const EVERYTHING = [
  ...['report.finished', 'report.failed', 'schedule.got_worse', 'schedule.out_of_credits', 'guest.near_limit'],
  'channel.paused',
];

let service: TestApp;
let site: TestSite;
let receiver: Receiver;
let content = GOOD;
let scheduleId: string;

before(async () => {
  site = await startTestSite({
    '/': (_, response) => {
      response.writeHead(content === '' ? 500 : 200, { 'content-type': 'text/html' }).end(content);
    },
  });
  receiver = await startReceiver();
  service = await startTestApp();
  service.app.startNotifying({ takesMail: true });
  const attributes = { starting_url: `${site.origin}/`, periodicity: { every: 'deploy' }, fail_on: 'error' };
  scheduleId = (await service.ask('/schedules', 'POST', attributes)).data.id;
});
after(async () => {
  await service?.close();
  await receiver?.stop();
  await site?.stop();
});
beforeEach(async () => {
  await service.app.db.deleteFrom('notification_channels').execute();
  receiver.received.length = 0;
  Object.assign(receiver.behaviour, { status: 204, headers: {}, isSilent: false });
  content = GOOD;
});

async function createChannel(attributes: object = {}): Promise<Item> {
  const all = {
    kind: 'webhook',
    name: 'Team',
    webhook_url: `${receiver.origin}/in`,
    events: EVERYTHING,
    ...attributes,
  };
  return (await service.ask('/notification_channels', 'POST', all)).data;
}

const run = async (html: string): Promise<string> => {
  content = html;
  const { id } = (await service.ask(`/schedules/${scheduleId}/runs`, 'POST')).data;
  await service.finished(id);
  await until(
    async () => (await service.ask<{ meta: { is_current: boolean } }>(`/reports/${id}/changes`)).meta.is_current,
  );
  return id;
};

const told = (count: number): Promise<void> => until(() => receiver.received.length >= count);
const typesOf = (received: readonly Received[]): string[] => received.map(({ body }) => body.type).sort();
const deliveriesOf = (channel: Item): Promise<Item[]> => service.all(`/notification_channels/${channel.id}/deliveries`);
const stateOf = async (channel: Item): Promise<Item['attributes']> =>
  (await service.ask(`/notification_channels/${channel.id}`)).data.attributes;
/** Ends the pauses between attempts. */
const hurry = () =>
  sql`UPDATE notification_deliveries SET next_attempt_at = now() WHERE status = 'pending'`.execute(service.app.db);

describe('notifications', () => {
  it('tell the end of reports and what got worse, signed, once', async () => {
    const channel = await createChannel();
    const first = await run(GOOD);
    await told(1);
    const second = await run(BAD);
    await told(3);
    const third = await run(BAD);
    await told(4);
    assert.deepEqual(
      receiver.received.map(({ body }) => `${body.type} ${[first, second, third].indexOf(body.data.report.id)}`).sort(),
      ['report.finished 0', 'report.finished 1', 'report.finished 2', 'schedule.got_worse 1'],
    );
    const worse = receiver.received.find(({ body }) => body.type === 'schedule.got_worse');
    assert.ok(worse !== undefined);
    const verifier = new Webhook(channel.attributes.signing_secret);
    for (const { text, headers } of receiver.received) verifier.verify(text, headers as Record<string, string>);
    assert.throws(() => verifier.verify(`${worse.text} `, worse.headers as Record<string, string>));
    assert.equal(worse.headers['content-type'], 'application/json');
    assert.match(worse.headers['user-agent'] ?? '', /^sitewarden\//);

    const { report, reasons, schedule } = worse.body.data;
    assert.deepEqual(reasons, ['new_errors', 'fail_on']);
    assert.deepEqual(schedule, {
      id: scheduleId,
      starting_url: `${site.origin}/`,
      url: `${new URL(service.api).origin}/schedules/${scheduleId}`,
    });
    assert.equal(report.url, `${new URL(service.api).origin}/reports/${second}`);
    assert.equal(report.previous_report_id, first);
    assert.deepEqual([report.errors, report.pages_checked, report.pages_passed], [1, 1, 0]);
    assert.deepEqual([report.change.new, report.change.fixed, report.change.new_critical], [1, 0, 0]);
    assert.match(report.new_issues[0].message, /font/);
    assert.match(report.fixes[0].message, /font/);
    const [delivery] = (await deliveriesOf(channel)).filter(({ id }) => id === worse.headers['webhook-id']);
    const { event, status, attempts, http_status: answer } = delivery?.attributes ?? {};
    assert.deepEqual([event, status, attempts, answer], ['schedule.got_worse', 'delivered', 1, 204]);
    assert.equal((await stateOf(channel)).status, 'working');

    // What was fixed is told, and is not worse.
    await run(GOOD);
    await told(5);
    const fixed = receiver.received.at(-1)?.body;
    assert.deepEqual([fixed.type, fixed.data.report.change.fixed], ['report.finished', 1]);
    assert.match(fixed.data.report.fixed_issues[0].message, /font/);
  });

  it('are sentences for Slack and Teams, in which a site can neither mention people nor link', async () => {
    await run(GOOD);
    await createChannel({ kind: 'slack', webhook_url: `${receiver.origin}/slack`, events: ['schedule.got_worse'] });
    await createChannel({ kind: 'teams', webhook_url: `${receiver.origin}/teams`, events: ['schedule.got_worse'] });
    const id = await run(page('<p id="<!channel> [a](http://evil.test) \u202E">Fine</p>'));
    await told(2);
    const bodyAt = (path: string) => receiver.received.find((message) => message.path === path)?.body;
    const link = `${new URL(service.api).origin}/reports/${id}`;
    const { host } = new URL(site.origin);
    const slack = bodyAt('/slack');
    const title = `${host} got worse: 1 new error, does not pass`;
    assert.equal(slack.text, title);
    const texts = slack.blocks.map((block: { text: { text: string } }) => block.text.text);
    assert.match(
      texts[0],
      /^\*127\.0\.0\.1:\d+ got worse: .*\*\nPages that pass: 0 of 1\. Errors: 1\. Warnings: 0\.\nSince the last report: 1 new, 0 fixed\.\nThe starting page has no links/,
    );
    assert.match(texts[1], /^\*New since the last report\*\n• .*&lt;!channel&gt;.* \(1 place on 1 page\)$/);
    assert.match(texts[2], /^\*Fix first\*\n• .*; then 1 page passes instead of 0\)$/);
    assert.equal(texts[3], `<${link}|Open the report>`);
    // Else Slack links addresses, and mentions people, in what looks like them.
    assert.ok(slack.blocks.every(({ text }: { text: { verbatim: boolean } }) => text.verbatim));
    assert.doesNotMatch(texts.join(''), /\u202E/);
    const card = bodyAt('/teams').attachments[0];
    assert.equal(card.contentType, 'application/vnd.microsoft.card.adaptive');
    assert.deepEqual(card.content.actions, [{ type: 'Action.OpenUrl', title: 'Open the report', url: link }]);
    assert.equal(card.content.body[0].inlines[0].text, title);
    assert.ok(card.content.body.every(({ type }: { type: string }) => type === 'RichTextBlock'));
    assert.ok(JSON.stringify(card.content.body).includes('<!channel> [a](http://evil.test)'));
  });

  it('tell reports that fail, and only of the schedules that a channel is limited to', async () => {
    await createChannel();
    await createChannel({ webhook_url: `${receiver.origin}/limited`, schedule_ids: [scheduleId] });
    content = '';
    const alone = (await service.ask('/reports', 'POST', { starting_url: `${site.origin}/` })).data.id;
    await service.finished(alone);
    await told(1);
    const failed = await run(GOOD).then(() => service.ask('/reports?page[size]=1'));
    assert.equal(failed.data[0].attributes.status, 'finished');
    await told(3);
    assert.deepEqual(typesOf(receiver.received), ['report.failed', 'report.finished', 'report.finished']);
    assert.deepEqual(typesOf(receiver.received.filter(({ path }) => path === '/limited')), ['report.finished']);
    const { report } = receiver.received[0]?.body.data ?? {};
    assert.deepEqual([report.id, report.crawl_error_code], [alone, 'start_failed']);
    assert.match(report.crawl_error, /^The starting URL could not be checked\. The page answered 500/);
  });

  it('are repeated with the same id and body until they are delivered, and again on request', async () => {
    const channel = await createChannel();
    Object.assign(receiver.behaviour, { status: 503, headers: { 'retry-after': '7200' } });
    await run(GOOD);
    await told(1);
    await until(async () => (await stateOf(channel)).status === 'failing');
    const { error, error_code: code, failing_since: since } = await stateOf(channel);
    assert.deepEqual(
      [error, code],
      ['The receiver answered 503: only 200 to 299 count as delivered.', 'receiver_answered'],
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

  it('are given up after a day, and a channel that only fails is paused, which the others are told', async () => {
    const broken = await createChannel({ name: 'Broken', webhook_url: `${receiver.origin}/broken` });
    receiver.behaviour.status = 500;
    await service.ask(`/notification_channels/${broken.id}/test`, 'POST');
    await told(1);
    // A test is attempted once.
    await until(async () => (await deliveriesOf(broken))[0]?.attributes.status === 'failed');
    await run(GOOD);
    await until(async () =>
      (await deliveriesOf(broken)).some(({ attributes }) => attributes.attempts === 1 && attributes.event !== 'test'),
    );
    await sql`UPDATE notification_channels SET failing_since = now() - interval '4 days' WHERE id = ${broken.id}`.execute(
      service.app.db,
    );
    // However long ago the first failure was, neither an attempt that is followed by others pauses the channel, nor a test.
    await hurry();
    await service.ask(`/notification_channels/${broken.id}/test`, 'POST');
    await until(async () => (await deliveriesOf(broken)).some(({ attributes }) => attributes.attempts === 2));
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

  it('are signed with a new secret, and for a day with the one before as well', async () => {
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

  it('of an account whose receivers do not answer do not hold up those of others', async () => {
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

  it('follow no redirect, and stop where they are not wanted', async () => {
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
    await createChannel({ events: ['report.finished'] });
    receiver.behaviour.isSilent = true;
    await run(GOOD);
    await told(1);
    const began = performance.now();
    await service.restart(async () => {
      receiver.behaviour.isSilent = false;
    });
    service.app.startNotifying({ takesMail: true });
    await told(2);
    assert.ok(performance.now() - began < 30_000, 'it waits neither for the receiver nor for the end of the claim');
    const [first, second] = receiver.received;
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
    assert.equal(second?.text, first?.text);
  });

  it('are delivered after a restart, and of a deleted report not at all', async () => {
    const channel = await createChannel();
    receiver.behaviour.status = 500;
    const id = await run(GOOD);
    await told(1);
    await until(async () => (await stateOf(channel)).status === 'failing');
    receiver.behaviour.status = 200;
    await service.restart(async () => {
      receiver.received.length = 0;
    });
    service.app.startNotifying({ takesMail: true });
    await hurry();
    await told(1);
    assert.equal(receiver.received[0]?.body.data.report.id, id);

    // As if the report had been deleted before the first attempt.
    await service.ask(`/notification_channels/${channel.id}`, 'PATCH', { active: false });
    await sql`UPDATE notification_deliveries SET status = 'pending', attempts = 0, message = NULL, next_attempt_at = now()`.execute(
      service.app.db,
    );
    await service.ask(`/reports/${id}`, 'DELETE');
    await service.ask(`/notification_channels/${channel.id}`, 'PATCH', { active: true });
    await until(async () => (await deliveriesOf(channel))[0]?.attributes.error_code === 'subject_gone');
    assert.equal((await stateOf(channel)).status, 'working');
  });

  it('tell that credits are over, for schedules and guests', async () => {
    const { db } = service.app;
    await createChannel();
    const { data: account } = await service.ask('/account');
    await sql`UPDATE accounts SET credits = 0 WHERE id = ${account.id}`.execute(db);
    await assert.rejects(service.ask(`/schedules/${scheduleId}/runs`, 'POST'), /402/);
    await assert.rejects(service.ask(`/schedules/${scheduleId}/runs`, 'POST'), /402/);
    await told(1);
    await sql`UPDATE accounts SET credits = NULL WHERE id = ${account.id}`.execute(db);
    const { rows } = await sql<{ id: string }>`
      INSERT INTO accounts (email, name) VALUES ('guest@example.com', 'Ana') RETURNING id`.execute(db);
    await sql`
      INSERT INTO guest_accounts (id, host_id, invitation_hash, max_usage, guest_id, accepted_at)
      VALUES ('GAAAAAAAA1', ${account.id}, '\\x00', 5, ${rows[0]?.id}, now())`.execute(db);
    for (const credits of [3, 1, 1]) {
      await db.transaction().execute((trx) => takeAccountCredits(trx, rows[0]?.id ?? '', credits, 'checks'));
    }
    await told(2);
    const [credits, guest] = receiver.received.map(({ body }) => body);
    assert.deepEqual(
      [credits.type, credits.data.payer, credits.data.schedule.id],
      ['schedule.out_of_credits', 'account', scheduleId],
    );
    assert.deepEqual(
      [guest.type, guest.data.guest],
      ['guest.near_limit', { id: 'GAAAAAAAA1', name: 'Ana', current_usage: 4, max_usage: 5 }],
    );
  });
});

it('are not sent to private networks unless they are allowed', async () => {
  const guarded = await startTestApp({ SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'false' });
  receiver.received.length = 0;
  try {
    guarded.app.startNotifying({ takesMail: true });
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
