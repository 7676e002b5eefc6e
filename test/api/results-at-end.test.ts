import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimChecks } from '../../src/queue/claims.ts';
import { applyNextBatch, createMuting } from '../../src/reports/apply-mutings.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPages } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage } from '../../src/store/reports/deletion.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { refetch, WORKER } from '../helpers/played-report.ts';
import { occurrence } from '../helpers/sample-report.ts';
import { identityOn, MESSAGE, seedOccurrences } from '../helpers/seed-occurrences.ts';

const [A, B] = ['https://example.com/a', 'https://example.com/b'];

/** Ends a report of two pages with the first occurrences of each. */
async function run(api: TestApi, a: number, b: number): Promise<string> {
  const pages = [
    { url: A, occurrences: [0, a] },
    { url: B, occurrences: [0, b] },
  ] as const;
  const id = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, pages);
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', id).execute();
  await compute(api);
  return id;
}

async function compute(api: TestApi): Promise<void> {
  while (await computeNextInsights(api.db));
}

/** Checks the first page of a report again, which now has the first occurrences only. */
async function recheck(api: TestApi, id: string, occurrences: number): Promise<void> {
  const pages = await api.db.selectFrom('web_pages').select(['id', 'url']).where('report_id', '=', id).execute();
  const page = pages.find(({ url }) => url === A);
  assert.ok(page);
  await recheckPages(api.db, id, { webPageIds: [page.id] });
  await refetch(api, id, 1);
  const [check] = await claimChecks(api.db, 'html', WORKER, 1);
  assert.ok(check);
  const identity = identityOn({ url: A, occurrences: [0, occurrences] });
  const kind = { type: 'error', subType: null, ruleId: null, helpUrl: null, impact: null, tags: [] } as const;
  const issue = { ...kind, message: MESSAGE, url: A, howMany: occurrences, occurrences: [occurrence(1)], identity };
  await saveCheckResults(api.db, id, 'html', [{ ...check, outcome: { issues: [packIssue(issue)] } }]);
  await compute(api);
}

async function changes(api: TestApi, id: string, query = '') {
  const { meta } = (await api.get(`/api/v1/reports/${id}/changes?${query}`)).document;
  const { new: added, fixed, persisting, unverified, not_checked_before: again } = meta.changes;
  return { new: added, fixed, persisting, unverified, again, changed_since_end: meta.changed_since_end };
}

test('every screen shows what reports found at their end, and what they have now where it differs', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const first = await run(api, 10, 4);
  const second = await run(api, 8, 6);
  const report = async (id: string) => (await api.get(`/api/v1/reports/${id}`)).document.data;
  const site = async () => {
    const path = new URL((await report(second)).relationships.site.links.related).pathname;
    return (await api.get(path)).document.data.attributes;
  };
  const stats = async () => (await api.get('/api/v1/stats?interval=day')).document.data;
  const none = { unverified: 0, again: 0 };
  const atEnd = { new: 2, fixed: 2, persisting: 12, ...none };
  assert.deepEqual(await changes(api, second), { ...atEnd, changed_since_end: false });
  assert.equal((await report(second)).attributes.at_end, null);
  const [before, statsBefore] = [await site(), await stats()];
  assert.deepEqual(
    before.runs.map(({ errors, now }: { errors: number; now: unknown }) => [errors, now]),
    [
      [14, null],
      [14, null],
    ],
  );

  await recheck(api, second, 3);
  assert.deepEqual(await changes(api, second), { ...atEnd, changed_since_end: true });
  const now = { new: 2, fixed: 7, persisting: 7, ...none };
  assert.deepEqual(await changes(api, second, 'at=now'), { ...now, changed_since_end: true });
  assert.deepEqual(await changes(api, second, `at=now&with=${first}`), { ...now, changed_since_end: true });
  const { attributes } = await report(second);
  assert.equal(attributes.checks.html.issues.errors, 9);
  assert.deepEqual(attributes.at_end, {
    pages: { checked: 2, passed: 0 },
    checks: { html: { pages: { passed: 0, with_errors: 2 }, issues: { errors: 14, warnings: 0 } }, a11y: null },
  });
  const { runs, change } = await site();
  assert.deepEqual(runs[0], {
    ...before.runs[0],
    now: { errors: 9, errors_per_page: 4.5, severe_free: null, critical: 0, passed: 0, checked: 2 },
  });
  assert.equal(change.fixed, 7, 'the status of the site is its status now');
  assert.deepEqual(await stats(), statsBefore);
  const ofSite = new URL((await report(second)).relationships.site.links.related).pathname;
  const compared = (await api.get(`${ofSite}/comparison`)).document.data.attributes;
  assert.deepEqual([compared.before.errors, compared.now.errors], [14, 14]);
  for (const [format, words] of [
    ['md', '| Errors | 14 | 14 |'],
    ['html', '<th scope="row">Errors</th><td>14</td><td>14</td>'],
  ]) {
    const { text } = await api.get(`${ofSite}/comparison/export?format=${format}`);
    assert.ok(text.includes(words ?? ''), text);
  }

  // What a re-check has fixed is fixed in the next report.
  const third = await run(api, 3, 6);
  assert.deepEqual(await changes(api, third), { new: 0, fixed: 5, persisting: 9, ...none, changed_since_end: false });

  // A muting changes the reports now, and explains why the next one has fewer.
  const muting = { account_id: api.people.ownerId, url_match: '/b', message: 'center', comment: '', expires_at: null };
  await createMuting(api.db, muting);
  while (await applyNextBatch(api.db));
  await compute(api);
  assert.deepEqual(await changes(api, second), { ...atEnd, changed_since_end: true });
  assert.equal((await site()).runs[1].errors, 14);
  const fourth = await run(api, 3, 6);
  const muted = { new: 0, fixed: 0, persisting: 3, unverified: 6, again: 0, changed_since_end: false };
  assert.deepEqual(await changes(api, fourth), muted);
  const { data } = (await api.get(`/api/v1/reports/${fourth}/changes`)).document;
  assert.equal(data[0].attributes.causes.muting, 6);
  assert.deepEqual([data[0].attributes.how_many_before, data[0].attributes.how_many], [9, 3]);

  // A deleted page is deleted from both.
  const pageOf = api.db.selectFrom('web_pages').select('id').where('report_id', '=', second).where('url', '=', A);
  await deletePage(api.db, second, (await pageOf.executeTakeFirstOrThrow()).id);
  await compute(api);
  const left = { new: 2, fixed: 0, persisting: 4, unverified: 10, again: 0, changed_since_end: true };
  assert.deepEqual(await changes(api, second), left);
  assert.equal((await site()).runs.find((each: { report_id: string }) => each.report_id === second).errors, 6);
});

test('a first report whose errors are muted needs no attention, in lists of sites', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  await run(api, 2, 1);
  const needing = async () => {
    const [sites, some] = [await api.walk('/api/v1/sites'), await api.walk('/api/v1/sites?filter[attention]=any')];
    return [some.length, ...sites.map(({ attributes }: Item) => attributes.attention)];
  };
  assert.deepEqual(await needing(), [1, 'has_errors']);
  const muting = { account_id: api.people.ownerId, url_match: '/', message: 'center', comment: '', expires_at: null };
  await createMuting(api.db, muting);
  while (await applyNextBatch(api.db));
  assert.deepEqual(await needing(), [0, 'none']);
});
