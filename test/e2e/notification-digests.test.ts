import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type Receiver, startReceiver } from '../helpers/receiver.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Channels with a digest get everything since the last one in one message. */

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Page</h1>${body}</body></html>`;
const EVENTS = ['report.finished', 'report.failed', 'schedule.got_worse'];

let service: TestApp;
let site: TestSite;
let server: MailServer;
let receiver: Receiver;
let content: string | null = page('<p>Fine</p>');
let schedules: string[] = [];

before(async () => {
  const serve = (_: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(content === null ? 500 : 200, { 'content-type': 'text/html' }).end(content);
  };
  site = await startTestSite({ '/a': serve, '/b': page('<p>Always fine</p>') });
  server = await startMailServer();
  receiver = await startReceiver();
  service = await startTestApp(
    {
      SITEWARDEN_SMTP_URL: server.url,
      SITEWARDEN_MAIL_FROM: 'checks@example.com',
      SITEWARDEN_BASE_URL: 'http://127.0.0.1:8642',
    },
    {},
    WITHOUT_BROWSER,
  );
  service.app.startNotifying({ takesEmails: true });
  schedules = [];
  for (const path of ['/a', '/b']) {
    const attributes = { starting_url: site.origin + path, periodicity: { every: 'deploy' }, deep_crawl: false };
    schedules.push((await service.ask('/schedules', 'POST', attributes)).data.id);
  }
});
after(async () => {
  await service?.close();
  await receiver?.stop();
  await server?.stop();
  await site?.stop();
});

/** A night: every schedule runs. */
async function night(html: string | null): Promise<string[]> {
  content = html;
  const ids: string[] = [];
  for (const schedule of schedules) ids.push((await service.ask(`/schedules/${schedule}/runs`, 'POST')).data.id);
  for (const id of ids) await service.finished(id);
  await until(async () => {
    const { rows } = await sql`SELECT FROM reports WHERE insights_pending`.execute(service.app.db);
    return rows.length === 0;
  });
  return ids;
}

const deliveriesOf = (channel: Item): Promise<Item[]> => service.all(`/notification_channels/${channel.id}/deliveries`);
const morning = () =>
  sql`UPDATE notification_channels SET next_digest_at = now() WHERE digest = 'daily'`.execute(service.app.db);

describe('digests', () => {
  it('are one message for a night, worst first, and none for a night without events', async () => {
    const { email } = (await service.ask('/account')).data.attributes;
    const daily = { digest: 'daily', digest_hour: 6, time_zone: 'Europe/Berlin', events: EVENTS };
    const mail = (await service.ask('/notification_channels', 'POST', { kind: 'email', email, ...daily })).data;
    const webhook = { kind: 'webhook', webhook_url: `${receiver.origin}/in`, ...daily };
    const hook = (await service.ask('/notification_channels', 'POST', webhook)).data;
    assert.match(mail.attributes.next_digest_at, /T0[45]:00:00$/);

    await night(page('<p>Fine</p>'));
    const [worse, fine] = await night(page('<font>New</font>'));
    const held = await deliveriesOf(mail);
    assert.deepEqual(held.map(({ attributes: { event, status } }) => `${event} ${status}`).sort(), [
      ...Array<string>(4).fill('report.finished held'),
      'schedule.got_worse held',
    ]);
    assert.deepEqual([server.emails.length, receiver.received.length], [0, 0]);

    await morning();
    await until(() => server.emails.length === 1 && receiver.received.length === 1);
    const [digest] = server.emails;
    assert.equal(digest?.mail.subject, 'Summary: 1 site got worse');
    const text = (digest?.mail.text ?? '').replaceAll('\r\n', '\n');
    const address = new URL(site.origin).host;
    assert.match(text, /\n4 reports since the last summary\.\n\nNeeds attention:\n- /);
    assert.ok(text.includes(`- ${address}/a got worse: 1 new error, no longer passes. Fix first: `), text);
    assert.ok(text.includes(`\n  http://127.0.0.1:8642/reports/${worse}\n`), text);
    assert.ok(
      text.includes(`\n- ${address}/b has no errors on 1 page\n  http://127.0.0.1:8642/reports/${fine}\n`),
      text,
    );
    const { type, data } = receiver.received[0]?.body ?? {};
    assert.deepEqual([type, data.events.length, data.omitted], ['digest', 5, 0]);
    for (const channel of [mail, hook]) {
      await until(async () =>
        (await deliveriesOf(channel)).every(({ attributes }) => attributes.status === 'delivered'),
      );
    }

    // A digest without events is not sent, and the next one is due tomorrow.
    await morning();
    const next = async () => (await service.ask(`/notification_channels/${mail.id}`)).data.attributes.next_digest_at;
    await until(async () => new Date(`${await next()}Z`).getTime() > Date.now());
    assert.equal((await deliveriesOf(mail)).length, 6);

    // Without a digest, pending events are sent at once.
    await night(null);
    await service.ask(`/notification_channels/${hook.id}`, 'PATCH', { digest: 'none' });
    await until(() => receiver.received.length === 3);
    const types = receiver.received.slice(1).map(({ body }) => body.type);
    assert.deepEqual(types.sort(), ['report.failed', 'report.finished']);
    assert.equal(server.emails.length, 1);
  });
});
