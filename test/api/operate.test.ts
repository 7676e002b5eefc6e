import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { applyNextBatch } from '../../src/reports/apply-mutings.ts';
import { deleteByRule, deleteByRules } from '../../src/reports/apply-retention.ts';
import { endNextAccount } from '../../src/reports/end-accounts.ts';
import { fireSchedule, runDueSchedule } from '../../src/schedules/run-schedule.ts';
import { makeOperator } from '../../src/store/accounts/account-states.ts';
import { allActions } from '../../src/store/accounts/audit-log.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { payerOfReport } from '../../src/store/credits/credits.ts';
import { recordWorker } from '../../src/store/living-workers.ts';
import { claimDelivery } from '../../src/store/notifications/notification-deliveries.ts';
import { purgeBatch } from '../../src/store/reports/deletion.ts';
import { measureSize } from '../../src/store/reports/report-sizes.ts';
import { longestDue } from '../../src/store/schedules/schedules.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { followEvents } from '../helpers/event-client.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { inviteGuest } from '../helpers/people.ts';
import { rowCounts } from '../helpers/row-counts.ts';
import { seedDocument, seedReport } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { PASSWORD, visit } from '../helpers/visitor.ts';

const ACCOUNTS = '/api/v1/operator/accounts';
const log = pino({ level: 'silent' });

