import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { listCases } from '../../bench/list-cases.ts';
import { openSession } from '../../src/accounts/sessions.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { isWritable } from '../../src/store/database.ts';
import { testServer } from '../helpers/api.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

/** A database that accepts no changes, as during a failover: what can be read is served. */

test('every read answers while the database is read-only, with a token and in a browser', async (t) => {
  const store = await startOwnPostgres();
  t.after(() => store.close());
  const { db, accountId } = store;
  await sql`UPDATE accounts SET plan = 'enterprise' WHERE id = ${accountId}`.execute(db);
  const values = await seedOneOfEach(db, { accountId });
  const { token } = await createToken(db, { accountId, scope: 'read' });
  const session = await openSession(db, accountId, { userAgent: 'Test/1.0' });
  const server = testServer(db, {});
  t.after(() => server.close());
  // The places of a cluster are collected when they are asked for, which needs to write.
  const listed = listCases(values).flatMap(({ path }) => (path.includes('filter%5Bcluster%5D') ? [] : path));
  const paths = ['/account', `/reports/${values['report_id']}`, ...listed];
  const read = async (headers: Record<string, string>): Promise<string[]> => {
    const refused: string[] = [];
    for (const path of paths) {
      const { statusCode } = await server.inject({ method: 'GET', url: `/api/v1${path}`, headers });
      if (statusCode !== 200) refused.push(`${statusCode} ${path}`);
    }
    return refused;
  };
  // Clusters are listed when they are first read, which needs to write.
  assert.deepEqual(await read({ authorization: `Bearer ${token}` }), []);
  // The next requests would mark both as used.
  await sql`UPDATE sessions SET last_seen_at = now() - interval '1 day'`.execute(db);
  await sql`UPDATE api_tokens SET last_used_at = now() - interval '1 day'`.execute(db);
  await store.setReadOnly(true);
  assert.equal(await isWritable(db), false);
  assert.deepEqual(await read({ authorization: `Bearer ${token}` }), []);
  assert.deepEqual(await read({ cookie: `${SESSION_COOKIE}=${session.secret}` }), []);
  const write = await server.inject({
    method: 'POST',
    url: '/api/v1/mutings',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: { data: { attributes: { url_match: 'a', message: 'b' } } },
  });
  assert.equal(write.statusCode, 403, 'the token can only read');
  await store.setReadOnly(false);
});
