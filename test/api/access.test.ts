import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createToken, ensureAdminToken, revokeToken } from '../../src/accounts/tokens.ts';
import { AppError } from '../../src/platform/errors.ts';
import { hashSecret } from '../../src/platform/kept-secret.ts';
import { selectTokens } from '../../src/store/accounts/api-tokens.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { HOME, HTML_ISSUE_TYPES, seedSample } from '../helpers/sample-report.ts';

describe('access', () => {
  let api: TestApi;
  /** Every URL of a report that can be read. */
  let readable: string[];
  let writes: [method: string, path: string, attributes?: unknown][];

  before(async () => {
    api = await startApi();
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = `/api/v1/reports/${sample.reportId}`;
    const page = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    const [html] = await api.walk(`${page}/html_issues`);
    const [a11y] = await api.walk(`${page}/a11y_issues`);
    const [commonA11y] = await api.walk(`${report}/common_a11y_issues`);
    readable = [
      report,
      `${report}/web_pages`,
      page,
      `${report}/common_html_issues`,
      `${report}/common_html_issues/${sample.commonIds.get(HTML_ISSUE_TYPES.info.message)}`,
      `${report}/common_a11y_issues`,
      `${report}/common_a11y_issues/${commonA11y?.id}`,
      `${page}/html_issues`,
      `${page}/html_issues/${html?.id}`,
      `${page}/a11y_issues`,
      `${page}/a11y_issues/${a11y?.id}`,
      `${report}/excluded_urls`,
      `${report}/discovered_urls`,
    ];
    writes = [
      ['PATCH', report, { shared: true }],
      ['PATCH', page, { status: 'pending' }],
      ['DELETE', page],
      ['DELETE', report],
    ];
  });
  after(() => api?.close());

  const share = async (shared: boolean) => {
    const reply = await api.send('PATCH', readable[0] ?? '', { attributes: { shared } });
    assert.equal(reply.status, 200, reply.text);
  };

  test('a private report looks to strangers as if it did not exist', async () => {
    await share(false);
    const token = api.people.stranger;
    for (const path of readable) {
      const reply = await api.get(path, token);
      const nothing = await api.get(path.replace(/[0-9a-f-]{36}/, '00000000-0000-4000-8000-000000000000'), token);
      assert.deepEqual(reply.errors, ['404 not_found'], path);
      assert.deepEqual(reply.document.errors, nothing.document.errors);
    }
    for (const [method, path, attributes] of writes) {
      const reply = await api.send(method, path, { token, ...(attributes === undefined ? {} : { attributes }) });
      assert.deepEqual(reply.errors, ['404 not_found'], `${method} ${path}`);
    }
  });

  test('a shared report can be read but not changed', async () => {
    await share(true);
    const token = api.people.stranger;
    for (const path of readable) {
      const [own, others] = [await api.get(path), await api.get(path, token)];
      // Only the owner may see the site and the share link, and change the report.
      if (path === readable[0]) {
        delete own.document.data.relationships.site;
        delete own.document.data.attributes.share_url;
        delete own.document.data.attributes.change;
        delete own.document.data.attributes.site_name;
      }
      assert.deepEqual(others.document, own.document, path);
    }
    for (const [method, path, attributes] of writes) {
      const reply = await api.send(method, path, { token, ...(attributes === undefined ? {} : { attributes }) });
      assert.deepEqual(reply.errors, ['403 forbidden'], `${method} ${path}`);
    }
    assert.deepEqual(await api.walk('/api/v1/reports', token), []);
    await share(false);
  });

  test('a shared report does not disclose the private report before it', async () => {
    const { reportId: earlier } = await seedSample(api.db, { account_id: api.people.ownerId });
    const { reportId: later } = await seedSample(api.db, { account_id: api.people.ownerId, shared: true });
    await sql`DELETE FROM web_pages WHERE report_id = ${later}`.execute(api.db);
    await sql`INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
      SELECT r.id, w.id, true, r.updated_at, w.updated_at FROM reports r, reports w
      WHERE r.id = ${later} AND w.id = ${earlier}`.execute(api.db);
    for (const path of ['changes', 'changes/pages']) {
      const url = `/api/v1/reports/${later}/${path}`;
      assert.equal((await api.get(url)).document.meta.with, earlier, path);
      const { document } = await api.get(url, api.people.stranger);
      assert.deepEqual([document.data, document.meta.with], [[], null], path);
    }
    assert.equal((await api.get(`/api/v1/reports/${later}/changes?with=${earlier}`, api.people.stranger)).status, 404);
  });

  test('a deleted report is gone for everyone, with everything in it', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId, shared: true, deleted_at: new Date() });
    for (const path of [
      '',
      '/web_pages',
      `/web_pages/${sample.pageIds.get(HOME)}`,
      '/common_html_issues',
      '/excluded_urls',
      '/discovered_urls',
    ]) {
      for (const token of [api.people.owner, api.people.stranger]) {
        assert.equal((await api.get(`/api/v1/reports/${sample.reportId}${path}`, token)).status, 404, path);
      }
    }
  });

  const status = async (headers: Record<string, string>) => {
    const reply = await api.send('GET', '/api/v1/reports', { token: null, headers });
    if (reply.status === 401) assert.equal(reply.headers['www-authenticate'], 'Bearer');
    return reply.errors[0] ?? reply.status;
  };

  test('missing or malformed authorization and invalid tokens are rejected', async () => {
    const { owner, ownerId } = api.people;
    assert.equal(await status({}), '401 unauthorized');
    for (const authorization of ['', 'Bearer', 'Bearer ', owner, `Basic ${owner}`, `Bearer ${owner} x`, `Bearer  é`]) {
      assert.equal(await status({ authorization: Buffer.from(authorization).toString('latin1') }), '401 unauthorized');
    }
    assert.equal(await status({ authorization: `bearer   ${owner}` }), 200);
    assert.equal(await status({ authorization: `Bearer ${owner}x` }), '401 invalid_token');
    const expired = await createToken(api.db, {
      accountId: ownerId,
      scope: 'read',
      expiresAt: new Date(Date.now() - 1_000),
    });
    assert.equal(await status({ authorization: `Bearer ${expired.token}` }), '401 invalid_token');
    const later = new Date(Date.now() + 3_600_000);
    const valid = await createToken(api.db, { accountId: ownerId, scope: 'read', expiresAt: later, name: 'laptop' });
    assert.match(valid.token, /^sw_[\w-]{43}$/);
    assert.equal(await status({ authorization: `Bearer ${valid.token}` }), 200);
    await revokeToken(api.db, valid.id);
    assert.equal(await status({ authorization: `Bearer ${valid.token}` }), '401 invalid_token');
    await assert.rejects(revokeToken(api.db, 999_999), { code: 'token_not_found' });
    const [newest] = await selectTokens(api.db, ownerId);
    assert.equal(newest?.name, 'laptop');
    assert.ok(newest?.revoked_at instanceof Date);
    assert.ok(!JSON.stringify(newest).includes('hash'));
  });

  test('the last use of a token is recorded, at most once a minute', async () => {
    const { id, token } = await createToken(api.db, { accountId: api.people.ownerId, scope: 'read' });
    const lastUse = async () => {
      await api.get('/api/v1/reports', token);
      const row = await api.db
        .selectFrom('api_tokens')
        .select('last_used_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.last_used_at?.getTime() ?? 0;
    };
    const first = await lastUse();
    assert.ok(first > 0);
    assert.equal(await lastUse(), first);
    const earlier = new Date(first - 61_000);
    await api.db.updateTable('api_tokens').set({ last_used_at: earlier }).where('id', '=', id).execute();
    assert.ok((await lastUse()) > earlier.getTime());
  });

  test("the operator's token is created once at start, and restored if it was revoked", async () => {
    const token = 'operators~token!$%&/()=?';
    await Promise.all([ensureAdminToken(api.db, token), ensureAdminToken(api.db, token)]);
    assert.equal(await status({ authorization: `Bearer ${token}` }), 200);
    const rows = await api.db.selectFrom('api_tokens').selectAll().where('hash', '=', hashSecret(token)).execute();
    assert.equal(rows.length, 1);
    assert.equal(rows[0]?.account_id, api.people.ownerId);
    await revokeToken(api.db, rows[0]?.id ?? 0);
    assert.equal(await status({ authorization: `Bearer ${token}` }), '401 invalid_token');
    await ensureAdminToken(api.db, token);
    assert.equal(await status({ authorization: `Bearer ${token}` }), 200);
  });

  test("a new operator's token replaces only the previous one", async () => {
    const statusOf = (token: string) => status({ authorization: `Bearer ${token}` });
    const [first, second] = ['operators-first-token', 'operators-second-token'];
    const name = 'SITEWARDEN_ADMIN_TOKEN';
    const { token: namesake } = await createToken(api.db, { accountId: api.people.ownerId, scope: 'write', name });
    await ensureAdminToken(api.db, first);
    await ensureAdminToken(api.db, second);
    const invalid = '401 invalid_token';
    assert.deepEqual([await statusOf(first), await statusOf(second)], [invalid, 200]);
    await ensureAdminToken(api.db, first);
    assert.deepEqual([await statusOf(first), await statusOf(second)], [200, invalid]);
    assert.equal(await statusOf(namesake), 200);

    await assert.rejects(
      ensureAdminToken(api.db, api.people.stranger),
      (error) => error instanceof AppError && error.code === 'invalid_configuration',
    );
    const strangers = await api.get('/api/v1/account', api.people.stranger);
    assert.equal(strangers.document.data.id, api.people.strangerId, 'it belongs to the same account');
    assert.equal(await statusOf(first), 200, 'nothing was revoked');

    // The operator to whom it belonged before has lost the role.
    const others = api.db.updateTable('api_tokens').set({ account_id: api.people.strangerId });
    await others.where('hash', '=', hashSecret(first)).execute();
    await ensureAdminToken(api.db, first);
    const { document } = await api.get('/api/v1/account', first);
    assert.equal(document.data.id, api.people.ownerId);
  });
});

describe('the request limit', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ apiRateLimit: 1 });
  });
  after(() => api?.close());

  test('applies to each token, for every endpoint, and says how long to wait', async () => {
    const { owner, reader } = api.people;
    assert.equal((await api.get('/api/v1/reports', owner)).status, 200);
    for (const [method, path] of [
      ['GET', '/api/v1/account'],
      ['POST', '/api/v1/reports'],
      ['HEAD', '/api/v1/reports'],
    ] as const) {
      const reply = await api.send(method, path, { token: owner });
      assert.equal(reply.status, 429);
      assert.match(String(reply.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/);
      if (method !== 'HEAD') assert.deepEqual(reply.errors, ['429 rate_limited']);
    }
    assert.equal((await api.get('/api/v1/reports', reader)).status, 200);
    assert.deepEqual((await api.get('/api/v1/reports', `${owner}x`)).errors, ['401 invalid_token']);
    assert.equal((await api.send('GET', '/health/live', { token: null })).status, 200);
  });
});
