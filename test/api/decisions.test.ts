import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { applyNextDecision } from '../../src/reports/apply-decisions.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { seedSample } from '../helpers/sample-report.ts';

describe('decisions', () => {
  let api: TestApi;
  let reportId: string;
  let report: string;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());
  beforeEach(async () => {
    await api.db.deleteFrom('reports').execute();
    await api.db.deleteFrom('sites').execute();
    reportId = (await seedSample(api.db, { account_id: api.people.ownerId })).reportId;
    report = `/api/v1/reports/${reportId}`;
  });

  const settle = async () => {
    while (await applyNextDecision(api.db));
    await assertCountsAddUp(api.db, reportId);
  };
  const decide = async (attributes: object) => {
    const reply = await api.send('POST', `${report}/decisions`, { attributes });
    assert.equal(reply.status, 201, reply.text);
    await settle();
    return reply.document.data;
  };
  const types = async (kind: string, query = ''): Promise<(readonly unknown[])[]> =>
    (await api.walk(`${report}/common_${kind}_issues?${query}`)).map(({ attributes }) => [
      attributes.rule_id ?? attributes.message,
      attributes.issue_type,
      attributes.verdict,
      attributes.how_many,
    ]);
  /** The occurrences of an issue type. */
  const occurrences = async (kind: string, query = '') => {
    const [type] = await api.walk(`${report}/common_${kind}_issues?${query}`);
    const found = await api.walk(type?.relationships['occurrences'].links.related);
    assert.ok(found[0]);
    return [found[0], ...found.slice(1)] as const;
  };
  const counts = async () => (await api.get(report)).document.data.attributes.checks;

  test('an occurrence is an error, with a note and an assessor, until the decision is undone', async () => {
    const before = await types('a11y');
    const checks = await counts();
    const review = before.find(([, type]) => type === 'warning');
    assert.ok(review);
    const [first] = await occurrences('a11y', 'filter[verdict]=none&filter[issue_type]=warning');
    assert.equal(first.attributes.decision, null);
    const decision = await decide({
      ...{ occurrence: first.id, scope: 'occurrence', verdict: 'error' },
      ...{ note: ' Dark photo. ', assessor: 'Ada Lovelace' },
    });
    const { decided_at, site_id, fingerprint, ...shown } = decision.attributes;
    assert.deepEqual(shown, {
      ...{ scope: 'occurrence', verdict: 'error', note: 'Dark photo.', assessor: 'Ada Lovelace', kind: 'a11y' },
      ...{ message: shown.message, rule_id: review[0], impact: shown.impact, markup: first.attributes.markup },
      ...{ page_url: first.attributes.url, how_many: 0 },
    });
    const decided = await types('a11y', 'filter[verdict]=error');
    assert.deepEqual(decided, [[review[0], 'error', 'error', 1]]);
    const [now] = await occurrences('a11y', 'filter[verdict]=error');
    const { id, scope, verdict, note } = now.attributes.decision;
    assert.deepEqual([id, scope, verdict, note], [decision.id, 'occurrence', 'error', 'Dark photo.']);
    assert.equal((await counts()).a11y.issues.errors, checks.a11y.issues.errors + 1);
    const self = decision.links.self;
    assert.equal((await api.get(self)).document.data.attributes.how_many, 1);
    const list = `/api/v1/sites/${site_id}/decisions`;
    assert.deepEqual(
      (await api.walk(list)).map((each) => each.id),
      [decision.id],
    );

    const changed = await api.send('PATCH', self, { attributes: { verdict: 'later' } });
    assert.equal(changed.document.data.attributes.note, 'Dark photo.');
    await settle();
    assert.deepEqual(await types('a11y', 'filter[verdict]=later'), [[review[0], 'warning', 'later', 1]]);
    assert.deepEqual(await counts(), checks);

    assert.equal((await api.send('DELETE', self)).status, 204);
    await settle();
    assert.deepEqual(await types('a11y'), before);
    assert.equal((await api.get(self)).status, 404);
  });

  test('what is no error is not counted, and listed separately from what mutings mute', async () => {
    const [one] = await occurrences('html', 'filter[issue_type]=error&sort=how_many-desc');
    const rule = await decide({ occurrence: one.id, scope: 'rule', verdict: 'not_an_error' });
    const [refuted, ...others] = await types('html', 'filter[muted]=not_an_error');
    assert.equal(refuted?.[2], 'not_an_error');
    assert.deepEqual([others, await types('html', 'filter[muted]=true')], [[], []]);
    const left = await types('html');
    assert.ok(left.every(([name]) => name !== refuted?.[0]));
    // The same again replaces the decision.
    const [there] = await occurrences('html', 'filter[muted]=not_an_error');
    const error = await decide({ occurrence: there.id, scope: 'rule', verdict: 'error' });
    assert.equal(error.id, rule.id);
    assert.deepEqual(await types('html', 'filter[muted]=not_an_error'), []);
  });

  test('decisions apply to the next report of the site', async () => {
    const [first] = await occurrences('a11y', 'filter[issue_type]=warning');
    await decide({ occurrence: first.id, scope: 'rule', verdict: 'not_an_error' });
    reportId = (await seedSample(api.db, { account_id: api.people.ownerId })).reportId;
    await settle();
    report = `/api/v1/reports/${reportId}`;
    assert.deepEqual(await types('a11y', 'filter[issue_type]=warning'), []);
  });

  test('documents say what people decided; in EARL, it is failed or passed, by them', async () => {
    const [first] = await occurrences('a11y', 'filter[issue_type]=warning');
    const [second] = await occurrences('html', 'filter[issue_type]=error');
    const by = { scope: 'cause', assessor: 'Ada', note: 'Seen.' };
    await decide({ ...by, occurrence: first.id, verdict: 'error' });
    await decide({ ...by, occurrence: second.id, verdict: 'not_an_error' });
    await api.db
      .updateTable('reports')
      .set({ status: 'finished', finished_at: new Date() })
      .where('id', '=', reportId)
      .execute();
    const file = await api.send('GET', `${report}/export?format=earl`);
    const graph: readonly Record<string, string & { outcome: string; description: string }>[] = JSON.parse(file.text)[
      '@graph'
    ];
    const decided = graph.filter(({ mode }) => mode === 'earl:manual');
    assert.deepEqual(
      decided.map(({ assertedBy, result }) => [
        assertedBy,
        result?.outcome,
        result?.description.endsWith(' (Decided by Ada: Seen.)'),
      ]),
      [
        ['_:reviewer', 'earl:failed', true],
        ['_:reviewer', 'earl:passed', true],
        ['_:reviewer', 'earl:passed', true],
      ],
    );
    const sarif: { runs: [{ results: { properties?: { decision?: Record<string, string> } }[] }] } = JSON.parse(
      (await api.send('GET', `${report}/export?format=sarif`)).text,
    );
    const inSarif = sarif.runs[0].results
      .map(({ properties }) => properties?.decision)
      .filter((decision) => decision !== undefined);
    assert.deepEqual(
      inSarif.map(({ verdict, note, assessor }) => [verdict, note, assessor]),
      [
        ['error', 'Seen.', 'Ada'],
        ['error', 'Seen.', 'Ada'],
      ],
    );
    const note =
      /People reviewed results: 2 occurrences were marked as errors, 3 occurrences were marked as not an error\./;
    for (const format of ['md', 'html', 'openacr', 'statement'])
      assert.ok(note.test((await api.send('GET', `${report}/export?format=${format}`)).text), format);
    for (const { test: rule, assertedBy } of decided) {
      for (const id of [rule, assertedBy]) assert.equal(graph.filter((node) => node['@id'] === id).length, 1);
    }
  });

  test('rejects what cannot be decided, and says why', async () => {
    const [first] = await occurrences('html');
    const errors = async (attributes: object) =>
      (await api.send('POST', `${report}/decisions`, { attributes })).errors.toSorted();
    const valid = { occurrence: first.id, scope: 'cause', verdict: 'later' };
    const at = (...names: string[]) => names.map((name) => `422 invalid /data/attributes/${name}`);
    assert.deepEqual(await errors({}), at('occurrence', 'scope', 'verdict'));
    assert.deepEqual(await errors({ ...valid, occurrence: '999999999-0' }), at('occurrence'));
    assert.deepEqual(await errors({ ...valid, occurrence: first.id.replace(/-\d+$/, '-999') }), at('occurrence'));
    assert.deepEqual(await errors({ ...valid, occurrence: '1' }), at('occurrence'));
    assert.deepEqual(await errors({ ...valid, scope: 'page', verdict: 'fine' }), at('scope', 'verdict'));
    assert.deepEqual(
      await errors({ ...valid, note: 'x'.repeat(1_001), assessor: 'y'.repeat(201) }),
      at('assessor', 'note'),
    );
    const other = await seedSample(api.db, { account_id: api.people.ownerId });
    const ofOther = await api.send('POST', `/api/v1/reports/${other.reportId}/decisions`, { attributes: valid });
    assert.deepEqual(ofOther.errors, at('occurrence'), 'an occurrence of another report');
  });
});
