import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { HOME, seedSample } from '../helpers/sample-report.ts';

const GUESTS = '/api/v1/guest_accounts';

describe('guest accounts', () => {
  let api: TestApi;
  let people: TestApi['people'];
  let joined = 0;

  before(async () => {
    api = await startApi();
    people = api.people;
  });
  after(() => api?.close());

  /** A new account with a token. */
  const join = async (plan: 'free' | 'pro' = 'free') => {
    joined += 1;
    const { id } = await createAccount(api.db, {
      email: `person-${joined}@example.com`,
      name: `Person ${joined}`,
      plan,
    });
    return { id, token: (await createToken(api.db, { accountId: id, scope: 'write' })).token };
  };
  const invite = async (token = people.owner, maxUsage = 50): Promise<Item> => {
    const reply = await api.send('POST', GUESTS, { token, attributes: { max_usage: maxUsage } });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };
  const acceptPath = (item: Item) => {
    const secret = /^.*\/invitations\/([\w-]{43})$/.exec(item.attributes.invitation_url)?.[1];
    return `/api/v1/invitations/${secret}/accept`;
  };
  const change = (id: string, attributes: unknown, token = people.owner) =>
    api.send('PATCH', `${GUESTS}/${id}`, { token, attributes });
  const report = async (token: string): Promise<Item> => {
    const attributes = { starting_url: 'https://example.com/' };
    const reply = await api.send('POST', '/api/v1/reports', { token, attributes });
    assert.equal(reply.status, 201, reply.text);
    return reply.document.data;
  };

  test('the URL of an invitation opens the dashboard, which keeps it secret and distinguishes wrong invitations from accepted ones', async () => {
    const made = await invite();
    const path = String(made.attributes.invitation_url).replace(api.origin, '');
    const guest = await join();
    const stateOf = async (address: string) => {
      const told = await api.send('GET', `/auth${address}`, { token: null });
      return told.document.state ?? told.errors;
    };
    assert.equal(await stateOf(path), 'open');
    assert.equal((await api.send('POST', acceptPath(made), { token: guest.token })).status, 200);
    assert.equal(await stateOf(path), 'taken');
    for (const address of [path, `${path}x`, '/invitations/%00', '/invitations/']) {
      if (address !== path) assert.deepEqual(await stateOf(address), ['404 not_found'], address);
      const page = await api.send('GET', address, { token: null });
      assert.equal(page.status, 200, address);
      assert.match(String(page.headers['content-type']), /^text\/html/);
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.equal(page.headers['referrer-policy'], 'no-referrer');
      assert.equal(page.headers['x-robots-tag'], 'noindex');
    }
    assert.deepEqual((await api.send('GET', `${path}/x`, { token: null })).errors, ['404 not_found']);
    assert.deepEqual((await api.send('POST', path, { token: null })).errors, ['405 method_not_allowed']);
  });

  test('an invitation is created, read, changed, accepted and withdrawn', async () => {
    const made = await invite(people.owner, 30);
    assert.match(made.id, /^G[0-9A-F]{9}$/);
    assert.equal(made.type, 'guest_account');
    assert.equal(made.links.self, `${api.origin}${GUESTS}/${made.id}`);
    assert.ok(made.attributes.invitation_url.startsWith(`${api.origin}/invitations/`));
    const { invitation_url: _, inserted_at, updated_at, ...others } = made.attributes;
    assert.deepEqual(others, { max_usage: 30, current_usage: 0, guest: null, accepted_at: null });
    assert.deepEqual((await api.get(`${GUESTS}/${made.id}`)).document.data, made);
    const { attributes: read } = (await api.get(`${GUESTS}/${made.id}`, people.reader)).document.data;
    assert.deepEqual(read, { ...others, inserted_at, updated_at });

    const changed = await change(made.id, { max_usage: 40, current_usage: 7 });
    assert.equal(changed.status, 200);
    assert.equal(changed.document.data.attributes.max_usage, 40);
    assert.equal(changed.document.data.attributes.current_usage, 7);
    assert.equal((await change(made.id, { current_usage: 0 })).document.data.attributes.current_usage, 0);
    assert.equal((await change(made.id, {})).document.data.attributes.max_usage, 40);

    const person = await join();
    const accepted = await api.send('POST', acceptPath(made), { token: person.token });
    assert.equal(accepted.status, 200, accepted.text);
    const { attributes } = accepted.document.data;
    assert.equal(attributes.invitation_url, null);
    assert.deepEqual(attributes.guest, { name: `Person ${joined}`, email: `person-${joined}@example.com` });
    assert.match(attributes.accepted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual((await api.get(`${GUESTS}/${made.id}`)).document.data, accepted.document.data);

    assert.equal((await api.send('DELETE', `${GUESTS}/${made.id}`)).status, 204);
    assert.deepEqual((await api.get(`${GUESTS}/${made.id}`)).errors, ['404 not_found']);
    assert.deepEqual((await api.send('POST', acceptPath(made), { token: person.token })).errors, ['404 not_found']);
  });

  test('accepting requires the right secret and another account, and works once', async () => {
    const made = await invite();
    const [one, two] = [await join(), await join()];
    const accept = (path: string, token: string) => api.send('POST', path, { token });
    assert.deepEqual((await accept('/api/v1/invitations/wrong/accept', one.token)).errors, ['404 not_found']);
    assert.deepEqual((await accept('/api/v1/invitations/%00/accept', one.token)).errors, ['404 not_found']);
    assert.deepEqual((await accept(acceptPath(made), people.owner)).errors, ['409 conflict']);
    assert.deepEqual((await accept(acceptPath(made), people.reader)).errors, ['403 read_only_token']);
    const replies = await Promise.all([accept(acceptPath(made), one.token), accept(acceptPath(made), two.token)]);
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409]);
    assert.deepEqual((await accept(acceptPath(made), two.token)).errors, ['409 conflict']);
  });

  test('attributes are validated', async () => {
    const max = '/data/attributes/max_usage';
    const current = '/data/attributes/current_usage';
    for (const value of [0, -1, 1.5, '5', null, true, 1e12]) {
      const reply = await api.send('POST', GUESTS, { attributes: { max_usage: value } });
      assert.deepEqual(reply.errors, [`422 invalid ${max}`], String(value));
    }
    assert.deepEqual((await api.send('POST', GUESTS, { attributes: {} })).errors, [`422 invalid ${max}`]);
    const both = await api.send('POST', GUESTS, { attributes: { current_usage: 1 } });
    assert.deepEqual(both.errors, [`422 invalid ${max}`, `422 invalid ${current}`]);
    const changed = await change(people.guestAccountId, { max_usage: 0, current_usage: -1, guest: null });
    assert.deepEqual(changed.errors, [
      `422 invalid ${max}`,
      `422 invalid ${current}`,
      '422 invalid /data/attributes/guest',
    ]);
    for (const id of ['G12345678', 'g123456789', 'G12345678Z', '1', '%00', 'G0000000000']) {
      assert.deepEqual((await api.get(`${GUESTS}/${id}`)).errors, ['404 not_found'], id);
    }
  });

  test('only the host can change it, its guest can read and leave it, others learn nothing', async () => {
    const path = `${GUESTS}/${people.guestAccountId}`;
    assert.equal((await api.get(path, people.guest)).status, 200);
    assert.deepEqual((await change(people.guestAccountId, { max_usage: 9 }, people.guest)).errors, ['403 forbidden']);
    for (const [token, error] of [
      [people.stranger, '404 not_found'],
      [people.reader, '403 read_only_token'],
    ] as const) {
      assert.deepEqual((await change(people.guestAccountId, { max_usage: 9 }, token)).errors, [error]);
      assert.deepEqual((await api.send('DELETE', path, { token })).errors, [error]);
    }
    assert.deepEqual((await api.get(path, people.stranger)).errors, ['404 not_found']);
    assert.deepEqual(await api.walk(GUESTS, people.stranger), []);
    assert.deepEqual(await api.walk(GUESTS, people.guest), []);
  });

  test('the list is paged, newest first, and has as many as the plan allows', async () => {
    const host = await join('pro');
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) ids.unshift((await invite(host.token)).id);
    const create = () => api.send('POST', GUESTS, { token: host.token, attributes: { max_usage: 1 } });
    const replies = await Promise.all([create(), create(), create()]);
    assert.deepEqual(
      replies.flatMap((reply) => reply.errors),
      ['422 invalid', '422 invalid'],
    );
    const listed = await api.walk(`${GUESTS}?page[size]=4`, host.token);
    assert.deepEqual(
      listed.slice(1).map((item) => item.id),
      ids,
    );
    await api.send('DELETE', `${GUESTS}/${ids[0]}`, { token: host.token });
    assert.equal((await create()).status, 201, 'a deleted one makes room');
    // A guest has its host's features, and cannot share them.
    for (const { token } of [await join('free'), { token: people.guest }]) {
      const reply = await api.send('POST', GUESTS, { token, attributes: { max_usage: 1 } });
      assert.deepEqual(reply.errors, ['403 pro_required']);
    }
  });

  test('usage of an earlier month counts as 0', async () => {
    const { id } = await invite();
    await change(id, { current_usage: 12 });
    const usage = async () => (await api.get(`${GUESTS}/${id}`)).document.data.attributes.current_usage;
    assert.equal(await usage(), 12);
    await api.db
      .updateTable('guest_accounts')
      .set({ usage_month: sql<Date>`usage_month - interval '1 month'` })
      .where('id', '=', id)
      .execute();
    assert.equal(await usage(), 0);
    assert.equal((await change(id, { current_usage: 3 })).document.data.attributes.current_usage, 3);
  });

  test("the host reads and manages its guests' reports", async () => {
    const made = await report(people.guest);
    assert.equal(made.attributes.guest_token, people.guestAccountId);
    const related = made.relationships.guest_token.links.related;
    assert.equal((await api.get(related)).document.data.id, people.guestAccountId);
    assert.equal((await api.get(related, people.guest)).document.data.id, people.guestAccountId);
    const own = await report(people.owner);
    assert.ok(!('guest_token' in own.attributes) && !('guest_token' in own.relationships));
    assert.deepEqual((await api.get(`/api/v1/reports/${own.id}`, people.guest)).errors, ['404 not_found']);
    assert.deepEqual((await api.get(`/api/v1/reports/${made.id}`, people.stranger)).errors, ['404 not_found']);

    const names = { account_id: people.guestId, guest_account_id: people.guestAccountId };
    const sample = await seedSample(api.db, names);
    const path = `/api/v1/reports/${sample.reportId}`;
    const page = `${path}/web_pages/${sample.pageIds.get(HOME)}`;
    for (const each of [path, page, `${page}/html_issues`, `${path}/common_a11y_issues`]) {
      assert.equal((await api.get(each)).text, (await api.get(each, people.guest)).text, each);
    }
    assert.equal((await api.send('PATCH', path, { attributes: { shared: true } })).status, 200);
    assert.equal((await api.send('PATCH', page, { attributes: { status: 'pending' } })).status, 200);
    assert.deepEqual((await api.send('DELETE', path, { token: people.stranger })).errors, ['403 forbidden']);
    const shared = (await api.get(path, people.stranger)).document.data;
    assert.ok(!('guest_token' in shared.relationships), 'a stranger could not follow it');
    assert.equal((await api.send('DELETE', path)).status, 204);
  });

  test('reports are listed by who created them', async () => {
    const host = await join('pro');
    const guests = [await join(), await join()];
    const tokens: string[] = [];
    for (const guest of guests) {
      const invitation = await invite(host.token);
      await api.send('POST', acceptPath(invitation), { token: guest.token });
      tokens.push(invitation.id);
    }
    const own = await report(host.token);
    const first = await report(guests[0]?.token ?? '');
    const second = await report(guests[1]?.token ?? '');
    const ids = async (query: string, token = host.token) =>
      (await api.walk(`/api/v1/reports?page[size]=2&${query}`, token)).map((item) => item.id);
    assert.deepEqual(await ids(''), [own.id]);
    assert.deepEqual(await ids('created_by=me'), [own.id]);
    assert.deepEqual(await ids('created_by=all'), [second.id, first.id, own.id]);
    assert.deepEqual(await ids('created_by=guests'), [second.id, first.id]);
    assert.deepEqual(await ids(`created_by=guests&guest_token=${tokens[0]}`), [first.id]);
    assert.deepEqual(await ids(`created_by=guests&guest_token=${tokens[1]},+${tokens[0]},`), [second.id, first.id]);
    assert.deepEqual(await ids(`created_by=guests&guest_token=${people.guestAccountId}`), []);
    assert.deepEqual(await ids('created_by=guests&guest_token='), [], 'without guests there are no reports');
    assert.deepEqual(await ids('created_by=all&filter[url]=nowhere'), []);
    assert.deepEqual(await ids('', guests[0]?.token), [first.id]);
    assert.deepEqual(await ids('created_by=guests', guests[0]?.token), []);
    assert.deepEqual((await api.get('/api/v1/reports?created_by=you', host.token)).errors, [
      '400 invalid_parameter created_by',
    ]);
  });

  test('when the sharing ends, the guest keeps its site credentials and reports for itself', async () => {
    const person = await join();
    const invitation = await invite();
    await api.send('POST', acceptPath(invitation), { token: person.token });
    const made = await report(person.token);
    const path = `/api/v1/reports/${made.id}`;
    assert.equal((await api.get(path)).status, 200);
    const pro = { starting_url: 'https://example.com/', perform_a11y_checks: true };
    const createPro = () => api.send('POST', '/api/v1/reports', { token: person.token, attributes: pro });
    assert.equal((await createPro()).status, 201, "the host's plan counts");
    await api.send('DELETE', `${GUESTS}/${invitation.id}`);
    assert.deepEqual((await api.get(path)).errors, ['404 not_found']);
    assert.deepEqual((await createPro()).errors, ['403 pro_required /data/attributes/perform_a11y_checks']);
    const kept = await api.get(path, person.token);
    assert.equal(kept.status, 200);
    assert.equal(kept.document.data.attributes.guest_token, invitation.id);
    assert.ok(!('guest_token' in kept.document.data.relationships));
    assert.ok(!('guest_token' in (await report(person.token)).attributes));
  });

  test('a guest that leaves has its own plan and credits again', async () => {
    const host = await join('pro');
    const person = await join('pro');
    const other = await join();
    await api.db.updateTable('accounts').set({ credits: 9 }).where('id', '=', host.id).execute();
    const account = async () => {
      const { plan, credits } = (await api.get('/api/v1/account', person.token)).document.data.attributes;
      return [plan, credits];
    };
    const invitation = await invite(host.token, 5);
    await api.send('POST', acceptPath(invitation), { token: person.token });
    const made = await report(person.token);
    assert.deepEqual(await account(), ['pro', 5]);
    const path = `${GUESTS}/${invitation.id}`;
    assert.deepEqual((await api.send('DELETE', path, { token: other.token })).errors, ['403 pro_required']);
    assert.deepEqual((await api.send('DELETE', path, { token: people.stranger })).errors, ['404 not_found']);
    assert.equal((await api.send('DELETE', path, { token: person.token })).status, 204);
    assert.deepEqual(await account(), ['pro', null]);
    assert.deepEqual((await api.get(path, host.token)).errors, ['404 not_found']);
    assert.deepEqual((await api.get(`/api/v1/reports/${made.id}`, host.token)).errors, ['404 not_found']);
    assert.equal((await api.get(`/api/v1/reports/${made.id}`, person.token)).status, 200);
    assert.ok(!('guest_token' in (await report(person.token)).attributes));
  });

  test("sharing is suspended while the host's plan does not include it", async () => {
    const host = await join('pro');
    const person = await join('pro');
    const invitation = await invite(host.token);
    await api.send('POST', acceptPath(invitation), { token: person.token });
    const guestToken = async () => (await report(person.token)).attributes.guest_token;
    assert.equal(await guestToken(), invitation.id);
    const setPlan = (plan: 'free' | 'pro') =>
      api.db.updateTable('accounts').set({ plan }).where('id', '=', host.id).execute();
    await setPlan('free');
    assert.equal((await api.get('/api/v1/account', person.token)).document.data.attributes.plan, 'pro');
    assert.equal(await guestToken(), undefined);
    await setPlan('pro');
    assert.equal(await guestToken(), invitation.id);
  });

  test('the invitation accepted last applies', async () => {
    const person = await join();
    const [first, second] = [await invite(), await invite((await join('pro')).token)];
    for (const invitation of [first, second]) await api.send('POST', acceptPath(invitation), { token: person.token });
    assert.equal((await report(person.token)).attributes.guest_token, second.id);
    await api.db.updateTable('guest_accounts').set({ deleted_at: new Date() }).where('id', '=', second.id).execute();
    assert.equal((await report(person.token)).attributes.guest_token, first.id);
  });
});
