import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { idempotencyKeysMax } from '../../src/api/http/limits.ts';
import { answerOnce } from '../../src/api/http/serve-endpoints.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { createReport } from '../../src/reports/create-report.ts';
import { parseNewReport } from '../../src/reports/definition/new-report.ts';
import { makeOperator } from '../../src/store/accounts/account-states.ts';
import { deleteExpiredIdempotencyKeys } from '../../src/store/idempotency-keys.ts';
import { type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { seedOneOfEach, withIds } from '../helpers/one-of-each.ts';
import { HOME } from '../helpers/sample-report.ts';

const REPORTS = '/api/v1/reports';

describe('Idempotency-Key', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const post = (key: string, attributes: object = {}, token = api.people.owner, path = REPORTS) =>
    api.send('POST', path, {
      token,
      attributes: { starting_url: HOME, ...attributes },
      headers: { 'idempotency-key': key },
    });
  const firstAnswer = ({ status, text, headers }: Reply) => [status, headers['location'], text];
  const numReports = async (token = api.people.owner) => (await api.get(REPORTS, token)).document.meta.total;
  const keys = () => api.db.selectFrom('idempotency_keys').selectAll().execute();

  test('the same key and body get the first response, although the report has changed', async () => {
    const before = await numReports();
    const first = await post('"8e03978e-40d5-43dd-bc93-6894a57f9324"', { tags: 'a' });
    assert.equal(first.status, 201);
    assert.equal((await api.send('DELETE', first.document.data.links.self)).status, 204);
    for (const _ of [1, 2]) {
      const again = await post('"8e03978e-40d5-43dd-bc93-6894a57f9324"', { tags: 'a' });
      assert.deepEqual(firstAnswer(again), firstAnswer(first));
    }
    assert.equal(await numReports(), before);
  });

  test('the same key with another body or URL is rejected', async () => {
    await post('another');
    const before = await numReports();
    for (const reply of [
      await post('another', { tags: 'b' }),
      await post('another', {}, api.people.owner, `${REPORTS}?x=1`),
      await post('another', {}, api.people.owner, '/api/v1/api_tokens'),
    ]) {
      assert.deepEqual(reply.errors, ['422 invalid'], reply.text);
      assert.match(reply.document.errors[0].detail, /Use a new key/);
    }
    assert.equal(await numReports(), before);
  });

  test('an account has a maximum number of keys per day, which repetitions and other accounts do not use up', async () => {
    const { strangerId, stranger } = api.people;
    const first = await post('first', {}, stranger);
    const fill = (hours: number, count: number) =>
      sql`INSERT INTO idempotency_keys (account_id, key_hash, request_hash, response, inserted_at)
        SELECT ${strangerId}, sha256(convert_to(${String(hours)}::text || n::text, 'UTF8')), '', '', now() - make_interval(hours => ${hours})
        FROM generate_series(1, ${count}) n`.execute(api.db);
    await fill(25, 100);
    await fill(1, idempotencyKeysMax - 2);
    assert.equal((await post('last', {}, stranger)).status, 201);
    const refused = await post('one too many', {}, stranger);
    assert.deepEqual(refused.errors, ['422 invalid']);
    assert.match(refused.document.errors[0].detail, /Send the request without a key/);
    assert.deepEqual(firstAnswer(await post('first', {}, stranger)), firstAnswer(first));
    assert.equal(
      (await api.send('POST', REPORTS, { token: stranger, attributes: { starting_url: HOME } })).status,
      201,
    );
    assert.equal((await post('one too many')).status, 201);
    await sql`DELETE FROM idempotency_keys WHERE response = ''`.execute(api.db);
  });

  test('a key belongs to the account, regardless of the token', async () => {
    const first = await post('common');
    const strangers = await post('common', {}, api.people.stranger);
    assert.equal(strangers.status, 201);
    assert.notEqual(strangers.document.data.id, first.document.data.id);
    const { token } = (await api.send('POST', '/api/v1/api_tokens', { attributes: {} })).document.data.attributes;
    assert.deepEqual(firstAnswer(await post('common', {}, token)), firstAnswer(first));
    assert.deepEqual((await post('common', {}, api.people.reader)).errors, ['403 read_only_token']);
  });

  test('concurrent requests create one resource', async () => {
    const before = await numReports(api.people.stranger);
    // More requests than the pool has connections: waiting requests must not block the first one.
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => post('at once', { tags: 'c' }, api.people.stranger)),
    );
    assert.equal(new Set(replies.map((reply) => JSON.stringify(firstAnswer(reply)))).size, 1);
    assert.equal(replies[0]?.status, 201);
    assert.equal(await numReports(api.people.stranger), before + 1);
  });

  test('errors are not stored', async () => {
    const before = await numReports();
    assert.equal((await post('corrected', { max_pages: 0 })).status, 422);
    assert.equal((await post('corrected', { max_pages: 0 })).status, 422);
    assert.equal((await post('corrected', { max_pages: 1 })).status, 201);
    assert.equal(await numReports(), before + 1);
  });

  test('an interrupted request leaves nothing', async () => {
    const before = [await numReports(), (await keys()).length];
    const { ownerId } = api.people;
    const request = { accountId: ownerId, key: 'broken off', content: ['POST'] };
    const work = answerOnce(api.db, request, async (trx) => {
      const parsed = parseNewReport({ starting_url: HOME }, DEFAULT_LIMITS.enterprise);
      assert.ok('value' in parsed);
      await createReport(trx, credentialStore, { accountId: ownerId, ...parsed.value });
      throw new Error('broken off');
    });
    await assert.rejects(work, /broken off/);
    assert.deepEqual([await numReports(), (await keys()).length], before);
  });

  test('after a day the key is free, and its response is removed', async () => {
    const age = (hours: number) =>
      api.db
        .updateTable('idempotency_keys')
        .set({ inserted_at: sql`now() - make_interval(hours => ${sql.lit(hours)})` })
        .execute();
    const first = await post('daily');
    await age(23);
    assert.deepEqual(firstAnswer(await post('daily')), firstAnswer(first));
    await deleteExpiredIdempotencyKeys(api.db);
    assert.ok((await keys()).length > 0);
    await age(25);
    const next = await post('daily', { tags: 'next day' });
    assert.equal(next.status, 201);
    assert.notEqual(next.document.data.id, first.document.data.id);
    assert.deepEqual(firstAnswer(await post('daily', { tags: 'next day' })), firstAnswer(next));
    await deleteExpiredIdempotencyKeys(api.db);
    assert.equal((await keys()).length, 1);
  });

  test('keys are 1 to 255 ASCII characters, and apply to POST only', async () => {
    const long = 'k'.repeat(255);
    assert.equal((await post(long)).status, 201);
    for (const key of ['', `${long}k`, 'ké']) {
      assert.deepEqual((await post(Buffer.from(key).toString('latin1'))).errors, ['400 invalid_request'], key);
    }
    const headers = { 'idempotency-key': '' };
    assert.equal((await api.send('GET', REPORTS, { headers })).status, 200);
  });

  test('neither key nor response is readable in the database', async () => {
    const reply = await api.send('POST', '/api/v1/api_tokens', {
      attributes: { name: 'in secret' },
      headers: { 'idempotency-key': 'my own key' },
    });
    const stored = Buffer.concat((await keys()).flatMap(({ key_hash, response }) => [key_hash, response ?? key_hash]));
    for (const secret of ['my own key', 'in secret', reply.document.data.attributes.token, 'api_token']) {
      assert.ok(!stored.includes(secret), secret);
    }
  });

  test('every POST endpoint supports it, unless it changes nothing', async () => {
    await makeOperator(api.db, api.people.ownerId, true);
    let seeded = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    for (const { method, path, body, ignoresKey } of ENDPOINTS.filter((endpoint) => endpoint.method === 'POST')) {
      // The only operator cannot be disabled.
      const values = path.startsWith('/operator/') ? { ...seeded, account_id: api.people.strangerId } : seeded;
      if (path.endsWith('/confirmation')) {
        const id = values['notification_channel_id'];
        await sql`UPDATE notification_channels SET confirmed_at = NULL WHERE id = ${id}`.execute(api.db);
      }
      const address = `/api/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))}`;
      const ask = {
        // Invitations are for others.
        token: path.startsWith('/invitations/') ? api.people.stranger : api.people.owner,
        ...(body === null ? {} : { attributes: withIds(body.example, values) }),
        headers: { 'idempotency-key': `every ${path}` },
      };
      const first = await api.send(method, address, ask);
      assert.ok(first.status < 300, `${path}: ${first.text}`);
      if (ignoresKey) {
        // Its response is not stored, and each request runs outside of a transaction.
        const again = await api.send(method, address, ask);
        if (!path.endsWith('/previews')) assert.notEqual(again.text, first.text, path);
        continue;
      }
      assert.deepEqual(firstAnswer(await api.send(method, address, ask)), firstAnswer(first), path);
      // The site is gone.
      if (path.endsWith('/merge')) seeded = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    }
  });
});
