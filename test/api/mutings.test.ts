import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { applyNextBatch, withdrawExpired } from '../../src/reports/apply-mutings.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { A11Y_KINDS, ABOUT, HOME, HTML_KINDS, SITE, seedSample } from '../helpers/sample-report.ts';
import { type Seeded, seedReport } from '../helpers/seed.ts';

const MUTINGS = '/api/v1/mutings';

describe('mutings', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());
  beforeEach(async () => {
    await api.db.deleteFrom('mutings').execute();
    await api.db.deleteFrom('reports').execute();
  });

  /** Creates a muting and applies it to existing reports, as workers do. */
  async function mute(urlMatch: string, message: string, token = api.people.owner): Promise<string> {
    const reply = await api.send('POST', MUTINGS, { token, attributes: { url_match: urlMatch, message } });
    assert.equal(reply.status, 201, reply.text);
    await settle();
    return reply.document.data.id;
  }

  async function unmute(id: string): Promise<void> {
    assert.equal((await api.send('DELETE', `${MUTINGS}/${id}`)).status, 204);
    await settle();
  }

  async function settle(): Promise<void> {
    while (await applyNextBatch(api.db, 1));
  }

  const addressOf = (seeded: Seeded) => `/api/v1/reports/${seeded.reportId}`;

  /** Common issues with how often and on how many pages they occur. */
  const counts = async (path: string, token?: string) =>
    Object.fromEntries(
      (await api.walk(path, token)).map(({ attributes }) => [
        attributes.message ?? attributes.help,
        [attributes.how_many, attributes.num_web_pages],
      ]),
    );

  const messages = async (path: string): Promise<string[]> =>
    (await api.walk(path)).map(({ attributes }) => attributes.message ?? attributes.help);

  test('create, read, list newest first, delete', async () => {
    const attributes = { url_match: '  example.com/Blog ', message: 'Duplicate ID', comment: 'Comes from a plugin.' };
    const reply = await api.send('POST', MUTINGS, { attributes });
    assert.equal(reply.status, 201, reply.text);
    const { data } = reply.document;
    assert.match(data.id, /^[1-9]\d*$/);
    const self = `${api.origin}${MUTINGS}/${data.id}`;
    assert.deepEqual(data, {
      type: 'muting',
      id: data.id,
      attributes: {
        ...attributes,
        id: Number(data.id),
        url_match: 'example.com/Blog',
        how_many: 0,
        num_reports: 0,
        expires_at: null,
        expired: false,
      },
      links: { self },
    });
    assert.equal(reply.headers['location'], self);
    assert.deepEqual((await api.get(self)).document, { data, jsonapi: { version: '1.0' } });

    const { data: second } = (await api.send('POST', MUTINGS, { attributes: { url_match: 'x', message: 'y' } }))
      .document;
    assert.equal(second.attributes.comment, '');
    assert.deepEqual(await api.walk(`${MUTINGS}?page[size]=1`), [second, data]);
    assert.deepEqual(await api.walk(MUTINGS, api.people.stranger), []);

    const gone = await api.send('DELETE', self);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    for (const method of ['GET', 'DELETE']) assert.equal((await api.send(method, self)).status, 404);
    assert.deepEqual(await api.walk(MUTINGS), [second]);
    await settle();
    assert.deepEqual(await api.walk(MUTINGS), [second]);
    for (const id of ['0', 'x', '99999999999999999999', '1e3']) {
      assert.deepEqual((await api.get(`${MUTINGS}/${id}`)).errors, ['404 not_found'], id);
    }
  });

  test('rejects invalid mutings, with all problems at once', async () => {
    const errors = async (attributes: unknown) => (await api.send('POST', MUTINGS, { attributes })).errors.toSorted();
    const at = (...names: string[]) => names.map((name) => `422 invalid /data/attributes/${name}`).toSorted();
    assert.deepEqual(await errors({}), at('url_match', 'message'));
    assert.deepEqual(await errors({ url_match: ' \n', message: '' }), at('url_match', 'message'));
    assert.deepEqual(await errors({ url_match: 1, message: [], comment: null }), at('url_match', 'message', 'comment'));
    assert.deepEqual(await errors({ url_match: 'a\0', message: '\ud800', id: 1 }), at('url_match', 'message', 'id'));
    const long = { url_match: 'a'.repeat(2_049), message: 'b'.repeat(4_097), comment: 'c'.repeat(1_001) };
    assert.deepEqual(await errors(long), at('url_match', 'message', 'comment'));
    assert.deepEqual(
      await errors({ url_match: '', comment: 'x'.repeat(1_001) }),
      at('url_match', 'message', 'comment'),
    );
    const longest = { url_match: 'a'.repeat(2_048), message: 'b'.repeat(4_096), comment: 'c'.repeat(1_000) };
    assert.deepEqual(await errors(longest), []);
  });

  test('matches some pages and not others, has separate counts, and links to what it shows', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = addressOf(sample);
    const duplicate = HTML_KINDS.duplicateId.message;
    const before = await counts(`${report}/common_html_issues`);
    assert.deepEqual(before[duplicate], [3, 2]);
    await mute(`${SITE}/about_`, 'DUPLICATE id “MAIN”');

    const list = `${report}/common_html_issues`;
    assert.deepEqual(await counts(list), { ...before, [duplicate]: [2, 1] });
    assert.deepEqual(await counts(`${list}?filter[muted]=true`), { [duplicate]: [1, 1] });
    assert.deepEqual(await counts(`${list}?filter[muted]=all`), before);
    for (const [choice, pages] of [
      ['false', [HOME]],
      ['true', [ABOUT]],
      ['all', [HOME, ABOUT]],
    ] as const) {
      const item = (await api.walk(`${list}?filter[muted]=${choice}&filter[message]=duplicate`))[0];
      assert.deepEqual((await api.get(item?.links.self)).document.data, item, choice);
      const found = await api.walk(item?.relationships.web_pages.links.related);
      assert.deepEqual(
        found.map(({ attributes }) => attributes.url),
        pages,
      );
    }

    const about = `${report}/web_pages/${sample.pageIds.get(ABOUT)}`;
    assert.deepEqual(await messages(`${about}/html_issues`), []);
    for (const choice of ['true', 'all']) {
      assert.deepEqual(await messages(`${about}/html_issues?filter[muted]=${choice}`), [duplicate]);
    }
    const home = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    assert.equal((await messages(`${home}/html_issues`)).length, 3);
    assert.deepEqual(await messages(`${home}/html_issues?filter[muted]=true`), []);
    const { errors, warnings } = (await api.get(about)).document.data.attributes.html_check;
    assert.deepEqual([errors, warnings], [0, 0]);
    assert.deepEqual((await api.get(report)).document.data.attributes.checks.html.issues, { errors: 3, warnings: 3 });
    await assertCountsAddUp(api.db, sample.reportId);
  });

  test('mutes accessibility issues by the URL of the page, with their severity', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = addressOf(sample);
    const severity = async () => (await api.get(report)).document.data.attributes.checks.a11y.issues.severity;
    const all = { minor: 0, moderate: 2, serious: 2, critical: 1, total: { errors: 3, warnings: 2, total: 5 } };
    assert.deepEqual(await severity(), all);
    // The frame has another URL than the page.
    const inFrame = await mute('/frame', A11Y_KINDS.imageAlt.message);
    assert.deepEqual(await severity(), all);
    await unmute(inFrame);
    await mute('example.com', 'alternative text');
    const rest = { ...all, critical: 0, total: { errors: 2, warnings: 2, total: 4 } };
    assert.deepEqual(await severity(), rest);
    const image = A11Y_KINDS.imageAlt.message;
    const list = `${report}/common_a11y_issues`;
    assert.ok(!(await messages(list)).includes(image));
    assert.deepEqual(await counts(`${list}?filter[muted]=true`), { [image]: [1, 1] });
    assert.equal((await messages(`${list}?filter[muted]=all`))[0], image);

    // Completely muted, it is in no list but keeps its URL.
    const id = sample.commonIds.get(image);
    const { attributes } = (await api.get(`${list}/${id}`)).document.data;
    assert.deepEqual([attributes.how_many, attributes.num_web_pages], [0, 0]);
    assert.deepEqual(await api.walk(`${report}/web_pages?filter[common_a11y_issue_id]=${id}`), []);
    assert.equal(
      (await api.walk(`${report}/web_pages?filter[common_a11y_issue_id]=${id}&filter[muted]=true`)).length,
      1,
    );
    await assertCountsAddUp(api.db, sample.reportId);
  });

  test('deleting restores exactly the previous issues, unless another muting matches them', async () => {
    // Applying a muting updates the report's status, and one of its checks is pending.
    const sample = await seedSample(api.db, { account_id: api.people.ownerId, status: 'checking' });
    const report = addressOf(sample);
    const paths = ['', '/web_pages', '/common_html_issues', '/common_a11y_issues'].map((path) => report + path);
    const look = async () => {
      const texts = await Promise.all(paths.map(async (path) => (await api.get(path)).text));
      return texts.map((text) => text.replace(/"updated_at":"[^"]*"/g, ''));
    };
    const before = await look();
    const everything = await mute('e', 'e');
    const duplicates = await mute('example', 'duplicate');
    const muted = await look();
    assert.notDeepEqual(muted, before);
    await unmute(everything);
    assert.deepEqual(Object.keys(await counts(`${report}/common_html_issues?filter[muted]=true`)), [
      HTML_KINDS.duplicateId.message,
    ]);
    await unmute(duplicates);
    assert.deepEqual(await look(), before);
    assert.deepEqual(await api.db.selectFrom('mutings').selectAll().execute(), []);
  });

  test('every character is literal, and case is ignored as in filters', async () => {
    const kind = { type: 'error', message: 'Straße: 100% of_ÉTÉ' } as const;
    const pages = [
      { url: HOME, checks: { html: { status: 'checked', issues: [{ kind, occurrences: [1] }] } } },
    ] as const;
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
    const list = `/api/v1/reports/${reportId}/common_html_issues`;
    for (const [text, matches] of [
      ['STRASSE', true],
      ['été', true],
      ['100%', true],
      ['1%f', false],
      ['ofxété', false],
      ['strasze', false],
    ] as const) {
      const filtered = await messages(`${list}?filter[message]=${encodeURIComponent(text)}`);
      const id = await mute('HTTPS://', text);
      assert.equal((await messages(list)).length, matches ? 0 : 1, text);
      assert.equal(filtered.length, matches ? 1 : 0, text);
      await unmute(id);
    }
  });

  test('shows its owner how many places it matches in all reports', async () => {
    const { ownerId, stranger } = api.people;
    const [first, second] = [
      await seedSample(api.db, { account_id: ownerId, shared: true }),
      await seedSample(api.db, { account_id: ownerId }),
    ];
    const one = await mute('example.com', 'duplicate');
    const two = await mute(ABOUT, 'duplicate id');
    const howMany = async () =>
      Object.fromEntries((await api.walk(MUTINGS)).map(({ id, attributes }) => [id, attributes.how_many]));
    assert.deepEqual(await howMany(), { [one]: 6, [two]: 2 });
    assert.equal((await api.get(`${MUTINGS}/${one}`)).document.data.attributes.how_many, 6);
    const seen = async (token?: string) =>
      (await api.walk(`${addressOf(first)}/mutings`, token)).map(({ attributes }) => attributes.how_many);
    assert.deepEqual(
      [await seen(), await seen(stranger)],
      [
        [2, 6],
        [undefined, undefined],
      ],
    );
    await api.send('DELETE', addressOf(second));
    assert.deepEqual(await howMany(), { [one]: 3, [two]: 1 });
    await api.send('DELETE', `${addressOf(first)}/web_pages/${first.pageIds.get(ABOUT)}`);
    assert.deepEqual(await howMany(), { [one]: 2, [two]: 0 });
    await unmute(one);
    assert.deepEqual(await howMany(), { [two]: 0 });
  });

  test('matches whole rule ids, and in messages straight and typographic quotes', async () => {
    const kinds = [
      { type: 'error', message: 'The “alt” isn’t there', ruleId: 'image-alt' },
      { type: 'error', message: 'Attribute "x" isn\'t known' },
    ] as const;
    const url = "https://example.com/it's";
    const check = { status: 'checked', issues: kinds.map((kind) => ({ kind, occurrences: [1] })) } as const;
    const { reportId } = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['html'],
      [{ url, checks: { html: check } }],
    );
    const list = `/api/v1/reports/${reportId}/common_html_issues?filter[muted]=true`;
    const [alt, attribute] = kinds.map(({ message }) => message);
    for (const [urlMatch, message, expected] of [
      ['example', 'image-alt', [alt]],
      ['example', 'IMAGE-ALT', [alt]],
      ['example', 'image-al', []],
      ['example', '"alt" isn\'t', [alt]],
      ['example', '“x” isn‘t', [attribute]],
      ['example', 'isn’t', [alt, attribute]],
      ['it’s', 'isn’t', []],
      ["it's", '’', [alt, attribute]],
    ] as const) {
      const id = await mute(urlMatch, message);
      assert.deepEqual((await messages(list)).sort(), [...expected].sort(), `${urlMatch} ${message}`);
      await unmute(id);
    }
  });

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
    const { duplicateId, fatal } = HTML_KINDS;
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

  test('an expired muting silences nothing, and says so', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const attributes = { url_match: SITE, message: HTML_KINDS.duplicateId.message, expires_at: '2199-12-31' };
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
    const duplicates = encodeURIComponent(HTML_KINDS.duplicateId.message);
    assert.deepEqual(await preview(`url_match=EXAMPLE.com&message=${duplicates}`), {
      how_many: 3,
      num_web_pages: 2,
      kinds: [{ kind: 'html', message: HTML_KINDS.duplicateId.message, how_many: 3 }],
      num_reports: 1,
      num_web_pages_searched: 3,
      complete: true,
    });
    const onAbout = await preview('url_match=about_us');
    assert.deepEqual(
      onAbout.kinds.map(({ message }: { message: string }) => message),
      [A11Y_KINDS.region.message, HTML_KINDS.duplicateId.message],
    );
    assert.equal((await preview('message=image-alt')).how_many, 1, 'the id of the rule');
    assert.equal((await preview('message=no+such')).how_many, 0);
    const everything = await preview('');
    assert.equal(everything.num_web_pages, 2);
    const id = await mute(SITE, HTML_KINDS.duplicateId.message);
    assert.equal((await preview(`message=${duplicates}`)).how_many, 3, 'muted ones, too');
    await unmute(id);
  });
});
