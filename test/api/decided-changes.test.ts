import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueTypeFingerprint } from '../../src/issues/identity.ts';
import { applyNextDecision } from '../../src/reports/apply-decisions.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { identityOf } from '../helpers/identities.ts';
import { element } from '../helpers/sample-report.ts';
import { type SeedIssue, seedDocument, seedReport } from '../helpers/seed.ts';

/** Occurrences that decisions have changed are neither new nor fixed, and comparisons say so. */

const URL_OF_PAGE = 'https://example.com/a';

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

async function run(api: TestApi): Promise<string> {
  const issues = [issueOf('warning', 'color-contrast', 2), issueOf('error', 'image-alt', 3)];
  const page = { url: URL_OF_PAGE, checks: { a11y: { status: 'checked' as const, issues } } };
  const { reportId, pageIds } = await seedReport(api.db, { account_id: api.people.ownerId }, ['a11y'], [page]);
  for (const [url, id] of pageIds) await seedDocument(api.db, id, Buffer.from(url));
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  await settle(api);
  return reportId;
}

async function settle(api: TestApi): Promise<void> {
  while (await applyNextDecision(api.db));
  while (await computeNextInsights(api.db));
}

const NONE = { error: 0, not_an_error: 0, error_before: 0, not_an_error_before: 0 };

test('comparisons name what decisions have changed', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  await run(api);
  const report = `/api/v1/reports/${await run(api)}`;
  const occurrencesOf = async (query: string): Promise<Item[]> => {
    const [type] = await api.walk(`${report}/common_a11y_issues?${query}`);
    return api.walk(type?.relationships['occurrences'].links.related);
  };
  const decide = async (query: string, scope: string, verdict: string): Promise<string> => {
    const [first] = await occurrencesOf(query);
    const attributes = { occurrence: first?.id, scope, verdict };
    const reply = await api.send('POST', `${report}/decisions`, { attributes });
    assert.equal(reply.status, 201, reply.text);
    await settle(api);
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
  await api.send('DELETE', error);
  await settle(api);
  assert.deepEqual((await changes()).decided, { ...NONE, not_an_error: 1 });
});
