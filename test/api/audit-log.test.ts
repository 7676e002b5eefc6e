import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { ATTEMPTS_MAX } from '../../src/accounts/sign-in-attempts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { deleteOldActions } from '../../src/store/accounts/audit-log.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { visit } from '../helpers/visitor.ts';

describe('the audit log', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const count = async (): Promise<number> => (await api.db.selectFrom('audit_log').select('id').execute()).length;
  const LOG = '/api/v1/audit_log?page[size]=100';
  async function entries(query = ''): Promise<Record<string, unknown>[]> {
    const { document } = await api.get(`${LOG}${query}`);
    return document.data.map(({ attributes }: { attributes: object }) => attributes);
  }

  test('has what an account changed and was refused, but no reads', async () => {
    const attributes = { starting_url: 'https://audited.example/', cookies: { session: 'a-secret' } };
    const made = await api.send('POST', '/api/v1/reports', { attributes, headers: { 'x-request-id': 'made-1' } });
    const path = `/reports/${made.document.data.id}`;
    await api.get(`/api/v1${path}`);
    await api.send('PATCH', `/api/v1${path}`, { attributes: { max_pages: 'many' } });
    await api.send('DELETE', `/api/v1${path}`);
    const found = await entries();
    const shown = found.map((entry) => [entry['action'], entry['path'], entry['status']]);
    assert.deepEqual(shown.slice(0, 3), [
      ['DELETE /reports/{report_id}', path, 204],
      ['PATCH /reports/{report_id}', path, 422],
      ['POST /reports', path, 201],
    ]);
    const { actor, actor_id: actorId, address, request_id: requestId } = found[2] ?? {};
    assert.deepEqual([actor, address, requestId], ['api_token', '127.0.0.1', 'made-1']);
    assert.match(String(actorId), /^\d+$/);
    const all = await api.db.selectFrom('audit_log').selectAll().execute();
    assert.ok(!JSON.stringify(all).includes('a-secret'));
    const filtered = await entries('&filter[action]=DELETE%20/reports/{report_id}');
    assert.deepEqual(
      filtered.map(({ path: of }) => of),
      [path],
    );
  });

  test('has attempts to sign in, but not requests of strangers to the API or to URLs that do not exist', async () => {
    const payload = { email: 'nobody@example.com', password: 'a wrong password' };
    const before = await count();
    await api.send('POST', '/api/v1/reports', { attributes: {}, token: null });
    await api.send('POST', '/api/v1/reports', { attributes: {}, token: 'wrong' });
    await api.send('POST', '/api/v1/nowhere', { attributes: {} });
    await visit(api).send('POST', '/auth/sign-in', {});
    await visit(api).send('PATCH', '/auth/account', { name: 'Anyone' });
    await visit(api).send('POST', '/auth/sign-in', payload, { 'sec-fetch-site': 'cross-site' });
    assert.equal(await count(), before);
    await visit(api).send('POST', '/auth/sign-in', payload);
    const [last] = await api.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1).execute();
    const { action, status, actor, account_id: account } = last ?? {};
    assert.deepEqual([action, status, actor, account], ['POST /auth/sign-in', 401, 'anyone', null]);
    const { document } = await api.get('/api/v1/account');
    await visit(api).send('POST', '/auth/sign-in', { ...payload, email: document.data.attributes.email.toUpperCase() });
    const [own] = await entries();
    assert.deepEqual([own?.['status'], own?.['actor'], own?.['account_id']], [401, 'anyone', api.people.ownerId]);
  });

  test('has one entry a minute for what rate limits refuse', async () => {
    const before = await count();
    const payload = { email: 'guessed@example.com', password: 'a wrong password' };
    for (let nth = 0; nth < ATTEMPTS_MAX.addressAndAccount + 10; nth += 1) {
      await visit(api).send('POST', '/auth/sign-in', payload);
    }
    assert.equal(await count(), before + ATTEMPTS_MAX.addressAndAccount + 1);
    const [last] = await api.db.selectFrom('audit_log').select('status').orderBy('id', 'desc').limit(1).execute();
    assert.equal(last?.status, 429);
  });

  test('has what a token was refused because it is read-only', async () => {
    const { token } = await createToken(api.db, { accountId: api.people.ownerId, scope: 'read', name: 'reader' });
    await api.send('POST', '/api/v1/reports', { attributes: { starting_url: 'https://audited.example/' }, token });
    const [{ action, status } = {}] = await entries();
    assert.deepEqual([action, status], ['POST /reports', 403]);
  });

  test('is deleted when it is old, also if there are very many entries', async () => {
    await sql`INSERT INTO audit_log (inserted_at, actor, action)
      SELECT now() - interval '3 days', 'anyone', 'old' FROM generate_series(1, 2500)`.execute(api.db);
    // Younger entries have higher ids.
    await sql`UPDATE audit_log SET inserted_at = now() - interval '4 days' WHERE action <> 'old'`.execute(api.db);
    await api.send('POST', '/api/v1/api_tokens', { attributes: { name: 'new' } });
    await deleteOldActions(api.db, 2);
    assert.equal(await count(), 1);
  });

  test('is the account’s own', async () => {
    await api.send('POST', '/api/v1/api_tokens', { attributes: { name: 'mine' } });
    const { document } = await api.get(LOG, api.people.stranger);
    assert.ok(
      document.data.every(({ attributes }: { attributes: { path: string } }) => !/api_tokens/.test(attributes.path)),
    );
    assert.equal((await entries())[0]?.['action'], 'POST /api_tokens');
  });
});
