import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { createCredentialStore } from '../../src/store/reports/credential-store.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { HOME } from '../helpers/sample-report.ts';

const SECRETS = ['pa55-word', 'us3r-name', 't0ken-value', 'c00kie-value'] as const;
const [PASSWORD, USERNAME, TOKEN, COOKIE] = SECRETS;
const ACCESS = {
  basic_auth: { username: USERNAME, password: PASSWORD },
  headers: { 'X-Preview': TOKEN, 'accept-language': 'de' },
  cookies: { session: COOKIE, empty: '' },
};
/** Headers that a report cannot set, because the spider or the browser sets them. */
const OUR_HEADERS = [
  'Cookie',
  'Host',
  'Content-Length',
  'Connection',
  'TE',
  'Proxy-Authorization',
  'Sec-Fetch-Site',
  'User-Agent',
  'If-None-Match',
  'Range',
  'Transfer-Encoding',
  'Accept-Encoding',
];
const STORED = {
  basicAuth: { username: USERNAME, password: PASSWORD },
  headers: { 'x-preview': TOKEN, 'accept-language': 'de' },
  cookies: { session: COOKIE, empty: '' },
};

describe('site credentials', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const post = (attributes: object) =>
    api.send('POST', '/api/v1/reports', { attributes: { starting_url: HOME, ...attributes } });
  const newSchedule = async (attributes: object): Promise<Item> => {
    const all = { starting_url: HOME, periodicity: { every: 'day' }, ...attributes };
    const { status, text, document } = await api.send('POST', '/api/v1/schedules', { attributes: all });
    assert.equal(status, 201, text);
    return document.data;
  };
  const patch = (id: string, attributes: object) => api.send('PATCH', `/api/v1/schedules/${id}`, { attributes });
  const stored = async (table: 'reports' | 'schedules', id: string) => {
    const row = await api.db.selectFrom(table).select('site_access').where('id', '=', id).executeTakeFirstOrThrow();
    return credentialStore.open(row.site_access, table === 'reports' ? `report ${id}` : `schedule ${id}`);
  };

  test('are stored for reports and schedules, and only their presence is shown', async () => {
    const created = await post({ ...ACCESS, shared: true });
    const { id } = created.document.data;
    const schedule = await newSchedule({ ...ACCESS });
    const replies = [
      created,
      ...(await Promise.all([
        api.get(`/api/v1/reports/${id}`),
        api.get(`/api/v1/reports/${id}`, api.people.stranger),
        api.get('/api/v1/reports'),
        api.get(`/api/v1/schedules/${schedule.id}`),
        api.get('/api/v1/schedules'),
        patch(schedule.id, { active: false }),
      ])),
    ];
    for (const { status, text } of replies) {
      assert.ok(status < 300, text);
      assert.ok(text.includes('"signs_in":true'));
      for (const secret of SECRETS) assert.ok(!text.includes(secret), text);
      assert.ok(!/basic_auth|"headers"|"cookies"|site_access|preview/i.test(text), text);
    }
    assert.deepEqual(await stored('reports', id), STORED);
    assert.deepEqual(await stored('schedules', schedule.id), STORED);
    const { rows } = await sql<{ json: string }>`
      SELECT to_jsonb(t)::text AS json FROM (
        SELECT to_jsonb(r) FROM reports r UNION ALL SELECT to_jsonb(s) FROM schedules s) t`.execute(api.db);
    const clear = [...rows.map(({ json }) => json), ...api.logLines].join('\n');
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const secret of SECRETS) assert.ok(!clear.includes(secret) && !clear.includes(hex(secret)), secret);
  });

  test('blank values count as none', async () => {
    const blank = { basic_auth: { username: '', password: '' }, headers: {}, cookies: {} };
    for (const attributes of [{}, blank, { basic_auth: null, headers: null, cookies: null }]) {
      const { status, document } = await post(attributes);
      assert.equal(status, 201);
      assert.equal(document.data.attributes.signs_in, false);
    }
  });

  test('are available on every plan', async () => {
    const attributes = { starting_url: HOME, ...ACCESS };
    assert.equal((await api.send('POST', '/api/v1/reports', { token: api.people.free, attributes })).status, 201);
  });

  test('are removed at once when a report is deleted', async () => {
    const { id } = (await post(ACCESS)).document.data;
    await api.send('DELETE', `/api/v1/reports/${id}`);
    const { rows } = await sql`SELECT FROM reports WHERE id = ${id} AND site_access IS NOT NULL`.execute(api.db);
    assert.equal(rows.length, 0);
  });

  test('are rejected with a pointer to each problem, without repeating values', async () => {
    const long = 'v'.repeat(5_000);
    const cases: readonly (readonly [attributes: object, pointers: readonly string[]])[] = [
      [{ basic_auth: 'user:pa55-word' }, ['basic_auth']],
      [{ basic_auth: { username: 'us3r-name' } }, ['basic_auth/password']],
      [{ basic_auth: { username: 1, password: 'pa55-word', realm: 'x' } }, ['basic_auth/username', 'basic_auth/realm']],
      [
        { basic_auth: { username: 'us3r-name:', password: 'pa55-word\n' } },
        ['basic_auth/password', 'basic_auth/username'],
      ],
      [{ basic_auth: { username: '\0', password: 'p' } }, ['basic_auth/username']],
      [{ basic_auth: { username: 'u', password: long } }, ['basic_auth/password']],
      [{ headers: ['X-A: t0ken-value'], cookies: 'a=c00kie-value' }, ['headers', 'cookies']],
      [{ headers: { 'X-A': 1, 'X-B': null, 'X-C': 't0ken-value' } }, ['headers/X-A', 'headers/X-B']],
      [
        { headers: { 'X A': 't0ken-value', '': 'x', 'X/A': 'x', 'X-Ü': 'x' } },
        ['headers/X A', 'headers/', 'headers/X~1A', 'headers/X-Ü'],
      ],
      [
        { headers: { 'X-A': 't0ken-value\r\nHost: b', 'X-B': 'ü', 'X-C': ' ', 'X-D': 'a\0' } },
        ['headers/X-D', 'headers/X-A', 'headers/X-B', 'headers/X-C'],
      ],
      [{ headers: { 'X-A': 't0ken-value', 'x-a': 't0ken-value' } }, ['headers/x-a']],
      [
        { headers: { Authorization: 't0ken-value' }, basic_auth: { username: 'u', password: '' } },
        ['headers/Authorization'],
      ],
      [
        {
          headers: Object.fromEntries(OUR_HEADERS.map((name) => [name, 't0ken-value'])),
        },
        OUR_HEADERS.map((name) => `headers/${name}`),
      ],
      [{ headers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`x-${n}`, 'v'])) }, ['headers']],
      [{ headers: { a: long, b: long, c: long, d: long } }, ['headers']],
      [
        { cookies: { 'a;b': 'c00kie-value', c: 'c00kie-value; d=1', e: 'ü', f: 'a\nb', g: 1, h: long } },
        ['cookies/g', 'cookies/a;b', 'cookies/c', 'cookies/e', 'cookies/f', 'cookies/h'],
      ],
      [{ cookies: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`c${n}`, 'v'])) }, ['cookies']],
      [{ cookies: { a: long.slice(0, 4_000), b: long.slice(0, 4_000), c: 'v'.repeat(200) } }, ['cookies']],
      [
        {
          starting_url: 'ftp://a.test/',
          basic_auth: { username: ':', password: '' },
          headers: { te: 'x' },
          cookies: { '=': '' },
        },
        ['starting_url', 'basic_auth/username', 'headers/te', 'cookies/='],
      ],
    ];
    for (const [attributes, pointers] of cases) {
      const { errors, text } = await post(attributes);
      const expected = pointers.map((pointer) => `422 invalid /data/attributes/${pointer}`);
      assert.deepEqual([...errors].sort(), [...expected].sort());
      for (const secret of [...SECRETS, long]) assert.ok(!text.includes(secret), text);
    }
    for (const line of api.logLines) for (const secret of SECRETS) assert.ok(!line.includes(secret), line);
  });

  test('accept common credentials: tokens, consents copied from a browser, an Authorization of another kind', async () => {
    const given = {
      basic_auth: { username: '', password: 'key with spaces, ü and €' },
      cookies: { consent: '{"ads":false,"v":2}', 'a.b_c-d': ' x, y ' },
    };
    const { id } = (await post(given)).document.data;
    const { basicAuth, cookies } = await stored('reports', id);
    assert.deepEqual({ ...basicAuth }, given.basic_auth);
    assert.deepEqual(cookies, { consent: '{"ads":false,"v":2}', 'a.b_c-d': 'x, y' });
    const other = await post({ headers: { AUTHORIZATION: ' Bearer abc ' } });
    assert.deepEqual((await stored('reports', other.document.data.id)).headers, { authorization: 'Bearer abc' });
  });

  test('change with their schedule, each part separately, and are removed with null or a blank value', async () => {
    const { id } = await newSchedule(ACCESS);
    const { signs_in: signsIn } = (await patch(id, { cookies: { other: 'x' } })).document.data.attributes;
    assert.equal(signsIn, true);
    assert.deepEqual(await stored('schedules', id), { ...STORED, cookies: { other: 'x' } });
    await patch(id, { basic_auth: null, tags: 'a' });
    assert.deepEqual(await stored('schedules', id), { ...STORED, basicAuth: null, cookies: { other: 'x' } });
    await patch(id, { headers: { Authorization: 'Bearer x' } });
    assert.deepEqual((await patch(id, { basic_auth: ACCESS.basic_auth })).errors, [
      '422 invalid /data/attributes/basic_auth',
    ]);
    const { document } = await patch(id, { headers: {}, cookies: null });
    assert.equal(document.data.attributes.signs_in, false);
  });

  test('are not kept when the starting URL moves to another origin', async () => {
    const { id } = await newSchedule({ starting_url: 'https://a.test/', ...ACCESS });
    for (const starting_url of ['https://b.test/', 'http://a.test/', 'https://a.test:444/', 'https://www.a.test/']) {
      assert.deepEqual((await patch(id, { starting_url })).errors, ['422 invalid /data/attributes/starting_url']);
    }
    assert.equal((await patch(id, { starting_url: 'https://a.test/other' })).status, 200);
    assert.deepEqual(await stored('schedules', id), STORED);
    // Credentials that are not given again are not kept.
    assert.equal((await patch(id, { starting_url: 'https://b.test/', cookies: { a: 'b' } })).status, 200);
    assert.deepEqual(await stored('schedules', id), { basicAuth: null, headers: {}, cookies: { a: 'b' } });
    assert.equal((await patch(id, { starting_url: 'https://c.test/', cookies: null })).status, 200);
    assert.equal((await patch(id, { starting_url: 'https://d.test/' })).status, 200);
  });

  test('of a login form are shown without secrets, and stay when they are saved again', async () => {
    const steps = [
      { open: 'https://www.example.com/login' },
      { fill: '#name', value: 'checker' },
      { fill: '#password', secret: PASSWORD },
    ];
    const login = { steps, signed_in: { text: 'Hello' } };
    const created = await api.send('POST', '/api/v1/sites', { attributes: { starting_url: HOME, login } });
    assert.equal(created.status, 201, created.text);
    const path = `/api/v1/sites/${created.document.data.id}`;
    const shown = created.document.data.attributes.login;
    assert.deepEqual(shown.steps[2], { fill: '#password', secret: true });
    const changed = { ...shown, steps: [...shown.steps, { press: 'Enter' }] };
    assert.equal((await api.send('PATCH', path, { attributes: { login: changed } })).status, 200);
    const run = await api.send('POST', `${path}/runs`);
    assert.equal((await stored('reports', run.document.data.id)).login?.steps.length, 4);
    assert.deepEqual((await stored('reports', run.document.data.id)).login?.steps[2], steps[2]);
    for (const { text } of [created, run, await api.get(path)]) assert.ok(!text.includes(PASSWORD));
    const schedule = await newSchedule({ site_id: created.document.data.id });
    assert.equal((await stored('schedules', schedule.id)).login?.steps.length, 4);
    const withCookie = await newSchedule({ site_id: created.document.data.id, cookies: { own: 'x' } });
    const journeys = [{ name: 'pay', steps: [{ open: '/' }, { fill: '#pin', secret: TOKEN }, { check: 'paid' }] }];
    assert.equal((await api.send('PATCH', path, { attributes: { journeys } })).status, 200);
    const { cookies, journeys: copied } = await stored('schedules', withCookie.id);
    assert.deepEqual({ cookies, copied }, { cookies: { own: 'x' }, copied: journeys });
    const elsewhere = { steps: [{ open: 'https://example.org/' }, shown.steps[2]] };
    const refused = await api.send('PATCH', path, { attributes: { login: elsewhere } });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /must be entered again/);
    await api.send('PATCH', path, { attributes: { login: null, journeys: [] } });
    assert.deepEqual((await api.get(path)).document.data.attributes.signs_in, false);
  });

  test('of the login of a site are used by new reports and schedules with its URL, and never lost', async () => {
    const url = 'https://members.example/';
    const login = { steps: [{ open: url }, { fill: '#password', secret: PASSWORD }] };
    const create = async (attributes: object) => {
      const { status, text, document } = await api.send('POST', '/api/v1/reports', {
        attributes: { starting_url: url, ...attributes },
      });
      assert.equal(status, 201, text);
      return document.data;
    };
    const secretOf = async (id: string) => (await stored('reports', id)).login?.steps.at(-1);
    // The site has its login from a report, so it is not kept: it takes the settings of each report.
    const first = await create({ login });
    const { site_id: siteId } = await api.db
      .selectFrom('reports')
      .select('site_id')
      .where('id', '=', first.id)
      .executeTakeFirstOrThrow();
    const signsIn = async () => (await api.get(`/api/v1/sites/${siteId}`)).document.data.attributes.signs_in;
    for (const attributes of [{}, { site_id: siteId }, { max_pages: 3 }]) {
      assert.deepEqual(await secretOf((await create(attributes)).id), login.steps[1]);
      assert.equal(await signsIn(), true);
    }
    const schedule = await newSchedule({ starting_url: url });
    assert.deepEqual((await stored('schedules', schedule.id)).login?.steps, login.steps);
    assert.equal(
      (await create({ site_id: siteId, starting_url: 'https://other.example/' })).attributes.signs_in,
      false,
    );
    assert.equal((await create({ site_id: siteId, login: null })).attributes.signs_in, false);
    assert.equal(await signsIn(), false);
  });

  test('that cannot be decrypted prevent runs with a reason, and can be entered again', async () => {
    const schedule = await newSchedule(ACCESS);
    const { id } = schedule;
    const other = createCredentialStore(createSecretBox(newSecretKey())).seal(STORED, `schedule ${id}`);
    await api.db.updateTable('schedules').set({ site_access: other }).where('id', '=', id).execute();
    const fire = () => api.send('POST', schedule.attributes.deploy_hook_url, { token: null });
    const refused = await fire();
    assert.deepEqual(refused.errors, ['409 conflict']);
    assert.match(refused.text, /cannot be decrypted: .* Enter them again/);
    const { attributes: kept } = (await api.get(`/api/v1/schedules/${id}`)).document.data;
    assert.match(kept.last_run_error, /cannot be decrypted/);
    assert.equal(kept.last_run_error_code, 'access_unreadable');
    assert.deepEqual([kept.signs_in, kept.needs_credentials], [true, true]);
    const site = (await api.get(`/api/v1/schedules/${id}`)).document.data.relationships.site.links.related;
    const [, siteId] = site.split('/sites/');
    const ofSite = createCredentialStore(createSecretBox(newSecretKey())).seal(STORED, `site ${siteId}`);
    await api.db.updateTable('sites').set({ site_access: ofSite }).where('id', '=', siteId).execute();
    const { attributes: shown } = (await api.get(`/api/v1/sites/${siteId}`)).document.data;
    assert.deepEqual([shown.signs_in, shown.needs_credentials], [true, true]);
    // Only a change of some credentials must decrypt the others.
    assert.equal((await patch(id, { tags: 'a' })).status, 200);
    assert.deepEqual((await patch(id, { cookies: null })).errors, ['409 conflict']);
    assert.equal((await patch(id, ACCESS)).document.data.attributes.needs_credentials, false);
    assert.equal((await fire()).status, 202);
  });

  test('are encrypted again for each report of a schedule', async () => {
    const { attributes } = await newSchedule(ACCESS);
    const { document } = await api.send('POST', attributes.deploy_hook_url, { token: null });
    assert.equal(document.data.attributes.signs_in, true);
    assert.deepEqual(await stored('reports', document.data.id), STORED);
  });

  test('cannot be guessed from a stored response', async () => {
    const body = JSON.stringify({ data: { attributes: { starting_url: HOME, ...ACCESS } } });
    const send = (key: string) => api.send('POST', '/api/v1/reports', { body, headers: { 'idempotency-key': key } });
    const first = await send('one');
    assert.equal((await send('one')).document.data.id, first.document.data.id);
    await send('two');
    const kept = await api.db.selectFrom('idempotency_keys').selectAll().execute();
    assert.equal(new Set(kept.map(({ request_hash: hash }) => hash.toString('hex'))).size, kept.length);
    for (const { response } of kept) assert.ok(!response?.includes('signs_in'));
  });
});
