import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { A11Y_ISSUE_TYPES, ABOUT, GONE, HOME, HTML_ISSUE_TYPES, seedSample } from '../helpers/sample-report.ts';

describe('re-checks', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** The sample report of an account with a number of credits. */
  async function sampleOf(credits: number | null) {
    const { id } = await createAccount(api.db, { email: `${credits}@example.com`, credits, plan: 'enterprise' });
    const { token } = await createToken(api.db, { accountId: id, scope: 'write' });
    const sample = await seedSample(api.db, { account_id: id });
    const report = `/api/v1/reports/${sample.reportId}`;
    return {
      ...sample,
      pageId: (url: string) => String(sample.pageIds.get(url)),
      recheck: (attributes: object) => api.send('POST', `${report}/rechecks`, { token, attributes }),
      list: () => api.walk(`${report}/rechecks`, token),
      report: async () => (await api.get(report, token)).document.data,
      credits: async () => (await api.get('/api/v1/account', token)).document.data.attributes.credits,
      statuses: async () =>
        (await api.walk(`${report}/web_pages`, token)).map(({ attributes }) => [
          attributes.html_check.status,
          attributes.a11y_check.status,
        ]),
    };
  }

  test('POST checks all pages of a common issue again', async () => {
    const sample = await sampleOf(100);
    const reply = await sample.recheck({
      common_html_issue_id: String(sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message)),
    });
    assert.equal(reply.status, 201, reply.text);
    const { id, ...data } = reply.document.data;
    assert.match(id, /^[0-9a-f-]{36}$/);
    const report = `${api.origin}/api/v1/reports/${sample.reportId}`;
    const { inserted_at: _, ...attributes } = data.attributes;
    const none = { fixed: 0, still: 0, new: 0 };
    assert.deepEqual(attributes, {
      num_web_pages: 2,
      // The accessibility check of one page is already pending.
      credits: 3,
      status: { pending: 4, checked: 0, failed: 0 },
      occurrences: none,
      uncompared: 0,
      kind: 'html',
      common_issue_id: String(sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message)),
      message: HTML_ISSUE_TYPES.duplicateId.message,
      occurrences_of_issue: none,
      finished_at: null,
    });
    assert.deepEqual(data.relationships, { report: { links: { related: report } } });
    assert.equal(data.links.self, `${report}/rechecks/${id}`);
    assert.deepEqual(await sample.statuses(), [
      ['pending', 'pending'],
      ['pending', 'pending'],
      ['failed', 'failed'],
    ]);
    assert.equal(await sample.credits(), 97);
    // Clients that wait for the end of the report wait for the re-check.
    const { status, finished_at: finishedAt } = (await sample.report()).attributes;
    assert.deepEqual([status, finishedAt], ['checking', null]);
    await assertCountsAddUp(api.db, sample.reportId);

    const again = await sample.recheck({
      web_page_ids: [sample.pageId(HOME), sample.pageId(GONE), sample.pageId(HOME)],
    });
    const given = again.document.data.attributes;
    assert.deepEqual([given.num_web_pages, given.credits], [2, 2]);
    assert.deepEqual(
      [given.kind, given.common_issue_id, given.message, given.occurrences_of_issue],
      [null, null, null, null],
    );
    const listed = await sample.list();
    assert.deepEqual(
      listed.map((recheck) => recheck.id),
      [again.document.data.id, id],
    );
    assert.equal(await sample.credits(), 95);
    await assertCountsAddUp(api.db, sample.reportId);
  });

  test('skips pages on which the issue is muted', async () => {
    const sample = await sampleOf(null);
    const commonId = sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message) ?? 0;
    const onHome = api.db
      .updateTable('issues')
      .set({ muted: true, mutings: [1] })
      .where('common_issue_id', '=', commonId);
    await onHome.where('web_page_id', '=', Number(sample.pageId(HOME))).execute();
    const reply = await sample.recheck({ common_html_issue_id: String(commonId) });
    const { num_web_pages: pages, credits } = reply.document.data.attributes;
    assert.deepEqual([pages, credits], [1, 1]);
    assert.equal((await sample.statuses())[0]?.[0], 'checked');
  });

  test('hides accessibility checks from readers who may not see them', async () => {
    const sample = await sampleOf(500);
    const common = String(sample.commonIds.get(A11Y_ISSUE_TYPES.contrast.message));
    const { attributes: all } = (await sample.recheck({ common_a11y_issue_id: common })).document.data;
    assert.deepEqual([all.kind, all.status.pending], ['a11y', 2]);
    await api.db.updateTable('accounts').set({ plan: 'free' }).where('email', '=', '500@example.com').execute();
    const [seen] = await sample.list();
    const { kind, message, common_issue_id: id, occurrences_of_issue: occurrences, status } = seen?.attributes ?? {};
    assert.deepEqual([kind, message, id, occurrences, status.pending], [null, null, null, null, 1]);
  });

  test('returns the re-check of the same pages that has not ended', async () => {
    const sample = await sampleOf(200);
    const common = { common_html_issue_id: String(sample.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message)) };
    const both = { web_page_ids: [HOME, ABOUT].map(sample.pageId) };
    const same = { web_page_ids: both.web_page_ids.toReversed() };
    const asked = [common, common, both, same, { web_page_ids: [sample.pageId(HOME)] }, common];
    const ids: string[] = [];
    for (const attributes of asked) ids.push((await sample.recheck(attributes)).document.data.id);
    const [first, , second, , third] = ids;
    assert.deepEqual(ids, [first, first, second, second, third, first]);
    assert.equal(new Set(ids).size, 3);
    assert.equal(await sample.credits(), 197, 'only the first one checked anything that was not pending');
    await assertCountsAddUp(api.db, sample.reportId);
    await api.db.deleteFrom('recheck_checks').where('recheck_id', '=', String(first)).execute();
    const next = (await sample.recheck(common)).document.data.id;
    assert.ok(!ids.includes(next), 'it has ended');
    const occurrences = api.db.updateTable('issues').set({ muted: true, mutings: [1] });
    await occurrences.where('common_issue_id', '=', Number(common.common_html_issue_id)).execute();
    assert.equal((await sample.recheck(common)).document.data.id, next, 'even when no page has the issue');
    const other = await sample.recheck({ common_a11y_issue_id: common.common_html_issue_id });
    assert.deepEqual(other.errors, ['422 invalid /data/attributes/common_a11y_issue_id']);
  });

  test('at most 20 re-checks of a report are pending, and the latest 50 are kept', async () => {
    const sample = await sampleOf(300);
    const home = Number(sample.pageId(HOME));
    const row = { report_id: sample.reportId, num_web_pages: 1, credits: 2 };
    const many = Array.from({ length: 60 }, (_, hour) => ({ ...row, inserted_at: new Date(2020, 0, 1, hour) }));
    const old = await api.db.insertInto('rechecks').values(many).returning('id').execute();
    const waiting = old.slice(0, 19).map(({ id }) => ({ recheck_id: id, web_page_id: home, kind: 'html' as const }));
    await api.db.insertInto('recheck_checks').values(waiting).execute();
    const { id } = (await sample.recheck({ web_page_ids: [String(home)] })).document.data;
    const kept = [id, ...[...old.slice(0, 19), ...old.slice(-30)].map((each) => each.id).toReversed()];
    assert.deepEqual(
      (await sample.list()).map((listed) => listed.id),
      kept,
    );
    assert.deepEqual((await sample.recheck({ web_page_ids: [sample.pageId(ABOUT)] })).errors, ['409 conflict']);
  });

  test('credits pay for all checks and raw checks, or nothing changes', async () => {
    // Six checks, one of which is already pending, and both kinds store raw checks.
    const sample = await sampleOf(9);
    const before = await sample.statuses();
    const all = { web_page_ids: [HOME, ABOUT, GONE].map(sample.pageId) };
    assert.deepEqual((await sample.recheck(all)).errors, ['402 credits_exhausted']);
    assert.deepEqual(await sample.statuses(), before);
    assert.equal(await sample.credits(), 9);
    await assertCountsAddUp(api.db, sample.reportId);
    assert.equal((await sample.recheck({ web_page_ids: all.web_page_ids.slice(0, 2) })).status, 201);
    assert.equal(await sample.credits(), 6);
  });

  test('requires exactly one set of pages, all of the report', async () => {
    const sample = await sampleOf(50);
    const other = await sampleOf(51);
    const html = String(sample.commonIds.get(HTML_ISSUE_TYPES.fatal.message));
    const a11y = String(sample.commonIds.get(A11Y_ISSUE_TYPES.region.message));
    const invalid: [attributes: object, attribute: string][] = [
      [{}, 'web_page_ids'],
      [{ web_page_ids: [] }, 'web_page_ids'],
      [{ web_page_ids: sample.pageId(HOME) }, 'web_page_ids'],
      [{ web_page_ids: ['x'] }, 'web_page_ids'],
      [{ web_page_ids: [sample.pageId(HOME), other.pageId(HOME)] }, 'web_page_ids'],
      [{ web_page_ids: [sample.pageId(HOME)], common_html_issue_id: html }, 'web_page_ids'],
      [{ common_a11y_issue_id: a11y, common_html_issue_id: html }, 'common_a11y_issue_id'],
      [{ common_html_issue_id: a11y }, 'common_html_issue_id'],
      [{ common_html_issue_id: '-1' }, 'common_html_issue_id'],
      [{ common_html_issue_id: String(other.commonIds.get(HTML_ISSUE_TYPES.fatal.message)) }, 'common_html_issue_id'],
      [{ pages: [] }, 'pages'],
    ];
    for (const [attributes, attribute] of invalid) {
      const { errors } = await sample.recheck(attributes);
      assert.deepEqual(errors, [`422 invalid /data/attributes/${attribute}`], JSON.stringify(attributes));
    }
    assert.equal(await sample.credits(), 50);
  });
});