describe('operating an installation', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await makeOperator(api.db, api.people.ownerId, true);
  });
  after(() => api?.close());

  const change = (method: string, path: string, attributes?: object) =>
    api.send(method, path, attributes && { attributes });
  const namesOf = async (query: string) =>
    (await api.walk(`${ACCOUNTS}${query}`)).map(({ attributes }) => attributes.name);

  /** Does everything that processes do in the background. */
  const finish = async (): Promise<void> => {
    while ((await endNextAccount(api.db)) || (await purgeBatch(api.db)) || (await applyNextBatch(api.db)));
  };

  test('an operator sees the queue, the processes, what accounts use, failing channels and slow sites', async () => {
    const { strangerId } = api.people;
    const values = await seedOneOfEach(api.db, { accountId: strangerId });
    await measureSize(api.db, String(values['report_id']));
    await sql`UPDATE notification_channels SET active = false, paused_at = now(), failing_since = now(),
      last_error = '{"code": "no_host", "params": {}}'`.execute(api.db);
    await sql`UPDATE reports SET status = 'finished', finished_at = now(), first_finished_at = now(),
      inserted_at = now() - interval '1 minute'`.execute(api.db);
    await recordWorker(api.db, 9, { host: 'checks-1', pid: 7, version: '1.2.3', command: 'work', engines: ['html'] });

    const { attributes } = (await api.get('/api/v1/operator')).document.data;
    assert.deepEqual(
      attributes.queue.map(({ engine }: { engine: string }) => engine),
      ['html', 'a11y', 'link'],
    );
    assert.equal(attributes.reports.finished, 1);
    assert.ok(attributes.database_bytes > 1_000_000);
    assert.deepEqual([attributes.backups, attributes.failing_channels], [false, 1]);
    const [worker] = await api.walk('/api/v1/operator/workers');
    assert.deepEqual([worker?.attributes.host, worker?.attributes.running], ['checks-1', false]);
    const [channel] = await api.walk('/api/v1/operator/channels');
    assert.equal(channel?.attributes.account.email, 'stranger@example.com');
    const [site] = await api.walk('/api/v1/operator/slow_sites');
    assert.deepEqual([site?.attributes.num_reports, Math.round(site?.attributes.seconds)], [1, 60]);
    const [biggest] = await api.walk(`${ACCOUNTS}?sort=bytes-desc`);
    assert.deepEqual([biggest?.id, biggest?.attributes.num_reports], [strangerId, 1]);
    assert.ok(biggest?.attributes.bytes > 1_000, 'what the report takes up');
    assert.deepEqual(await namesOf('?filter[text]=STRANGER@'), ['Stranger']);
    assert.deepEqual(await namesOf('?sort=email'), ['Free', 'Guest', 'Owner', 'Stranger']);
    await change('PATCH', `${ACCOUNTS}/${strangerId}`, {});
    const [entry] = await api.walk('/api/v1/operator/audit_log');
    assert.equal(entry?.attributes.action, 'PATCH /operator/accounts/{account_id}');
  });

  test('an operator creates an account, whose link sets its password once', async () => {
    const create = (attributes: object) => change('POST', ACCOUNTS, attributes);
    const { status, document } = await create({ email: ' grace@example.com ', name: 'Grace' });
    const { email, name, status: state, last_used_at: used, sign_in_url: url } = document.data.attributes;
    assert.deepEqual([status, email, name, state, used], [201, 'grace@example.com', 'Grace', 'active', null]);
    assert.equal('sign_in_url' in (await api.get(`${ACCOUNTS}/${document.data.id}`)).document.data.attributes, false);
    const [entry] = await api.walk(`/api/v1/operator/audit_log?filter[text]=${document.data.id}`);
    const { action, account_id: concerned, actor_account_id: by } = entry?.attributes ?? {};
    assert.deepEqual([action, concerned, by], ['POST /operator/accounts', document.data.id, api.people.ownerId]);
    const once = { attributes: { email: 'ida@example.com' }, headers: { 'idempotency-key': 'ida' } };
    const [first, repeated] = [await api.send('POST', ACCOUNTS, once), await api.send('POST', ACCOUNTS, once)];
    assert.deepEqual(repeated.document, first.document);
    const { id: ida } = first.document.data;
    const entries = await api.walk(`/api/v1/operator/audit_log?filter[text]=${ida}`);
    assert.deepEqual(
      entries.map(({ attributes: { account_id: of } }) => of),
      [ida, ida],
    );
    assert.deepEqual((await create({ email: 'Grace@example.com' })).errors, ['409 conflict']);
    assert.deepEqual((await create({ email: 'grace' })).errors, ['422 invalid /data/attributes/email']);
    const browser = visit(api);
    const { pathname } = new URL(url);
    assert.equal((await browser.send('POST', `/auth${pathname}`, { password: PASSWORD })).status, 200);
    assert.equal((await browser.send('POST', `/auth${pathname}`, { password: PASSWORD })).status, 404);
    const lastUse = async () =>
      (await api.get(`${ACCOUNTS}/${document.data.id}`)).document.data.attributes.last_used_at;
    const before = await lastUse();
    await browser.send('POST', '/auth/sign-out');
    assert.ok((await lastUse()) >= before, 'also after the only session has ended');
    assert.equal((await change('DELETE', `${ACCOUNTS}/${document.data.id}`)).status, 204);
    await finish();
  });

  test('the last operator stays one, and can be used', async () => {
    const { ownerId, freeId } = api.people;
    const own = `${ACCOUNTS}/${ownerId}`;
    for (const refused of [
      await change('PATCH', own, { operator: false }),
      await change('POST', `${own}/disable`),
      await change('DELETE', own),
    ])
      assert.deepEqual(refused.errors, ['409 conflict']);
    assert.equal((await change('PATCH', `${ACCOUNTS}/${freeId}`, { operator: true })).status, 200);
    assert.equal((await change('PATCH', own, { operator: false })).document.data.attributes.operator, false);
    assert.deepEqual((await api.get('/api/v1/operator')).errors, ['403 forbidden']);
    const restored = await api.send('PATCH', own, { token: api.people.free, attributes: { operator: true } });
    assert.equal(restored.status, 200);
    assert.equal((await change('PATCH', `${ACCOUNTS}/${freeId}`, { operator: false })).status, 200);

    const entries = await api.walk('/api/v1/operator/audit_log?filter[action]=operator%20ROLE&filter[text]=free@');
    const shown = entries.map(({ attributes: { action, actor, ...of } }) => [
      action.split(': ')[1],
      ...[actor, of.account_id, of.actor_account_id, of.path],
    ]);
    const others = ['api_token', freeId, ownerId, `/operator/accounts/${freeId}`];
    assert.deepEqual(shown, [
      ['revoke operator role', ...others],
      ['grant operator role', 'api_token', ownerId, freeId, `/operator/accounts/${ownerId}`],
      ['grant operator role', ...others],
    ]);
    const written = await Array.fromAsync(allActions(api.db, freeId));
    const roles = written.filter(({ action }) => action.endsWith('operator role'));
    assert.deepEqual(
      roles.map(({ account_id: of }) => of),
      [freeId, ownerId, freeId],
    );
    const [seen] = await api.walk('/api/v1/audit_log?filter[action]=revoke', api.people.free);
    const { actor_account_id: by, actor_id: client, address, request_id: request } = seen?.attributes ?? {};
    assert.deepEqual(
      [by, client, address, request],
      [ownerId, null, null, null],
      'users need not know where operators work',
    );
    // Only operators write to the audit logs of others.
    await api.send('POST', `${own}/disable`, { token: api.people.stranger });
    const [refused] = await api.walk('/api/v1/operator/audit_log');
    assert.deepEqual([refused?.attributes.status, refused?.attributes.account_id], [403, api.people.strangerId]);
  });

  test('a disabled account cannot be used in any way, until it is enabled', async () => {
    const host = await createAccount(api.db, { email: 'host@example.com', name: 'Host' });
    const person = await createAccount(api.db, { email: 'person@example.com', name: 'Person', plan: 'free' });
    const guestAccountId = await inviteGuest(api.db, host, person);
    const ofGuest = { account_id: person.id, guest_account_id: guestAccountId };
    const { reportId: guestReport } = await seedReport(api.db, ofGuest, [], []);
    const { token, id: tokenId } = await createToken(api.db, { accountId: host.id, scope: 'write' });
    const open = await api.send('POST', '/api/v1/guest_accounts', { token, attributes: { max_usage: 1 } });
    const invitation = new URL(open.document.data.attributes.invitation_url).pathname;
    const stateOfInvitation = async () => (await api.send('GET', `/auth${invitation}`, { token: null })).status;
    const payer = async () => (await payerOfReport(api.db, guestReport)).accountId;
    assert.deepEqual([await stateOfInvitation(), await payer()], [200, host.id]);
    const guest = await createToken(api.db, { accountId: person.id, scope: 'read' });
    await putPassword(api.db, host.id, await createPasswords().hash(PASSWORD));
    const browser = visit(api);
    await browser.signIn('host@example.com');
    const values = await seedOneOfEach(api.db, { accountId: host.id, isShared: true });
    const scheduleId = String(values['schedule_id']);
    await sql`UPDATE schedules SET next_run_at = now(), periodicity = '{"every": "day"}' WHERE id = ${scheduleId}`.execute(
      api.db,
    );
    await sql`UPDATE reports SET status = 'crawling', crawl_pending = true, finished_at = NULL
      WHERE id = ${values['report_id']}`.execute(api.db);
    await sql`UPDATE notification_deliveries SET status = 'pending', next_attempt_at = now()
      WHERE id = ${values['notification_delivery_id']}`.execute(api.db);
    const planOfGuest = async () => (await api.get('/api/v1/account', guest.token)).document.data.attributes.plan;
    assert.equal(await planOfGuest(), 'enterprise');
    const stream = await followEvents(`${api.origin}/api/v1/events`, token);

    // Disabled at another process, which does not notify this one.
    const elsewhere = testServer(api.db, {});
    const disabled = await elsewhere.inject({
      method: 'POST',
      url: `${ACCOUNTS}/${host.id}/disable`,
      headers: { authorization: `Bearer ${api.people.owner}` },
    });
    await elsewhere.close();
    assert.equal(disabled.json().data.attributes.status, 'disabled');
    assert.deepEqual((await api.get('/api/v1/account', token)).errors, ['403 account_disabled']);
    const refused = await api.send('POST', '/api/v1/reports', { token, attributes: {} });
    assert.deepEqual(refused.errors, ['403 account_disabled']);
    const [entry] = await api.walk('/api/v1/operator/audit_log');
    const { action, status, account_id: accountId, actor, actor_id: actorId } = entry?.attributes ?? {};
    assert.deepEqual(
      [action, status, accountId, actor, actorId],
      ['POST /reports', 403, host.id, 'api_token', String(tokenId)],
    );
    assert.deepEqual((await browser.get('/api/v1/account')).errors, ['401 unauthorized']);
    const again = await visit(api).send('POST', '/auth/sign-in', { email: 'host@example.com', password: PASSWORD });
    assert.deepEqual(again.errors, ['403 account_disabled']);
    assert.deepEqual((await api.get('/api/v1/share', String(values['share_secret']))).errors, ['401 invalid_token']);
    assert.deepEqual((await api.get('/api/v1/share/sites', String(values['site_share_secret']))).errors, [
      '401 invalid_token',
    ]);
    assert.equal(await planOfGuest(), 'free');
    assert.deepEqual([await stateOfInvitation(), await payer()], [404, person.id]);
    const parts = {
      db: api.db,
      clock: systemClock,
      planLimits: DEFAULT_LIMITS,
      credentialStore,
      log,
      scheduleTimeMs: 0,
    };
    const fired = fireSchedule(parts, scheduleId, String(values['hook_secret']), {
      headers: {},
      body: Buffer.alloc(0),
    });
    await assert.rejects(fired, { code: 'account_disabled' });
    assert.equal(await longestDue(api.db, 0), null);
    assert.equal(await runDueSchedule({ ...parts, onPutOff: assert.fail }, []), false);
    const claim = { seconds: 1, busy: { channels: [], accounts: [] }, takesEmails: true };
    assert.equal(await claimDelivery(api.db, claim), undefined);
    await finish();
    const report = api.db.selectFrom('reports').select('crawl_pending').where('id', '=', String(values['report_id']));
    assert.equal((await report.executeTakeFirstOrThrow()).crawl_pending, false, 'its report was stopped');
    await until(() => stream.hasEnded());

    const enabled = await change('POST', `${ACCOUNTS}/${host.id}/enable`);
    assert.deepEqual(
      [enabled.document.data.attributes.status, enabled.document.data.attributes.disabled_at],
      ['active', null],
    );
    assert.equal((await api.get('/api/v1/account', token)).status, 200);
    assert.equal(await planOfGuest(), 'enterprise');
    assert.notEqual(await claimDelivery(api.db, claim), undefined);
    await browser.signIn('host@example.com');
  });

  test('a deleted account leaves nothing but its entries in the audit log', async () => {
    await finish();
    const email = 'gone@example.com';
    const kept = ['sign_in_attempts', 'audit_log', 'api_usage', 'shared_counts'];
    const countsOf = async () => Object.entries(await rowCounts(api.db)).filter(([table]) => !kept.includes(table));
    const before = await countsOf();
    const gone = await createAccount(api.db, { email, credits: 10 });
    const { token } = await createToken(api.db, { accountId: gone.id, scope: 'write' });
    await seedOneOfEach(api.db, { accountId: gone.id, isShared: true, invitationAcceptedBy: api.people.guestId });
    const running = await seedOneOfEach(api.db, { accountId: gone.id });
    await sql`UPDATE reports SET status = 'crawling', crawl_pending = true WHERE id = ${running['report_id']}`.execute(
      api.db,
    );
    assert.equal((await change('DELETE', `${ACCOUNTS}/${gone.id}`)).status, 204);
    assert.deepEqual((await api.get('/api/v1/account', token)).errors, ['401 invalid_token']);
    assert.deepEqual((await change('POST', `${ACCOUNTS}/${gone.id}/enable`)).errors, ['404 not_found']);
    const { status } = (await api.get(`${ACCOUNTS}/${gone.id}`)).document.data.attributes;
    assert.equal(status, 'deleting', 'the link of the list works');
    const next = await createAccount(api.db, { email });
    assert.equal((await change('DELETE', `${ACCOUNTS}/${next.id}`)).status, 204);
    await finish();
    assert.deepEqual(await countsOf(), before);
    const [entry] = await api.walk(`/api/v1/operator/audit_log?filter[action]=delete&filter[text]=${gone.id}`);
    assert.equal(entry?.attributes.action, 'DELETE /operator/accounts/{account_id}');
    assert.deepEqual([entry.attributes.account_id, entry.attributes.actor_account_id], [gone.id, api.people.ownerId]);
  });
});

