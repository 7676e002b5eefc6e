import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { takeAccountCredits } from '../../src/store/credits/credits.ts';
import { BAD, GOOD, type Notified, pageWith, runSchedule, startNotified } from '../helpers/notified.ts';
import type { Received } from '../helpers/receiver.ts';
import { runHere } from '../helpers/run-here.ts';

/** What channels report about reports and schedules. */

const typesOf = (received: readonly Received[]): string[] => received.map(({ body }) => body.type).sort();

let notified: Notified;
before(async () => {
  notified = await startNotified();
});
after(() => notified?.stop());
beforeEach(() => notified.reset());

describe('notifications', () => {
  it('report the end of reports and what got worse, signed, once', async () => {
    const { service, site, receiver, scheduleId, createChannel, run, told, deliveriesOf, stateOf } = notified;
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
    assert.match(report.new_issues[0].effect_on_visitors, /browsers still support this outdated code/);
    assert.match(report.fixes[0].message, /font/);
    const [delivery] = (await deliveriesOf(channel)).filter(({ id }) => id === worse.headers['webhook-id']);
    const { event, status, attempts, http_status: answer } = delivery?.attributes ?? {};
    assert.deepEqual([event, status, attempts, answer], ['schedule.got_worse', 'delivered', 1, 204]);
    assert.equal((await stateOf(channel)).status, 'working');

    // Fixes are reported, and are not worse.
    await run(GOOD);
    await told(5);
    const fixed = receiver.received.at(-1)?.body;
    assert.deepEqual([fixed.type, fixed.data.report.change.fixed], ['report.finished', 1]);
    assert.match(fixed.data.report.fixed_issues[0].message, /font/);
  });

  it('are sentences for Slack and Teams, in which a site can neither mention people nor link', async () => {
    const { service, site, receiver, createChannel, run, told, deliveriesOf } = notified;
    await run(GOOD);
    const events = ['report.finished', 'schedule.got_worse'];
    const channel = await createChannel({ kind: 'slack', webhook_url: `${receiver.origin}/slack`, events });
    await createChannel({ kind: 'teams', webhook_url: `${receiver.origin}/teams`, events: ['schedule.got_worse'] });
    const id = await run(pageWith('<p id="<!channel> [a](http://evil.test) \u202E">Fine</p>'));
    await told(2);
    const deliveries = await deliveriesOf(channel);
    assert.deepEqual(
      deliveries.map(({ attributes }) => attributes.event),
      ['schedule.got_worse'],
      'one message about a report',
    );
    const bodyAt = (path: string) => receiver.received.find((message) => message.path === path)?.body;
    const link = `${new URL(service.api).origin}/reports/${id}`;
    const { host } = new URL(site.origin);
    const slack = bodyAt('/slack');
    const title = `${host} got worse: 1 new error, no longer passes`;
    assert.equal(slack.text, title);
    const texts = slack.blocks.map((block: { text: { text: string } }) => block.text.text);
    assert.match(
      texts[0],
      /^\*127\.0\.0\.1:\d+ got worse: .*\*\nPassing pages: 0 of 1\. Errors: 1\. Warnings: 0\. Need review: 0\.\nSince the last report: 1 new\.\nRuns of the schedule fail on errors of any check; this run has 1\.\nThe starting page has no links/,
    );
    assert.match(
      texts[1],
      /^\*New since the last report\*\n• .*&lt;!channel&gt;.* \(error, 1 new on 1 page\)\. [^(]+\.$/,
    );
    assert.match(texts[2], /^\*Fix first\*\n• .*; 0 → 1 of \d pages? pass(es)?\)$/);
    assert.equal(texts[3], `<${link}|View report>`);
    // Otherwise Slack turns similar text into links and mentions.
    assert.ok(slack.blocks.every(({ text }: { text: { verbatim: boolean } }) => text.verbatim));
    assert.doesNotMatch(texts.join(''), /\u202E/);
    const card = bodyAt('/teams').attachments[0];
    assert.equal(card.contentType, 'application/vnd.microsoft.card.adaptive');
    assert.deepEqual(card.content.actions, [{ type: 'Action.OpenUrl', title: 'View report', url: link }]);
    assert.equal(card.content.body[0].inlines[0].text, title);
    assert.ok(card.content.body.every(({ type }: { type: string }) => type === 'RichTextBlock'));
    assert.ok(JSON.stringify(card.content.body).includes('<!channel> [a](http://evil.test)'));
  });

  it('report only the end of a first run, and of the first run with another fail_on', async () => {
    const { service, site, receiver, createChannel, show, told } = notified;
    await createChannel();
    show(BAD);
    const definition = { starting_url: `${site.origin}/?first`, periodicity: { every: 'deploy' }, deep_crawl: false };
    const { id } = (await service.ask('/schedules', 'POST', { ...definition, fail_on: 'error' })).data;
    await runSchedule(service, id);
    await service.ask(`/schedules/${id}`, 'PATCH', { fail_on: 'never' });
    await runSchedule(service, id);
    await service.ask(`/schedules/${id}`, 'PATCH', { fail_on: 'warning' });
    await runSchedule(service, id);
    show(GOOD);
    await runSchedule(service, id);
    show(BAD);
    const worse = await runSchedule(service, id);
    await told(6);
    const messages = receiver.received.map(({ body }) => body);
    assert.equal(messages.filter(({ type }) => type === 'report.finished').length, 5);
    const got = messages.filter(({ type }) => type === 'schedule.got_worse');
    assert.deepEqual(
      got.map(({ data }) => [data.report.id, data.reasons]),
      [[worse, ['new_errors', 'fail_on']]],
    );
  });

  it('report failed reports, and only for the schedules that a channel is limited to', async () => {
    const { service, site, receiver, scheduleId, createChannel, run, told, show } = notified;
    await createChannel();
    await createChannel({ webhook_url: `${receiver.origin}/limited`, schedule_ids: [scheduleId] });
    show('');
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
    assert.match(report.crawl_error, /^The starting URL could not be checked\. The page returned 500/);
  });

  it('are not sent about reports that `check` deletes', async () => {
    const { service, site, receiver, createChannel, told, show, deliveriesOf } = notified;
    const channel = await createChannel();
    const check = (...options: string[]) =>
      runHere(['check', `${site.origin}/`, '--no-a11y', '--fail-on', 'never', ...options], service.environment);
    show('');
    assert.equal((await check()).status, 3);
    show(BAD);
    assert.equal((await check()).status, 0);
    const { stdout } = await check('--keep');
    await told(1);
    const { type, data } = receiver.received[0]?.body ?? {};
    assert.deepEqual([type, data.report.id], ['report.finished', /^Report (\S+) was saved/m.exec(stdout)?.[1]]);
    assert.equal((await deliveriesOf(channel)).length, 1);
  });

  it('report that credits have run out, for schedules and guests', async () => {
    const { service, receiver, scheduleId, createChannel, told } = notified;
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
