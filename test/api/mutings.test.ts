import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { addressOf, MUTINGS, mutingsOf } from '../helpers/mutings.ts';
import { A11Y_ISSUE_TYPES, ABOUT, HOME, HTML_ISSUE_TYPES, SITE, seedSample } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

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

  const { mute, unmute, settle, counts } = mutingsOf(() => api);

  const messages = async (path: string): Promise<string[]> =>
    (await api.walk(path)).map(({ attributes }) => attributes.message ?? attributes.help);

  test('are created, read, listed newest first, and deleted', async () => {
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
        selector: null,
        retroactive: false,
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
    for (const selector of ['p[', '<p>', 'p'.repeat(257), ''])
      assert.deepEqual(await errors({ url_match: 'a', message: 'b', selector }), at('selector'), selector);
    assert.deepEqual(
      await errors({ url_match: 'a', message: 'b', selector: 'p', retroactive: true }),
      at('retroactive'),
    );
    const longest = { url_match: 'a'.repeat(2_048), message: 'b'.repeat(4_096), comment: 'c'.repeat(1_000) };
    assert.deepEqual(await errors(longest), []);
  });

  test('matches some pages and not others, has separate counts, and links to the pages that it counts', async () => {
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = addressOf(sample);
    const duplicate = HTML_ISSUE_TYPES.duplicateId.message;
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
    // The URL of the frame differs from the URL of the page.
    const inFrame = await mute('/frame', A11Y_ISSUE_TYPES.imageAlt.message);
    assert.deepEqual(await severity(), all);
    await unmute(inFrame);
    await mute('example.com', 'alternative text');
    const rest = { ...all, critical: 0, total: { errors: 2, warnings: 2, total: 4 } };
    assert.deepEqual(await severity(), rest);
    const image = A11Y_ISSUE_TYPES.imageAlt.message;
    const list = `${report}/common_a11y_issues`;
    assert.ok(!(await messages(list)).includes(image));
    assert.deepEqual(await counts(`${list}?filter[muted]=true`), { [image]: [1, 1] });
    assert.equal((await messages(`${list}?filter[muted]=all`))[0], image);

    // If it is completely muted, it is in no list but keeps its URL.
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
      HTML_ISSUE_TYPES.duplicateId.message,
    ]);
    await unmute(duplicates);
    assert.deepEqual(await look(), before);
    assert.deepEqual(await api.db.selectFrom('mutings').selectAll().execute(), []);
  });

  test('takes every character literally, and ignores case as filters do', async () => {
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

  test('shows its owner how many occurrences it matches in all reports', async () => {
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

  test('matches whole rule ids, and both straight and typographic quotes in messages', async () => {
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
});
