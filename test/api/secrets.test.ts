import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { SECRET_ATTRIBUTES } from '../../src/api/attributes/secret-attributes.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { seedOneOfEach, type Values } from '../helpers/one-of-each.ts';

/** The secrets in URLs that an account shares. */
const LINKS = ['hook_secret', 'invitation_secret', 'share_secret'] as const;
const SIGN_IN = ['pass-6b1f0c', 'header-9d2e47', 'cookie-51c8aa'] as const;

describe('secrets of an account', () => {
  let api: TestApi;
  let values: Values;
  let secrets: readonly string[];

  before(async () => {
    api = await startApi();
    const { ownerId, owner, reader } = api.people;
    values = await seedOneOfEach(api.db, { accountId: ownerId, isShared: true });
    const [password, header, cookie] = SIGN_IN;
    const signIn = {
      basic_auth: { username: 'user', password },
      headers: { 'X-Preview': header },
      cookies: { session: cookie },
    };
    for (const [path, more] of [
      ['/reports', { shared: true }],
      ['/schedules', { periodicity: { every: 'deploy' } }],
    ] as const) {
      const attributes = { starting_url: 'https://example.com/', ...signIn, ...more };
      const reply = await api.send('POST', `/api/v1${path}`, { attributes });
      assert.equal(reply.status, 201, reply.text);
    }
    const { token } = (await api.send('POST', '/api/v1/api_tokens', { attributes: {} })).document.data.attributes;
    secrets = [...LINKS.map((name) => String(values[name])), token, owner, reader, ...SIGN_IN];
  });
  after(() => api?.close());

  /** The responses of every GET endpoint, for each resource and each list. */
  const readAll = async (token: string): Promise<string> => {
    const texts: string[] = [];
    for (const { path } of ENDPOINTS.filter(({ method }) => method === 'GET')) {
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
      texts.push((await api.get(`/api/v1${address}`, token)).text);
    }
    for (const list of ['reports', 'schedules']) {
      for (const { links } of await api.walk(`/api/v1/${list}`, token))
        texts.push((await api.get(links.self, token)).text);
    }
    return texts.join('\n');
  };

  test('read-only tokens, guests and readers of shared reports see none of them', async () => {
    const { reader, guest, stranger } = api.people;
    for (const [who, token] of Object.entries({ reader, guest, stranger })) {
      const text = await readAll(token);
      for (const secret of secrets) assert.ok(!text.includes(secret), `${who} sees ${secret}`);
      if (who !== 'reader') continue;
      for (const name of SECRET_ATTRIBUTES) assert.ok(!text.includes(`"${name}"`), name);
    }
  });

  test('the account sees the secrets that it can share', async () => {
    const text = await readAll(api.people.owner);
    for (const name of LINKS) assert.ok(text.includes(String(values[name])), name);
    for (const secret of SIGN_IN) assert.ok(!text.includes(secret), secret);
  });

  test('none is stored unencrypted', async () => {
    const { rows: tables } = await sql<{ name: string }>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`.execute(api.db);
    for (const { name } of tables) {
      const { rows } = await sql<{ text: string }>`SELECT t::text AS text FROM ${sql.table(name)} t`.execute(api.db);
      const text = rows.map((row) => row.text).join('\n');
      for (const secret of secrets) {
        assert.ok(!text.includes(secret), `${name} has ${secret}`);
        assert.ok(!text.includes(Buffer.from(secret).toString('hex')), `${name} has ${secret}`);
      }
    }
  });

  test('with another key, the URLs keep working and are not shown', async () => {
    const { ownerId, strangerId, stranger } = api.people;
    const lost = await seedOneOfEach(api.db, { accountId: ownerId });
    const other = createSecretBox(newSecretKey()).seal('x', 'y');
    await sql`UPDATE schedules SET hook_sealed = ${other} WHERE id = ${lost['schedule_id']}`.execute(api.db);
    await sql`UPDATE guest_accounts SET invitation_sealed = ${other} WHERE id = ${lost['guest_account_id']}`.execute(
      api.db,
    );
    const schedule = (await api.get(`/api/v1/schedules/${lost['schedule_id']}`)).document.data.attributes;
    assert.ok(!('deploy_hook_url' in schedule));
    const guest = (await api.get(`/api/v1/guest_accounts/${lost['guest_account_id']}`)).document.data.attributes;
    assert.equal(guest.invitation_url, null);
    const hook = `/schedule/${lost['schedule_id']}/${lost['hook_secret']}/fire`;
    assert.equal((await api.send('POST', hook, { token: null })).status, 202);
    const accept = `/api/v1/invitations/${lost['invitation_secret']}/accept`;
    assert.equal((await api.send('POST', accept, { token: stranger })).document.data.attributes.guest.name, 'Stranger');
    await api.db.deleteFrom('guest_accounts').where('guest_id', '=', strangerId).execute();
  });
});