describe('retention', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  test('rules are previewed and refused, applied to what they do not keep, and spare what is shared', async () => {
    const { ownerId, strangerId } = api.people;
    const seed = async (days: number, parts: object = {}) => {
      const { reportId, pageIds } = await seedReport(
        api.db,
        { account_id: ownerId, ...parts },
        ['html'],
        [{ url: 'https://example.com/', checks: { html: { status: 'checked', issues: [] } } }],
      );
      await sql`UPDATE reports SET inserted_at = now() - make_interval(days => ${days}), status = 'finished',
        insights_pending = false WHERE id = ${reportId}`.execute(api.db);
      const [pageId = 0] = pageIds.values();
      await seedDocument(api.db, pageId, Buffer.from(days === 3 ? 'Only here' : 'The same in all'));
      await measureSize(api.db, reportId);
      return reportId;
    };
    const [gone, shared, baseline, second, newest] = [
      await seed(5),
      await seed(4, { shared: true }),
      await seed(3, { tags: ['Baseline'] }),
      await seed(2),
      await seed(1),
    ];
    const other = await seed(9, { account_id: strangerId });
    const ask = async (rules: readonly object[], token = api.people.owner) =>
      api.send('POST', '/api/v1/retention/previews', { token, attributes: { rules } });

    for (const rules of [
      [{}],
      [{ keep_last: 0 }],
      [{ keep_last: 1 }, { keep_days: 1 }],
      [
        { tag: 'a', keep_last: 1 },
        { tag: 'A', keep_last: 2 },
      ],
    ])
      assert.match((await ask(rules)).errors.join(), /^422 invalid \/data\/attributes\/rules/, JSON.stringify(rules));
    const outOfRange = await ask([{ keep_last: 1 }, { tag: 'a', keep_days: 40_000 }]);
    assert.deepEqual(outOfRange.errors, ['422 invalid /data/attributes/rules/1/keep_days']);
    assert.match(outOfRange.text, /"Rule 2 keep days must be/);
    const { attributes } = (await ask([{ keep_last: 2 }])).document.data;
    assert.deepEqual([attributes.num_reports, attributes.deleted[0].report_id], [1, gone]);
    assert.deepEqual(
      [attributes.kept.shared, attributes.kept.baseline, attributes.kept.newest, attributes.kept.last],
      [1, 1, 1, 1],
    );
    const { size } = (await api.get(`/api/v1/reports/${gone}`)).document.data.attributes;
    assert.ok(size.results > 100 && size.documents > 0, JSON.stringify(size));
    assert.equal(
      (await api.get(`/api/v1/reports/${second}`)).document.data.attributes.size.documents,
      0,
      'counted once',
    );
    assert.ok(
      attributes.bytes >= size.results && attributes.bytes < size.results + size.documents,
      'another report has the document',
    );
    assert.equal((await ask([])).document.data.attributes.num_reports, 0);

    const saved = await api.send('PATCH', '/api/v1/retention', { attributes: { rules: [{ keep_last: 2 }] } });
    assert.deepEqual(saved.document.data.attributes.rules, [{ keep_last: 2 }]);
    // What changes after the rules were applied counts.
    const rules = [{ keep_last: 2 }];
    for (const [id, given] of [
      [shared, rules],
      [baseline, rules],
      [newest, rules],
      [gone, [{ keep_last: 1 }]],
    ] as const)
      assert.equal(await deleteByRule(api.db, id, given), false, id);
    assert.equal(await deleteByRules({ db: api.db, clock: systemClock, log }), 1);
    const left = await api.db.selectFrom('reports').select('id').where('deleted_at', 'is', null).execute();
    assert.deepEqual(left.map(({ id }) => id).sort(), [shared, baseline, second, newest, other].sort());
    assert.equal(await deleteByRules({ db: api.db, clock: systemClock, log }), 0);
  });

  test('a schedule that a rule names stays, and a rule whose schedule is gone can be saved again', async () => {
    const values = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    const id = String(values['schedule_id']);
    const save = async (rules: readonly object[]) =>
      (await api.send('PATCH', '/api/v1/retention', { attributes: { rules } })).errors;
    const archive = { schedule_id: id, keep_yearly: 10 };
    assert.deepEqual(await save([archive, { keep_last: 12 }]), []);
    assert.deepEqual((await api.send('DELETE', `/api/v1/schedules/${id}`)).errors, ['409 conflict']);
    // Reports of other sites stay when the site is deleted.
    const { site_id: site } = await api.db
      .selectFrom('schedules')
      .select('site_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { reportId } = await seedReport(
      api.db,
      { account_id: api.people.ownerId, schedule_id: id, starting_url: 'https://elsewhere.example/' },
      [],
      [],
    );
    assert.deepEqual((await api.send('DELETE', `/api/v1/sites/${site}`)).errors, ['409 conflict']);
    await sql`UPDATE reports SET schedule_id = NULL WHERE id = ${reportId}`.execute(api.db);
    assert.equal((await api.send('DELETE', `/api/v1/sites/${site}`)).status, 204);
    assert.deepEqual(await save([archive, { keep_last: 13 }]), []);
    assert.match((await save([{ ...archive, keep_yearly: 9 }])).join(), /^422 invalid/);
    assert.deepEqual(await save([]), []);
    assert.match((await save([archive])).join(), /^422 invalid/);
  });
});
