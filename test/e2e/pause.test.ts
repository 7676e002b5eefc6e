import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { announceWork } from '../../src/store/work-topics.ts';
import { GOOD, type Notified, startNotified } from '../helpers/notified.ts';
import { runHere } from '../helpers/run-here.ts';
import { until } from '../helpers/until.ts';

/** While an installation is paused, nothing is requested, checked or sent. Afterwards, all of that happens. */

let notified: Notified;
before(async () => {
  notified = await startNotified();
});
after(() => notified?.stop());

const run = (command: string) => runHere([command], notified.service.environment);

test('a paused installation requests, checks and sends nothing until it is resumed', async () => {
  const { service, site, receiver, scheduleId, createChannel, told, stateOf } = notified;
  const { db } = service.app;
  service.app.startTimedWork();
  const channel = await createChannel();
  const reportId = await notified.run(GOOD);
  await told(1);
  const [page] = await service.all(`/reports/${reportId}/web_pages`);
  const hook: string = (await service.ask(`/schedules/${scheduleId}`)).data.attributes.deploy_hook_url;

  const paused = await run('pause');
  assert.match(paused.stdout, /^Paused\. To continue, run {2}\S.* resume\n$/);
  assert.equal((await run('pause')).stdout, 'Already paused.\n');
  await until(() => service.logLines.some((line) => line.includes('Paused: schedules')));
  const refusal = /503 .*"paused"/;
  const report = { starting_url: `${site.origin}/` };
  await assert.rejects(service.ask('/reports', 'POST', report), refusal);
  await assert.rejects(service.ask(`/schedules/${scheduleId}/runs`, 'POST'), refusal);
  const { siteId } = await service.app.db.selectFrom('reports').select('site_id as siteId').executeTakeFirstOrThrow();
  await assert.rejects(service.ask(`/sites/${siteId}/login_tests`, 'POST', {}), refusal);
  const call = await fetch(hook, { method: 'POST' });
  assert.deepEqual([call.status, call.headers.get('retry-after')], [503, '60']);
  const ready = await (await fetch(`${new URL(service.api).origin}/health/ready`)).json();
  assert.equal(Object(ready).paused, true);
  assert.equal((await service.ask('/installation')).data.attributes.paused, true);

  // These wait, even if a process starts in the meantime.
  const requests = site.requests.length;
  await service.ask(`/notification_channels/${channel.id}/test`, 'POST');
  await service.ask(`/reports/${reportId}/web_pages/${page?.id}`, 'PATCH', { status: 'pending' });
  const daily = { ...report, periodicity: { every: 'day' } };
  const { id: dailyId } = (await service.ask('/schedules', 'POST', daily)).data;
  await sql`UPDATE schedules SET next_run_at = now() - interval '1 hour' WHERE id = ${dailyId}`.execute(db);
  await service.restart(async () => undefined);
  service.app.startTimedWork();
  service.app.startNotifying({ takesEmails: true });
  await announceWork(service.app.db, ['crawl', 'html', 'schedule', 'notifications']);
  await delay(500);
  const runs = () => service.app.db.selectFrom('reports').select('id').where('schedule_id', '=', dailyId).execute();
  assert.deepEqual([receiver.received.length, site.requests.length, (await runs()).length], [1, requests, 0]);

  assert.equal((await run('resume')).stdout, 'Resumed.\n');
  assert.equal((await run('resume')).stdout, 'This installation is not paused.\n');
  await until(async () => (await runs()).length === 1);
  const [daily1] = await runs();
  assert.equal((await service.finished(daily1?.id ?? '')).attributes.status, 'finished');
  await until(() => receiver.received.some(({ body }) => body.type === 'test'));
  await until(async () => {
    const pending = await sql`SELECT FROM checks WHERE status = 'pending'`.execute(service.app.db);
    return pending.rows.length === 0;
  });
  assert.equal((await stateOf(channel)).status, 'working');
  const audited = await service.app.db
    .selectFrom('audit_log')
    .select('action')
    .where('actor', '=', 'command')
    .execute();
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['pause', 'resume'],
  );
});
