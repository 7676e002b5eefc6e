import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import { deleteAccount } from '../../src/accounts/manage-accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { withdrawExpired } from '../../src/reports/apply-mutings.ts';
import { endNextAccount } from '../../src/reports/end-accounts.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { addressOf, MUTINGS, mutingsOf } from '../helpers/mutings.ts';
import { inviteGuest } from '../helpers/people.ts';
import { A11Y_ISSUE_TYPES, ABOUT, HTML_ISSUE_TYPES, SITE, seedSample } from '../helpers/sample-report.ts';
import type { Seeded } from '../helpers/seed.ts';

describe('where mutings apply, and until when', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());
  beforeEach(async () => {
    await api.db.deleteFrom('mutings').execute();
    await api.db.deleteFrom('reports').execute();
  });

  const { mute, unmute, settle, counts } = mutingsOf(() => api);

  test('a report lists the mutings that match something in it', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId, shared: true });
    const report = addressOf(sample);
    const { mutings } = (await api.get(report)).document.data.relationships;
    assert.deepEqual(mutings, { links: { related: `${api.origin}${report}/mutings` } });
    const ids = async (token?: string) => (await api.walk(mutings.links.related, token)).map(({ id }) => id);
    const first = await mute(ABOUT, 'duplicate');
    const second = await mute('example.com', 'duplicate id');
    await mute('example.com', 'nothing of the kind');
    await mute('elsewhere.example', 'duplicate');
    // Mutings of another account have no effect.
    await mute('example.com', 'duplicate', api.people.stranger);
    assert.deepEqual(await ids(), [second, first]);
    assert.deepEqual(await ids(api.people.stranger), [second, first]);
    const links = async (token?: string) =>
      (await api.walk(mutings.links.related, token)).map((muting) => muting.links?.self);
    assert.deepEqual(
      await links(),
      [second, first].map((id) => `${api.origin}${MUTINGS}/${id}`),
    );
    assert.deepEqual(await links(api.people.stranger), [undefined, undefined], 'they would lead nowhere');
    assert.deepEqual(
      (await api.get(`${mutings.links.related}?page[size]=1&page[number]=2`)).document.data[0].id,
      first,
    );
    await unmute(second);
    assert.deepEqual(await ids(), [first]);
    const { relationships } = (await api.get(report, api.people.free)).document.data;
    assert.equal(relationships.mutings, undefined);
  });

  test("a host's mutings apply to its guest's reports, as the guest's own do, until the sharing ends", async () => {
    const { guestId, guestAccountId, guest } = api.people;
    const made = await seedSample(api.db, { account_id: guestId, guest_account_id: guestAccountId });
    const own = await seedSample(api.db, { account_id: guestId });
    const mutedIn = async (seeded: Seeded) =>
      Object.keys(await counts(`${addressOf(seeded)}/common_html_issues?filter[muted]=true`, guest));
    const { duplicateId, fatal } = HTML_ISSUE_TYPES;
    await mute('example.com', duplicateId.message);
    assert.deepEqual(await mutedIn(made), [duplicateId.message]);
    assert.deepEqual(await mutedIn(own), []);
    await mute('example.com', fatal.message, guest);
    assert.deepEqual((await mutedIn(made)).sort(), [fatal.message, duplicateId.message].sort());
    assert.deepEqual(await mutedIn(own), [fatal.message]);
    assert.equal((await api.walk(`${addressOf(made)}/mutings`, guest)).length, 2);

    assert.equal((await api.send('DELETE', `/api/v1/guest_accounts/${guestAccountId}`)).status, 204);
    await settle();
    for (const seeded of [made, own]) assert.deepEqual(await mutedIn(seeded), [fatal.message]);
    for (const seeded of [made, own]) await assertCountsAddUp(api.db, seeded.reportId);
  });

  test('mutings of a deleted host no longer apply to the reports of its guests', async () => {
    const { guestId, guest } = api.people;
    const host = await createAccount(api.db, { email: 'gone-host@example.com', name: 'Gone' });
    const { token } = await createToken(api.db, { accountId: host.id, scope: 'write' });
    const guestAccountId = await inviteGuest(api.db, host, { id: guestId, plan: 'free' });
    const made = await seedSample(api.db, { account_id: guestId, guest_account_id: guestAccountId });
    const muted = async () =>
      Object.keys(await counts(`${addressOf(made)}/common_html_issues?filter[muted]=true`, guest));
    const before = await muted();
    const { duplicateId } = HTML_ISSUE_TYPES;
    await mute('example.com', duplicateId.message, token);
    assert.deepEqual((await muted()).sort(), [...before, duplicateId.message].sort());
    await deleteAccount(api.db, host.id);
    while (await endNextAccount(api.db));
    await settle();
    while (await endNextAccount(api.db));
    assert.deepEqual(await muted(), before);
    await assertCountsAddUp(api.db, made.reportId);
    const left = api.db.selectFrom('accounts').select('id').where('id', '=', host.id);
    assert.equal(await left.executeTakeFirst(), undefined);
  });

  test('an expired muting hides nothing, and says so', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const attributes = { url_match: SITE, message: HTML_ISSUE_TYPES.duplicateId.message, expires_at: '2199-12-31' };
    const reply = await api.send('POST', MUTINGS, { attributes });
    assert.equal(reply.status, 201, reply.text);
    const self = String(reply.headers['location']);
    assert.equal(reply.document.data.attributes.expires_at, '2199-12-31T23:59:59');
    const shown = async () => {
      const { how_many, num_reports, expired } = (await api.get(self)).document.data.attributes;
      return { how_many, num_reports, expired };
    };
    await withdrawExpired(api.db);
    await settle();
    assert.deepEqual(await shown(), { how_many: 3, num_reports: 1, expired: false });
    const before = (await api.get(addressOf(sample))).document.data.attributes.checks.html;
    assert.deepEqual(before.pages, { passed: 1, with_errors: 1 });
    await assertCountsAddUp(api.db, sample.reportId);

    await api.db
      .updateTable('mutings')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .execute();
    assert.deepEqual(await shown(), { how_many: 3, num_reports: 1, expired: true });
    await withdrawExpired(api.db);
    await settle();
    assert.deepEqual(await shown(), { how_many: 0, num_reports: 0, expired: true });
    const after = (await api.get(addressOf(sample))).document.data.attributes.checks.html;
    assert.deepEqual(after.pages, { passed: 0, with_errors: 2 });
    assert.deepEqual(await api.walk(`${addressOf(sample)}/mutings`), []);
    await assertCountsAddUp(api.db, sample.reportId);
    for (const past of ['2020-01-01', 'tomorrow', 7]) {
      const { errors } = await api.send('POST', MUTINGS, { attributes: { ...attributes, expires_at: past } });
      assert.deepEqual(errors, ['422 invalid /data/attributes/expires_at'], String(past));
    }
  });

  test('a preview counts what a muting would match in the latest report of each starting URL', async () => {
    const preview = async (query: string) => (await api.get(`${MUTINGS}/preview?${query}`)).document.data.attributes;
    await seedSample(api.db, { account_id: api.people.ownerId });
    await seedSample(api.db, { account_id: api.people.ownerId });
    await seedSample(api.db, { account_id: api.people.strangerId });
    const duplicates = encodeURIComponent(HTML_ISSUE_TYPES.duplicateId.message);
    assert.deepEqual(await preview(`url_match=EXAMPLE.com&message=${duplicates}`), {
      how_many: 3,
      num_web_pages: 2,
      kinds: [{ kind: 'html', message: HTML_ISSUE_TYPES.duplicateId.message, how_many: 3 }],
      num_reports: 1,
      num_web_pages_searched: 3,
      upper_bound: false,
      complete: true,
    });
    const onAbout = await preview('url_match=about_us');
    assert.deepEqual(
      onAbout.kinds.map(({ message }: { message: string }) => message),
      [A11Y_ISSUE_TYPES.region.message, HTML_ISSUE_TYPES.duplicateId.message],
    );
    assert.equal((await preview('message=image-alt')).how_many, 1, 'the id of the rule');
    assert.equal((await preview('message=no+such')).how_many, 0);
    const everything = await preview('');
    assert.equal(everything.num_web_pages, 2);
    const id = await mute(SITE, HTML_ISSUE_TYPES.duplicateId.message);
    assert.equal((await preview(`message=${duplicates}`)).how_many, 3, 'muted issues, too');
    await unmute(id);
  });
});
