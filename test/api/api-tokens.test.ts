import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { changeCredits } from '../../src/accounts/accounts.ts';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { createToken, TOKENS_MAX } from '../../src/accounts/tokens.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { hashSecret, newSecret } from '../../src/platform/kept-secret.ts';
import { startRetention } from '../../src/reports/retention.ts';
import { countValidTokens } from '../../src/store/accounts/api-tokens.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { until } from '../helpers/until.ts';

const TOKENS = '/api/v1/api_tokens';

describe('API tokens and the account', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const make = (attributes: object, token = api.people.owner) => api.send('POST', TOKENS, { token, attributes });

  test('POST creates a token that only its response shows', async () => {
    const reply = await make({ name: 'nightly', scope: 'read', expires_at: '2199-12-31T23:59:59' });
    assert.equal(reply.status, 201, reply.text);
    const { id, type, attributes, links } = reply.document.data;
    const { token, inserted_at, ...rest } = attributes;
    assert.equal(type, 'api_token');
    assert.match(id, /^[1-9]\d*$/);
    assert.match(token, /^sw_[\w-]{43}$/);
    assert.match(inserted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual(rest, {
      name: 'nightly',
      scope: 'read',
      expires_at: '2199-12-31T23:59:59',
      last_used_at: null,
    });
    assert.equal(reply.headers['location'], links.self);
    const shown = await api.get(links.self);
    assert.deepEqual(shown.document.data, { id, type, attributes: { ...rest, inserted_at }, links });
    for (const { text } of [shown, await api.get(TOKENS)])
      assert.ok(!text.includes(token) && !text.includes('"token"'));

    assert.equal((await api.get('/api/v1/account', token)).status, 200);
    const used = (await api.get(links.self)).document.data.attributes.last_used_at;
    assert.match(used, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual((await make({}, token)).errors, ['403 read_only_token']);
  });

  test('a token without attributes has write scope, no name and no expiry', async () => {
    const { attributes } = (await make({})).document.data;
    assert.deepEqual([attributes.name, attributes.scope, attributes.expires_at], ['', 'write', null]);
    const made = await make({ expires_at: null }, attributes.token);
    assert.equal(made.status, 201);
  });

  test('times are in UTC or the zone that they name', async () => {
    const times = [
      ['2199-01-01T00:00:00', '2199-01-01T00:00:00'],
      ['2199-01-01T00:00:00Z', '2199-01-01T00:00:00'],
      ['2199-01-01T00:00:00.999+02:00', '2198-12-31T22:00:00'],
      ['2199-01-01T00:00:00-00:30', '2199-01-01T00:30:00'],
      ['2199-01-01', '2199-01-01T23:59:59'],
      ['9999-12-31T23:59:59-12:00', null],
    ];
    for (const [given, stored] of times) {
      const reply = await make({ expires_at: given });
      if (stored === null) assert.equal(reply.errors[0], '422 invalid /data/attributes/expires_at');
      else assert.equal(reply.document.data.attributes.expires_at, stored);
    }
  });

  test('an expiry in the past is rejected with that reason', async () => {
    for (const expires_at of ['2020-01-01T00:00:00', '2020-01-01']) {
      const [error] = (await make({ expires_at })).document.errors;
      assert.equal(error.detail, 'Expires at is in the past');
    }
  });

  test('a token never outlives the token that created it', async () => {
    const expires_at = '2198-06-30T12:00:00';
    const { token } = (await make({ expires_at })).document.data.attributes;
    const ends = async (attributes: object) => {
      const { status, document } = await make(attributes, token);
      return status === 201 ? document.data.attributes.expires_at : document.errors[0].detail;
    };
    assert.equal(await ends({}), expires_at);
    assert.equal(await ends({ expires_at }), expires_at);
    assert.equal(await ends({ expires_at: '2198-06-29' }), '2198-06-29T23:59:59');
    for (const later of ['2198-06-30T12:00:01', '2198-06-30', null]) {
      assert.equal(
        await ends({ expires_at: later }),
        `Expires at must not be later than ${expires_at}, when the token used for this request expires`,
      );
    }
  });

  test('an account has a maximum number of valid tokens; expired and revoked tokens do not count', async () => {
    const { freeId: accountId, free } = api.people;
    const valid = await countValidTokens(api.db, accountId);
    await createToken(api.db, { accountId, scope: 'read', expiresAt: new Date(0) });
    const others = Array.from({ length: TOKENS_MAX - valid - 2 }, () => {
      const hash = hashSecret(newSecret());
      return { account_id: accountId, scope: 'read', name: '', expires_at: null, hash } as const;
    });
    await api.db.insertInto('api_tokens').values(others).execute();
    const replies = await Promise.all(Array.from({ length: 5 }, () => make({}, free)));
    const refused = replies.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 3);
    assert.deepEqual(refused[0]?.errors, ['422 invalid']);
    assert.match(refused[0]?.document.errors[0].detail, /at most 100 valid API tokens\. Revoke one/);
    const [{ id } = { id: '' }] = await api.walk(TOKENS, free);
    assert.equal((await api.send('DELETE', `${TOKENS}/${id}`, { token: free })).status, 204);
    assert.equal((await make({}, free)).status, 201);
  });

  test('expired and revoked tokens are deleted after a week', async () => {
    const { ownerId: accountId } = api.people;
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const makeEnded = async (ended: { expires_at?: Date | null; revoked_at?: Date | null }): Promise<number> => {
      const { id } = await createToken(api.db, { accountId, scope: 'read' });
      await api.db.updateTable('api_tokens').set(ended).where('id', '=', id).execute();
      return id;
    };
    const kept = [
      await makeEnded({ revoked_at: null }),
      await makeEnded({ expires_at: daysAgo(6), revoked_at: daysAgo(6) }),
      await makeEnded({ expires_at: daysAgo(-1) }),
    ];
    const deleted = [
      await makeEnded({ expires_at: daysAgo(8) }),
      await makeEnded({ revoked_at: daysAgo(8) }),
      await makeEnded({ expires_at: daysAgo(-1), revoked_at: daysAgo(8) }),
    ];
    const made = [...kept, ...deleted];
    const left = async () => {
      const rows = await sql<{ id: number }>`SELECT id FROM api_tokens WHERE id = ANY(${made}) ORDER BY id`.execute(
        api.db,
      );
      return rows.rows.map(({ id }) => id);
    };
    const log = pino({ level: 'silent' });
    const retention = startRetention({ db: api.db, clock: systemClock, log, days: null, auditDays: 365 });
    await until(async () => (await left()).length === kept.length);
    await retention.stop();
    assert.deepEqual(await left(), kept);
  });

  test('invalid values are rejected', async () => {
    const wrong = [
      ...[
        '2020-01-01T00:00:00',
        '2199-02-30T00:00:00',
        '2199-13-01T00:00:00',
        '2199-01-01T24:00:00',
        '2020-01-01',
        '2199-02-30',
      ],
      ...['2199-01-01 00:00:00', 'tomorrow', '', '2199-01-01T00:00:00+99:00', 5, true, '+012199-01-01T00:00:00'],
    ];
    for (const expires_at of wrong) {
      const { errors } = await make({ expires_at });
      assert.deepEqual(errors, ['422 invalid /data/attributes/expires_at'], String(expires_at));
    }
    const reply = await make({
      name: 'x'.repeat(201),
      scope: 'admin',
      token: 'mine',
      expires_at: '2020-01-01T00:00:00',
    });
    assert.deepEqual(
      reply.errors,
      ['name', 'scope', 'expires_at', 'token'].map((name) => `422 invalid /data/attributes/${name}`),
    );
    assert.equal(reply.document.errors[0].detail, 'Name must be a string of at most 200 characters');
    assert.deepEqual((await make({ name: 'a\0b' })).errors, ['422 invalid /data/attributes/name']);
  });

  test('DELETE revokes a token, even the token of the request, and the list shows the rest, newest first', async () => {
    const { strangerId: accountId, stranger } = api.people;
    const [first, second] = [
      await createToken(api.db, { accountId, scope: 'write' }),
      await createToken(api.db, { accountId, scope: 'read', expiresAt: new Date(0) }),
    ];
    const ids = async (token: string) => (await api.walk(TOKENS, token)).map(({ id }) => id).slice(0, 2);
    assert.deepEqual(await ids(stranger), [String(second.id), String(first.id)]);
    assert.equal((await api.send('DELETE', `${TOKENS}/${first.id}`, { token: first.token })).status, 204);
    assert.deepEqual((await api.get(TOKENS, first.token)).errors, ['401 invalid_token']);
    assert.equal((await ids(stranger))[0], String(second.id));
    for (const method of ['GET', 'DELETE']) {
      const reply = await api.send(method, `${TOKENS}/${first.id}`, { token: stranger });
      assert.deepEqual(reply.errors, ['404 not_found']);
    }
  });

  test('the account shows the user and the limits', async () => {
    const account = async (token: string) => {
      const reply = await api.get('/api/v1/account', token);
      const { id, type, attributes, links } = reply.document.data;
      assert.deepEqual([type, links], ['account', { self: `${api.origin}/api/v1/account` }]);
      return { id, ...attributes };
    };
    const { inserted_at, updated_at, ...owner } = await account(api.people.reader);
    assert.deepEqual(owner, {
      id: api.people.ownerId,
      name: 'Owner',
      email: 'owner@example.com',
      plan: 'enterprise',
      credits: null,
      operator: false,
      limits: DEFAULT_LIMITS.enterprise,
      ...{ standard: null, best_practices: false, standard_chosen: false },
      guest_account: null,
    });
    assert.match(`${inserted_at} ${updated_at}`, /^\d{4}-\d\d-\d\dT[\d:]+ \d{4}-\d\d-\d\dT[\d:]+$/);
    const free = await account(api.people.free);
    assert.deepEqual([free.plan, free.limits], ['free', DEFAULT_LIMITS.free]);
    const guest = await account(api.people.guest);
    assert.deepEqual([guest.plan, guest.limits], ['enterprise', { ...DEFAULT_LIMITS.enterprise, guest_accounts: 0 }]);
    const { guestAccountId } = api.people;
    assert.deepEqual(guest.guest_account, {
      id: guestAccountId,
      max_usage: 1_000,
      current_usage: 0,
      host: { name: 'Owner' },
    });
    const { relationships } = (await api.get('/api/v1/account', api.people.guest)).document.data;
    const followed = await api.get(relationships.guest_account.links.related, api.people.guest);
    assert.equal(followed.document.data.id, guestAccountId);
    await api.send('PATCH', `/api/v1/guest_accounts/${guestAccountId}`, { attributes: { current_usage: 250 } });
    const used = await account(api.people.guest);
    assert.deepEqual([used.guest_account.current_usage, used.credits], [250, 750]);
    await api.send('PATCH', `/api/v1/guest_accounts/${guestAccountId}`, { attributes: { current_usage: 0 } });
    // Its share of unlimited credits, then the rest of the host's credits.
    assert.equal(guest.credits, 1_000);
    const { ownerId } = api.people;
    await changeCredits(api.db, ownerId, { set: 7 });
    assert.deepEqual([(await account(api.people.owner)).credits, (await account(api.people.guest)).credits], [7, 7]);
  });
});
