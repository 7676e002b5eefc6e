import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type MailServer, type ReceivedEmail, startMailServer } from '../helpers/mail-server.ts';
import { runSchedule } from '../helpers/notified.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Channels of the kind `email`: a real service, a real SMTP server, and a site that gets worse. */

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Page</h1>${body}<a href="/two">Two</a></body></html>`;

let service: TestApp;
let site: TestSite;
let server: MailServer;
let content = page('<p>Fine</p>');
let scheduleId: string;
let own: string;

before(async () => {
  site = await startTestSite({
    '/': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(content),
    '/two': page('<p>Two</p>'),
  });
  server = await startMailServer();
  service = await startTestApp(
    {
      SITEWARDEN_SMTP_URL: server.url,
      SITEWARDEN_MAIL_FROM: 'Site checks <checks@example.com>',
    },
    {},
    WITHOUT_BROWSER,
  );
  service.app.startNotifying({ takesEmails: true });
  const attributes = { starting_url: `${site.origin}/`, periodicity: { every: 'deploy' }, rate_limit: 50 };
  scheduleId = (await service.ask('/schedules', 'POST', attributes)).data.id;
  own = (await service.ask('/account')).data.attributes.email;
});
after(async () => {
  await service?.close();
  await server?.stop();
  await site?.stop();
});
beforeEach(async () => {
  await service.app.db.deleteFrom('notification_channels').execute();
  server.emails.length = 0;
  server.refuseWith = null;
});

const createChannel = async (attributes: object = {}): Promise<Item> =>
  (await service.ask('/notification_channels', 'POST', { kind: 'email', email: own, ...attributes })).data;
const stateOf = async (channel: Item): Promise<Item['attributes']> =>
  (await service.ask(`/notification_channels/${channel.id}`)).data.attributes;
const lastDelivery = async (channel: Item): Promise<Item['attributes']> =>
  (await service.all(`/notification_channels/${channel.id}/deliveries`))[0]?.attributes;
const told = async (count: number): Promise<ReceivedEmail> => {
  await until(() => server.emails.length >= count);
  return server.emails[count - 1] as ReceivedEmail;
};
const linkIn = ({ mail }: ReceivedEmail, link: string): string =>
  new RegExp(`http://[^\\s]+/notifications/[^\\s]+/${link}/[\\w-]+`).exec(mail.text ?? '')?.[0] ?? '';
const run = (html: string): Promise<string> => {
  content = html;
  return runSchedule(service, scheduleId);
};

