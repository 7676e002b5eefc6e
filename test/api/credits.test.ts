import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { changeCredits, createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { createRequestCharge } from '../../src/api/http/request-rate.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { ABOUT, GONE, HOME, seedSample } from '../helpers/sample-report.ts';

const REPORTS = '/api/v1/reports';
const LEDGER = '/api/v1/credit_entries';

describe('credits', () => {
  let api: TestApi;
  let joined = 0;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** An account with a number of credits, and its token. */
  const join = async (credits: number | null) => {
    joined += 1;
    const { id } = await createAccount(api.db, { email: `person-${joined}@example.com`, credits });
    return { id, token: (await createToken(api.db, { accountId: id, scope: 'write' })).token };
  };
  const create = (token: string) => api.send('POST', REPORTS, { token, attributes: { starting_url: HOME } });
  const balance = async (token: string) => (await api.get('/api/v1/account', token)).document.data.attributes.credits;
  const amounts = async (token: string) =>
    (await api.walk(LEDGER, token)).map(({ attributes }) => [attributes.reason, attributes.amount, attributes.balance]);

  test('a report requires a credit', async () => {
    const { id, token } = await join(0);
    const reply = await create(token);
    assert.deepEqual(reply.errors, ['402 credits_exhausted']);
    assert.match(reply.document.errors[0].detail, /not enough credits left\. Ask /);
    assert.deepEqual(await api.walk(REPORTS, token), []);
    await changeCredits(api.db, id, { add: 1 });
    assert.equal((await create(token)).status, 201);
  });

  test('a guest requires credits of its host and of its own month', async () => {
    const { guest, guestAccountId, ownerId } = api.people;
    const setUsage = (usage: number) =>
      api.send('PATCH', `/api/v1/guest_accounts/${guestAccountId}`, { attributes: { current_usage: usage } });
    assert.equal(
      (await create(guest)).status,
      201,
      'the host has unlimited credits, regardless of the credits of the guest',
    );
    await setUsage(1_000);
    const reply = await create(guest);
    assert.deepEqual(reply.errors, ['402 credits_exhausted']);
    assert.match(reply.document.errors[0].detail, /for this month/);
    await setUsage(999);
    assert.equal((await create(guest)).status, 201);
    await changeCredits(api.db, ownerId, { set: 0 });
    assert.deepEqual((await create(guest)).errors, ['402 credits_exhausted']);
    await changeCredits(api.db, ownerId, { set: null });
    assert.equal((await create(guest)).status, 201);
  });

  test('the ledger is filtered by reason and report', async () => {
    const { id, token } = await join(10);
    await changeCredits(api.db, id, { add: 5 });
    await changeCredits(api.db, id, { set: 20 });
    const reasons = async (filter: string) =>
      (await api.walk(`${LEDGER}?${filter}`, token)).map(({ attributes }) => attributes.reason);
    const all = await reasons('');
    assert.deepEqual(await reasons('filter[reason]=set'), ['set']);
    assert.deepEqual(await reasons('filter[reason]=granted,set'), all);
    assert.deepEqual(await reasons('filter[reason]=checks'), []);
    assert.deepEqual(await reasons(`filter[report_id]=${id}`), [], 'no report has this id');
    const wrong = await api.get(`${LEDGER}?filter[reason]=check`, token);
    assert.deepEqual(wrong.errors, ['400 invalid_parameter filter[reason]']);
    assert.match(wrong.document.errors[0].detail, /did you mean checks\?/);
  });

  test('a re-check costs as much as checks and raw checks, all or nothing', async () => {
    const { id, token } = await join(4);
    const { reportId, pageIds } = await seedSample(api.db, { account_id: id });
    const recheck = (url: string) =>
      api.send('PATCH', `${REPORTS}/${reportId}/web_pages/${pageIds.get(url)}`, {
        token,
        attributes: { status: 'pending' },
      });
    assert.equal((await recheck(HOME)).status, 200);
    assert.equal(await balance(token), 2);
    assert.equal((await recheck(HOME)).status, 200);
    assert.equal(await balance(token), 2, 'its check was already pending');
    const page = `${REPORTS}/${reportId}/web_pages/${pageIds.get(GONE)}`;
    const before = (await api.get(page, token)).text;
    assert.deepEqual((await recheck(GONE)).errors, ['402 credits_exhausted']);
    assert.equal((await api.get(page, token)).text, before);
    assert.equal((await recheck(ABOUT)).status, 200, 'one of its checks was already pending');
    assert.equal(await balance(token), 1);
    assert.equal((await api.send('DELETE', `${REPORTS}/${reportId}`, { token })).status, 204);
    assert.equal(await balance(token), 4, 'none of them has run');
    assert.deepEqual(await amounts(token), [
      ['refund', 3, 4],
      ['checks', -3, 1],
      ['granted', 4, 4],
    ]);
  });

  test('only the owner can list the ledger, in pages, newest first', async () => {
    const { id, token } = await join(10);
    for (const change of [{ add: 5 }, { set: 2 }, { set: 2 }, { set: null }, { set: 7 }]) {
      await changeCredits(api.db, id, change);
    }
    assert.deepEqual(await amounts(token), [
      ['set', 7, 7],
      ['set', -2, null],
      ['set', -13, 2],
      ['granted', 5, 15],
      ['granted', 10, 10],
    ]);
    const { reportId, pageIds } = await seedSample(api.db, { account_id: id });
    await api.send('DELETE', `${REPORTS}/${reportId}/web_pages/${pageIds.get(HOME)}`, { token });
    await api.send('PATCH', `${REPORTS}/${reportId}/web_pages/${pageIds.get(GONE)}`, {
      token,
      attributes: { status: 'pending' },
    });
    const reply = await api.get(`${LEDGER}?page[size]=2`, token);
    assert.equal(reply.document.meta.total, 6);
    const [newest] = reply.document.data;
    assert.match(newest.id, /^[1-9]\d*$/);
    const { inserted_at: time, ...others } = newest.attributes;
    assert.deepEqual(others, { amount: -2, reason: 'checks', balance: 5, report_id: reportId });
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const ids = (await api.walk(`${LEDGER}?page[size]=2`, token)).map((item) => Number(item.id));
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    assert.deepEqual(await api.walk(LEDGER, api.people.stranger), []);
    await assertLedgerAddsUp(api.db);
  });

  test('an operator sets or adds credits, not both, and cannot add to unlimited ones', async () => {
    const { id } = await join(1);
    await assert.rejects(changeCredits(api.db, id, {}), { code: 'invalid_usage' });
    await assert.rejects(changeCredits(api.db, id, { set: 1, add: 1 }), { code: 'invalid_usage' });
    assert.equal(await changeCredits(api.db, id, { set: null }), null);
    await assert.rejects(changeCredits(api.db, id, { add: 1 }), { code: 'invalid_usage' });
    await Promise.all([1, 2, 3].map((add) => changeCredits(api.db, api.people.freeId, { add }).catch(() => null)));
    await assertLedgerAddsUp(api.db);
  });

  test('a thousand API requests cost a credit, whichever processes serve them', async () => {
    const { id, token } = await join(3);
    const log = pino({ level: 'silent' });
    const [one, two] = [createRequestCharge(api.db, log), createRequestCharge(api.db, log)];
    for (let count = 0; count < 1_500; count += 1) one.count(id);
    await Promise.all([one.flush(), one.flush()]);
    assert.equal(await balance(token), 2);
    // Fractions of a credit are kept, even across a restart.
    await one.close();
    for (let count = 0; count < 500; count += 1) two.count(id);
    await two.close();
    assert.equal(await balance(token), 1);
    const three = createRequestCharge(api.db, log);
    for (let count = 0; count < 5_000; count += 1) three.count(id);
    await three.close();
    assert.equal(await balance(token), 0, 'the remaining requests are free, since they were served');
    assert.deepEqual(await amounts(token), [
      ['api_requests', -3, 0],
      ['granted', 3, 3],
    ]);
  });

  test("every request with a token counts, and a guest's requests for its host", async () => {
    const { guest, guestId, guestAccountId, ownerId } = api.people;
    await changeCredits(api.db, ownerId, { set: 10 });
    const path = `/api/v1/guest_accounts/${guestAccountId}`;
    await api.send('PATCH', path, { attributes: { current_usage: 0 } });
    await api.db
      .insertInto('api_usage')
      .values({ account_id: guestId, requests: 997 })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ requests: 997 }))
      .execute();
    const server = testServer(api.db, {});
    const ask = (url: string, authorization: string) => server.inject({ url, headers: { authorization } });
    assert.equal((await ask(path, `Bearer ${guest}`)).statusCode, 200);
    assert.equal((await ask(`${REPORTS}/nothing`, `Bearer ${guest}`)).statusCode, 404);
    assert.equal((await ask(REPORTS, `Bearer ${guest}x`)).statusCode, 401, 'nobody');
    assert.equal((await ask(`${REPORTS}?page[number]=0`, `Bearer ${guest}`)).statusCode, 400);
    await server.close();
    const newest = (await api.get(LEDGER)).document.data[0].attributes;
    assert.deepEqual([newest.reason, newest.amount, newest.report_id], ['api_requests', -1, null]);
    assert.equal((await api.get(path)).document.data.attributes.current_usage, 1);
    await changeCredits(api.db, ownerId, { set: null });
    await assertLedgerAddsUp(api.db);
  });

  test('a count that cannot be saved is kept', async () => {
    const { id, token } = await join(2);
    const charge = createRequestCharge(api.db, pino({ level: 'silent' }));
    for (let count = 0; count < 1_000; count += 1) charge.count(id);
    charge.count('no account');
    await api.db.schema.alterTable('api_usage').renameTo('api_usage_away').execute();
    await charge.flush();
    await api.db.schema.alterTable('api_usage_away').renameTo('api_usage').execute();
    assert.equal(await balance(token), 2);
    await charge.close();
    assert.equal(await balance(token), 1);
  });
});
