import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import { issueTypeFingerprint } from '../../src/issues/identity.ts';
import { applyNextDecision } from '../../src/reports/apply-decisions.ts';
import { applyNextBatch } from '../../src/reports/apply-mutings.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { identityOf } from '../helpers/identities.ts';
import { element } from '../helpers/sample-report.ts';
import { type SeedIssue, seedDocument, seedReport } from '../helpers/seed.ts';

/** Occurrences that decisions have changed are neither new nor fixed, and comparisons say so. */

const URL_OF_PAGE = 'https://example.com/a';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api?.close());
afterEach(async () => {
  await sql`TRUNCATE reports, sites, mutings CASCADE`.execute(api.db);
});

function issueOf(type: 'error' | 'warning', ruleId: string, howMany: number): SeedIssue {
  const kind = issueTypeFingerprint('a11y', { type, subType: null, ruleId, message: ruleId }, true);
  return {
    kind: {
      type,
      message: ruleId,
      ruleId,
      impact: 'serious',
      tags: ['wcag2a'],
      helpUrl: `https://example.com/${ruleId}`,
    },
    occurrences: Array.from({ length: howMany }, () => element('a')),
    identity: { ...identityOf(ruleId, ruleId, howMany), kind },
  };
}

async function run(): Promise<string> {
  const issues = [issueOf('warning', 'color-contrast', 2), issueOf('error', 'image-alt', 3)];
  const page = { url: URL_OF_PAGE, checks: { a11y: { status: 'checked' as const, issues } } };
  const { reportId, pageIds } = await seedReport(api.db, { account_id: api.people.ownerId }, ['a11y'], [page]);
  for (const [url, id] of pageIds) await seedDocument(api.db, id, Buffer.from(url));
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  await settle();
  return reportId;
}

async function settle(): Promise<void> {
  while (await applyNextDecision(api.db));
  while (await computeNextInsights(api.db));
}

const NONE = { error: 0, not_an_error: 0, error_before: 0, not_an_error_before: 0 };

test('comparisons name what decisions have changed', async () => {
  await run();
  const report = `/api/v1/reports/${await run()}`;
  const occurrencesOf = async (query: string): Promise<Item[]> => {
    const [type] = await api.walk(`${report}/common_a11y_issues?${query}`);
    return api.walk(type?.relationships['occurrences'].links.related);
  };
  const decide = async (query: string, scope: string, verdict: string): Promise<string> => {
    const [first] = await occurrencesOf(query);
    const attributes = { occurrence: first?.id, scope, verdict };
    const reply = await api.send('POST', `${report}/decisions`, { attributes });
    assert.equal(reply.status, 201, reply.text);
    await settle();
    return reply.document.data.links.self;
  };
  const changes = async () => {
    const { meta, data } = (await api.get(`${report}/changes?at=now`)).document;
    const rows = data.map(({ attributes: of }: Item) => [
      of.rule_id,
      of.issue_type,
      of.change,
      of.cause,
      of.causes.decision,
    ]);
    return { rows: rows.sort(), changes: meta.changes, decided: meta.decided };
  };
  const before = await changes();
  assert.deepEqual(before.decided, NONE);
  const error = await decide('filter[issue_type]=warning', 'rule', 'error');
  await decide('filter[issue_type]=error&filter[verdict]=none', 'occurrence', 'not_an_error');
  const { rows, changes: counts, decided } = await changes();
  assert.deepEqual(decided, { ...NONE, error: 2, not_an_error: 1 });
  assert.deepEqual(counts, { ...before.changes, persisting: 4, unverified: 1 });
  assert.deepEqual(rows, [
    ['color-contrast', 'error', 'persisting', 'decision', 2],
    ['image-alt', 'error', 'persisting', 'decision', 1],
  ]);
  const listed = await occurrencesOf('filter[verdict]=error');
  assert.deepEqual(
    listed.map(({ attributes: { change } }) => change),
    ['persisting', 'persisting'],
  );
  const csv = (await api.get(`${report}/export?format=csv`)).text;
  assert.equal(csv.match(/,error,,[^,]*,\d{4}-\d\d-\d\dT/g)?.length, 2, csv);
  await api.send('DELETE', error);
  await settle();
  assert.deepEqual((await changes()).decided, { ...NONE, not_an_error: 1 });
});

test('the id of an issue type whose occurrences are all decided leads to them', async () => {
  const report = `/api/v1/reports/${await run()}`;
  const [type] = await api.walk(`${report}/common_a11y_issues?filter[issue_type]=error`);
  const [occurrence] = await api.walk(type?.relationships['occurrences'].links.related);
  const attributes = { occurrence: occurrence?.id, scope: 'rule', verdict: 'not_an_error' };
  const { document } = await api.send('POST', `${report}/decisions`, { attributes });
  await settle();
  const self = `${report}/common_a11y_issues/${type?.id}`;
  const { data } = (await api.get(`${self}?filter[muted]=all`)).document;
  assert.deepEqual([data.attributes.verdict, data.attributes.how_many], ['not_an_error', 3]);
  assert.notEqual(data.id, type?.id);
  assert.equal((await api.get(self)).document.data.attributes.how_many, 0);
  assert.equal((await api.walk(`${self}/occurrences?filter[muted]=not_an_error`)).length, 3);
  await api.send('DELETE', document.data.links.self);
  await settle();
  assert.equal((await api.get(`${report}/common_a11y_issues/${data.id}`)).document.data.attributes.verdict, null);
});

test('decisions and their undoing mark the next run of the site', async () => {
  const finish = async (): Promise<string> => {
    const id = await run();
    await api.db.updateTable('reports').set({ finished_at: new Date() }).where('id', '=', id).execute();
    return `/api/v1/reports/${id}`;
  };
  const report = await finish();
  const [type] = await api.walk(`${report}/common_a11y_issues`);
  const [occurrence] = await api.walk(type?.relationships['occurrences'].links.related);
  const attributes = { occurrence: occurrence?.id, scope: 'rule', verdict: 'error' };
  const { data } = (await api.send('POST', `${report}/decisions`, { attributes })).document;
  await settle();
  const marked = async () => {
    const { runs } = (await api.get(`/api/v1/sites/${data.attributes.site_id}`)).document.data.attributes;
    return runs.map((each: Item['attributes']) => each.changed_decisions);
  };
  await finish();
  assert.deepEqual(await marked(), [1, 0]);
  await api.send('DELETE', data.links.self);
  await settle();
  await finish();
  assert.deepEqual(await marked(), [1, 1, 0]);
});

test('a new muting with a selector does not visit existing reports, and its preview is an upper bound', async () => {
  await run();
  const attributes = { url_match: 'example', message: 'image-alt', selector: '.banner' };
  const preview = (await api.get('/api/v1/mutings/preview?message=image-alt&selector=.banner')).document.data
    .attributes;
  assert.deepEqual([preview.how_many, preview.upper_bound], [3, true]);
  assert.equal((await api.get('/api/v1/mutings/preview?message=x')).document.data.attributes.upper_bound, false);
  assert.equal((await api.send('POST', '/api/v1/mutings', { attributes })).status, 201);
  assert.equal(await applyNextBatch(api.db), false);
});