describe('emails', () => {
  it('say what is new and fixed, what to fix first, and where the report is', async () => {
    await createChannel();
    await run(page('<p>Fine</p><font>Old</font>'));
    const id = await run(page('<p><img src="a.png"> &amp; <i>loud</i></p><center>New</center>'));
    const { mail, recipients } = await told(1);
    assert.deepEqual(recipients, [own]);
    assert.deepEqual([mail.from?.name, mail.from?.address], ['Site checks', 'checks@example.com']);
    const { host } = new URL(site.origin);
    const { origin } = new URL(service.api);
    assert.equal(mail.subject, `${host} got worse: 2 new errors, did not pass`);
    const text = (mail.text ?? '').replaceAll('\r\n', '\n');
    assert.match(
      text,
      /^127\.0\.0\.1:\d+ got worse: 2 new errors, did not pass\n\nPassing pages: 1 of 2\. Errors: 2\. Warnings: 0\. Need review: 0\./,
    );
    assert.match(text, /\nSince the last report: 2 new, 1 fixed\.\n/);
    assert.match(
      text,
      /\n\nNew since the last report:\n- [^\n]+ \(error, 1 new on 1 page\)\. People who use a screen reader [^\n]+\.\n- /,
    );
    assert.match(text, /\n\nFixed since the last report:\n- [^\n]*font[^\n]* \(error, 1 fixed, was on 1 page\)\n/);
    assert.match(text, /\n\nFix first:\n- [^\n]+\n- [^\n]*; 1 → 2 of \d pages pass\)\n/);
    assert.ok(text.includes(`\n\nView report: ${origin}/reports/${id}\n`), text);
    const reason = `a user of ${new URL(origin).host} added this address to their notifications`;
    assert.ok(text.includes(`\n-- \nYou received this email because ${reason}.`), text);
    assert.ok(mail.html?.includes(`<a href="${origin}/reports/${id}">View report</a>`));
    assert.ok(!/<img|<script|<link|style>|src=/.test(mail.html ?? ''));
    assert.match(mail.html ?? '', /&lt;img&gt;|“img”|img/);
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    assert.equal(header('list-unsubscribe'), `<${linkIn({ mail } as ReceivedEmail, 'stop')}>`);
    assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    assert.equal(header('auto-submitted'), 'auto-generated');
  });

  it('say how many new issues and fixes they do not list', async () => {
    await createChannel({ events: ['report.finished'] });
    const old = ['big', 'tt', 'strike', 'marquee', 'acronym', 'nobr'];
    const id = await run(page(old.map((name) => `<p><${name}>Old</${name}>`).join('')));
    const text = ((await told(1)).mail.text ?? '').replaceAll('\r\n', '\n');
    const { origin } = new URL(service.api);
    const rest = (count: number, path: string): string => `- and ${count} more\n  ${origin}/reports/${path}\n`;
    assert.ok(text.includes(rest(old.length - 5, `${id}/changes`)), text);
    assert.ok(text.includes(rest(old.length - 3, id)), text);
  });

  it('go to other addresses only when the recipient wants them, and end when the recipient ends them', async () => {
    const channel = await createChannel({ email: 'Client@example.net', name: 'BUY NOW' });
    assert.deepEqual([channel.attributes.status, channel.attributes.target], ['unconfirmed', 'Client@example.net']);
    const question = await told(1);
    assert.equal(question.mail.subject, 'Confirm your email address for sitewarden');
    assert.deepEqual(question.recipients, ['Client@example.net']);
    assert.ok(!question.source.includes('BUY NOW'));
    // It was lost, an hour ago.
    const again = `/notification_channels/${channel.id}/confirmation`;
    await until(async () => (await lastDelivery(channel)).status === 'delivered');
    await assert.rejects(service.ask(again, 'POST'), /429.*Try again in 60 minutes/);
    await sql`UPDATE notification_deliveries SET inserted_at = now() - interval '61 minutes'`.execute(service.app.db);
    await service.ask(again, 'POST');
    const repeated = await told(2);
    assert.equal(linkIn(repeated, 'confirm'), linkIn(question, 'confirm'));
    server.emails.length = 1;
    const test = `/notification_channels/${channel.id}/test`;
    await assert.rejects(service.ask(test, 'POST'), /409.*has not been confirmed/);

    const confirm = linkIn(question, 'confirm');
    // Virus scanners open links: that confirms nothing.
    const asked = await fetch(confirm);
    assert.match(await asked.text(), /<form method="post"><button>Confirm address<\/button>/);
    assert.match(asked.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/);
    assert.equal((await stateOf(channel)).status, 'unconfirmed');
    const wrong = await fetch(confirm.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace('confirm', 'stop'));
    assert.equal(wrong.status, 404);
    assert.equal((await fetch(confirm, { method: 'POST' })).status, 200);
    assert.equal((await stateOf(channel)).status, 'working');
    await service.ask(test, 'POST');
    const tested = await told(2);
    assert.equal(tested.mail.subject, 'Test of the notification channel BUY NOW');

    const stop = linkIn(tested, 'stop');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const stopped = await fetch(stop, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' });
    assert.equal(stopped.status, 200);
    const { status, error_code: code } = await stateOf(channel);
    assert.deepEqual([status, code], ['unconfirmed', 'recipient_stopped']);
    await service.ask(`/notification_channels/${channel.id}`, 'PATCH', { active: false });
    await service.ask(`/notification_channels/${channel.id}`, 'PATCH', { active: true });
    assert.equal((await stateOf(channel)).status, 'unconfirmed');
  });

  it('are tried again when the server was unavailable, and are not lost', async () => {
    const channel = await createChannel({ events: ['report.finished'] });
    await server.stop();
    await run(page('<p>Fine</p>'));
    await until(async () => (await stateOf(channel)).status === 'failing');
    const { error_code: code, error } = await stateOf(channel);
    assert.equal(code, 'mail_server_unreachable');
    // The address of the mail server is only for the operator.
    assert.doesNotMatch(error, /127\.0\.0\.1|ECONN/);
    assert.ok(
      service.logLines.some((line) => /Could not reach the mail server/.test(line) && /ECONNREFUSED/.test(line)),
    );
    // However long it lasts, the channel is not paused.
    await sql`UPDATE notification_channels SET failing_since = now() - interval '9 days'`.execute(service.app.db);
    await sql`UPDATE notification_deliveries SET next_attempt_at = now()`.execute(service.app.db);
    // While an attempt runs, the next one is due in two minutes. The pause after the first attempt may have passed before.
    const ended = sql`SELECT FROM notification_deliveries WHERE attempts >= 2
      AND (next_attempt_at < now() + interval '90 seconds' OR next_attempt_at > now() + interval '2 minutes')`;
    await until(async () => (await ended.execute(service.app.db)).rows.length === 1);
    await server.start();
    await sql`UPDATE notification_deliveries SET next_attempt_at = now()`.execute(service.app.db);
    await told(1);
    await until(async () => (await stateOf(channel)).status === 'working');
    assert.equal((await lastDelivery(channel)).status, 'delivered');
  });

  it('notify the account that its only channel was paused', async () => {
    const closed = { kind: 'webhook', name: 'Deploys', webhook_url: `${site.origin}/gone`, email: undefined };
    const channel = await createChannel({ ...closed, events: ['report.finished'] });
    await run(page('<p>Fine</p>'));
    await until(async () => (await lastDelivery(channel))?.attempts >= 1);
    await sql`UPDATE notification_channels SET failing_since = now() - interval '4 days'`.execute(service.app.db);
    await sql`UPDATE notification_deliveries SET attempts = 9, next_attempt_at = now()`.execute(service.app.db);
    const { mail, recipients } = await told(1);
    assert.deepEqual(recipients, [own]);
    assert.equal(mail.subject, 'The notification channel Deploys was paused');
    assert.equal((await stateOf(channel)).status, 'paused');
  });

  it('that a server refuses for good are not tried again, and others are', async () => {
    const channel = await createChannel({ events: ['report.finished'] });
    server.refuseWith = 450;
    await run(page('<p>Fine</p>'));
    await until(async () => (await lastDelivery(channel))?.error_code === 'mail_refused');
    const later = await lastDelivery(channel);
    assert.deepEqual(
      [later.status, later.error],
      ['pending', 'The mail server rejected the email: 450 No such mailbox.'],
    );
    server.refuseWith = 550;
    await sql`UPDATE notification_deliveries SET next_attempt_at = now()`.execute(service.app.db);
    await until(async () => (await lastDelivery(channel)).status === 'failed');
    assert.ok((await lastDelivery(channel)).attempts > later.attempts);
  });
});
