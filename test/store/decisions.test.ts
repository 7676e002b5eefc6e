import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { sql } from 'kysely';
import type { Measure } from '../../packages/client/standards.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { DECISION_SCOPES, type DecisionScope, VERDICTS, type Verdict } from '../../src/domain/decision.ts';
import { clustersByPair } from '../../src/issues/color-clusters.ts';
import { applyNextDecision, decide, undoDecision } from '../../src/reports/apply-decisions.ts';
import { applyNextBatch, createMuting } from '../../src/reports/apply-mutings.ts';
import { currentOccurrence } from '../../src/store/decisions/decisions.ts';
import type { IdentifiedIssue } from '../../src/store/issues/packed-issues.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { measureReport } from '../../src/store/reports/measure.ts';
import { removeEmptySite } from '../../src/store/reports/sites.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { identified } from '../helpers/identities.ts';
import { foundIssue, refetch, reportWithPages, saveIssues } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';
import { until } from '../helpers/until.ts';

/** Decisions change the issues of existing and of new results, never what a report found at its end, and can be undone. */

const CHECK_KINDS = ['html', 'a11y'] as const;

const store = await openTestStore();
after(() => store.close());
afterEach(async () => {
  await sql`TRUNCATE mutings, muting_totals, decisions, reports CASCADE`.execute(store.db);
});

type Step =
  | { readonly do: 'save'; readonly kind: CheckKind; readonly issues: IdentifiedIssue[] }
  | { readonly do: 'decide'; readonly which: number; readonly scope: DecisionScope; readonly verdict: Verdict }
  | { readonly do: 'undo' | 'recheck' | 'delete'; readonly which: number }
  | { readonly do: 'measure'; readonly measure: Measure }
  | { readonly do: 'mute' }
  | { readonly do: 'apply' };

/** An issue whose occurrences can be told apart. */
const whole = foundIssue.map((issue) => ({
  ...issue,
  occurrences: Array.from({ length: issue.howMany }, (_, nth) => ({ html: `<b id=${nth}>` })),
}));
const issues = fc.array(whole, { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('save' as const), kind: fc.constantFrom(...CHECK_KINDS), issues }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      which: fc.nat(30),
      scope: fc.constantFrom(...DECISION_SCOPES),
      verdict: fc.constantFrom(...VERDICTS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('undo', 'undo', 'recheck', 'delete'), which: fc.nat(7) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('apply', 'apply', 'apply', 'mute') }) as fc.Arbitrary<Step> },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('measure' as const),
      measure: fc.record({ standard: fc.constantFrom(null, 'wcag22-aa' as const), best_practices: fc.boolean() }),
    }),
  },
);

const save = (kind: CheckKind, issues: readonly IdentifiedIssue[], limit?: number) =>
  saveIssues(store, kind, issues, limit);

async function applyToTheEnd(): Promise<void> {
  while (await applyNextDecision(store.db, 1));
  while (await applyNextBatch(store.db, 1));
}

interface Target {
  readonly kind: CheckKind;
  readonly fingerprint: Buffer;
  readonly url: string;
  readonly fingerprints: Buffer;
  readonly clusters: Buffer;
  readonly message: string;
  readonly site: string;
}

async function decideAbout(reportId: string, which: number, scope: DecisionScope, verdict: Verdict): Promise<void> {
  const { rows } = await sql<Target>`
    SELECT i.kind, coalesce(k.found_fingerprint, k.fingerprint) AS fingerprint, p.url, i.fingerprints, i.clusters, k.message, r.site_id AS site
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
      JOIN reports r ON r.id = i.report_id
    WHERE i.report_id = ${reportId} ORDER BY i.id`.execute(store.db);
  const target = rows[which % Math.max(rows.length, 1)];
  if (target === undefined) return;
  const position = which % (target.fingerprints.length / 16);
  await decide(store.db, {
    ...{ site_id: target.site, scope, kind: target.kind, type_fingerprint: target.fingerprint, verdict },
    cluster: scope === 'cause' ? target.clusters.subarray(position * 8, position * 8 + 8) : null,
    page_url: scope === 'occurrence' ? target.url : null,
    fingerprint: scope === 'occurrence' ? target.fingerprints.subarray(position * 16, position * 16 + 16) : null,
    ...{
      note: '',
      assessor: 'A',
      message: target.message,
      rule_id: null,
      impact: null,
      markup: '',
      since_report: reportId,
    },
  });
}

interface StoredOccurrence {
  readonly kind: CheckKind;
  readonly type: string;
  readonly found_type: string;
  readonly url: string;
  readonly fingerprint: string;
  readonly cluster: string;
  readonly verdict: Verdict | null;
  readonly issue_type: string;
  readonly muted: boolean;
}

/** Each occurrence has the verdict of the most specific decision about it, computed by other means than the product's. */
async function assertDecided(reportId: string): Promise<number> {
  const { rows } = await sql<StoredOccurrence>`
    SELECT i.kind, encode(coalesce(k.found_fingerprint, k.fingerprint), 'hex') AS type, p.url, k.verdict, k.issue_type, coalesce(k.found_type, k.issue_type) AS found_type,
      i.muted, encode(substr(i.fingerprints, 16 * n + 1, 16), 'hex') AS fingerprint, encode(substr(i.clusters, 8 * n + 1, 8), 'hex') AS cluster
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id,
      generate_series(0, i.how_many - 1) AS n
    WHERE i.report_id = ${reportId}`.execute(store.db);
  const decisions = await store.db.selectFrom('decisions').selectAll().where('deleted_at', 'is', null).execute();
  for (const each of rows) {
    const about = decisions.filter(
      ({ kind, type_fingerprint: type }) => kind === each.kind && type.toString('hex') === each.type,
    );
    const [decision] = DECISION_SCOPES.flatMap((scope) =>
      about.filter(
        (of) =>
          of.scope === scope &&
          (scope === 'rule' ||
            of.cluster?.toString('hex') === each.cluster ||
            (of.fingerprint?.toString('hex') === each.fingerprint && of.page_url === each.url)),
      ),
    );
    assert.equal(each.verdict, decision?.verdict ?? null);
    assert.equal(each.issue_type, each.verdict === 'error' ? 'error' : each.found_type);
    if (each.verdict === 'not_an_error') assert.ok(each.muted);
  }
  return rows.filter(({ verdict }) => verdict !== null).length;
}

/** The ids of the occurrences of a report, in parts. */
async function occurrences(reportId: string) {
  const { rows } = await sql<{ issue: number; position: number; fingerprint: string }>`
    SELECT i.id AS issue, n AS position, encode(substr(i.fingerprints, 16 * n + 1, 16), 'hex') AS fingerprint
    FROM issues i, generate_series(0, i.how_many - 1) AS n WHERE i.report_id = ${reportId}`.execute(store.db);
  return rows;
}

/** All that is stored about the issues of a report, except ids. */
async function stored(reportId: string): Promise<unknown> {
  const { rows } = await sql`
    SELECT p.url, i.kind, i.position, i.url AS frame, i.how_many, i.fingerprints, i.clusters, i.traces, i.occurrences, i.new_occurrences, i.muted,
      i.mutings, k.key, k.fingerprint, k.issue_type, k.message, k.rule_id, k.impact, k.tags, k.verdict, i.decision_id, i.found_positions
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
    WHERE i.report_id = ${reportId} ORDER BY p.url, i.kind, i.position`.execute(store.db);
  return rows;
}

async function resultsAtEnd(reportId: string): Promise<string> {
  const { rows } = await sql`
    SELECT i.web_page_id, i.kind, i.message, i.issue_type, i.type_fingerprint, i.muted, i.outside_standard,
      encode(substr(i.fingerprints, 16 * n + 1, 16), 'hex') AS fingerprint
    FROM issues_at_end i, generate_series(0, octet_length(i.fingerprints) / 16 - 1) AS n
    WHERE i.report_id = ${reportId} ORDER BY 1, 2, 5, 8`.execute(store.db);
  return JSON.stringify(rows);
}

test('counts add up after every step, follow the decisions, and stay as they were at the end', async () => {
  const seen = { decided: 0, changed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 6, maxLength: 20 }), async (endsFirst, steps) => {
      const { reportId, pageIds } = await reportWithPages(store);
      if (endsFirst) {
        for (const kind of CHECK_KINDS) {
          for (const found of fc.sample(issues, { numRuns: 4, seed: 7 })) await save(kind, found);
        }
      }
      let atEnd = await resultsAtEnd(reportId);
      for (const [count, action] of steps.entries()) {
        await perform(action, { reportId, pageIds, count });
        await assertCountsAddUp(store.db, reportId);
        if (endsFirst && !['delete', 'measure'].includes(action.do)) assert.equal(await resultsAtEnd(reportId), atEnd);
        atEnd = await resultsAtEnd(reportId);
      }
      await applyToTheEnd();
      await assertCountsAddUp(store.db, reportId);
      seen.decided += await assertDecided(reportId);
      const now = store.db.selectFrom('reports').select('changed_since_end').where('id', '=', reportId);
      if ((await now.executeTakeFirst())?.changed_since_end) seen.changed += 1;
      await deleteReport(store.db, reportId);
      await sql`TRUNCATE decisions, mutings, muting_totals CASCADE`.execute(store.db);
    }),
    { numRuns: 5 },
  );
  assert.ok(seen.decided > 0 && seen.changed > 0, JSON.stringify(seen));
});

interface Situation {
  readonly reportId: string;
  readonly pageIds: readonly number[];
  readonly count: number;
}

async function perform(action: Step, { reportId, pageIds, count }: Situation): Promise<void> {
  if (action.do === 'save') return save(action.kind, action.issues);
  if (action.do === 'measure') return measureReport(store.db, reportId, action.measure);
  if (action.do === 'apply') return void (await applyNextDecision(store.db, 1));
  if (action.do === 'decide') return decideAbout(reportId, action.which, action.scope, action.verdict);
  if (action.do === 'mute') {
    const of = { account_id: store.accountId, url_match: 'site', message: 'one', comment: '', expires_at: null };
    await createMuting(store.db, of);
    while (await applyNextBatch(store.db, 1));
    return;
  }
  if (action.do === 'undo') {
    const ids = await store.db.selectFrom('decisions').select('id').where('deleted_at', 'is', null).execute();
    const id = ids[action.which]?.id;
    return id === undefined ? undefined : undoDecision(store.db, id);
  }
  const page = pageIds[action.which % 3] ?? 0;
  if (action.do === 'delete') return deletePage(store.db, reportId, page);
  await recheckPage(store.db, reportId, page);
  return refetch(store, reportId, count);
}

test('undoing all decisions restores what the checks found, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(whole, { minLength: 1, maxLength: 5 }), { minLength: 8, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(40), fc.constantFrom(...DECISION_SCOPES), fc.constantFrom(...VERDICTS)), {
        minLength: 1,
        maxLength: 12,
      }),
      async (found, decisions) => {
        const { reportId } = await reportWithPages(store);
        for (const [index, each] of found.entries()) await save(CHECK_KINDS[index % 2] ?? 'html', each);
        const before = await stored(reportId);
        const names = await occurrences(reportId);
        for (const [which, scope, verdict] of decisions) {
          await decideAbout(reportId, which, scope, verdict);
          await applyToTheEnd();
        }
        await assertDecided(reportId);
        const decided = new Map((await occurrences(reportId)).map((each) => [`${each.issue} ${each.position}`, each]));
        for (const { issue, position, fingerprint } of names) {
          const now = await currentOccurrence(store.db, reportId, { issue, position });
          assert.equal(decided.get(`${now?.issue} ${now?.position}`)?.fingerprint, fingerprint, 'ids still lead there');
        }
        const ids = await store.db.selectFrom('decisions').select('id').execute();
        for (const { id } of ids.toReversed()) {
          await undoDecision(store.db, id);
          await applyToTheEnd();
          await assertDecided(reportId);
        }
        assert.deepEqual(await stored(reportId), before);
        assert.deepEqual(await store.db.selectFrom('decisions').selectAll().execute(), []);
        await deleteReport(store.db, reportId);
      },
    ),
    { numRuns: 3 },
  );
});

test('counts add up at every moment while decisions change during checks and re-checks', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const found = fc.sample(whole, { numRuns: 60, seed: 42 });
  let isDone = false;
  const watch = (async () => {
    let looks = 0;
    for (; !isDone; looks += 1) await assertCountsAddUp(store.db, reportId);
    return looks;
  })();
  const applier = async () => {
    while (!isDone) if (!(await applyNextDecision(store.db, 1))) await new Promise((done) => setTimeout(done, 1));
  };
  const appliers = [applier(), applier(), applier()];
  const checker = async (kind: CheckKind) => {
    for (let round = 0; round < 10; round += 1) await save(kind, found.slice(round, round + 5), 2);
  };
  const reviewer = async (seed: number) => {
    const choices = fc.sample(fc.tuple(fc.nat(40), fc.constantFrom(...DECISION_SCOPES), fc.constantFrom(...VERDICTS)), {
      numRuns: 12,
      seed,
    });
    for (const [which, scope, verdict] of choices) {
      await decideAbout(reportId, which, scope, verdict);
      if (which % 8 > 0) continue;
      const oldest = store.db
        .selectFrom('decisions')
        .select('id')
        .where('deleted_at', 'is', null)
        .orderBy('id')
        .limit(1);
      const decision = await oldest.executeTakeFirst();
      if (decision !== undefined) await undoDecision(store.db, decision.id);
    }
  };
  const person = async () => {
    for (let round = 0; round < 10; round += 1) {
      await recheckPage(store.db, reportId, pageIds[round % 3] ?? 0);
      await refetch(store, reportId, 1);
    }
  };
  try {
    await Promise.all([checker('html'), checker('a11y'), reviewer(43), reviewer(44), person()]);
    await until(
      async () =>
        (await store.db.selectFrom('decisions').select('id').where('walk_pending', '=', true).execute()).length === 0,
    );
  } finally {
    isDone = true;
  }
  await Promise.all(appliers);
  assert.ok((await watch) > 0);
  await decideAbout(reportId, 0, 'rule', 'later');
  await applyToTheEnd();
  await assertCountsAddUp(store.db, reportId);
  assert.ok((await assertDecided(reportId)) > 0);
});

test('a site without reports stays while something is decided about its issues', async () => {
  const { reportId } = await reportWithPages(store);
  for (const kind of CHECK_KINDS) await save(kind, fc.sample(whole, { numRuns: 3, seed: 7 }), 4);
  await decideAbout(reportId, 0, 'cause', 'later');
  const { id, site_id: siteId } = await store.db
    .selectFrom('decisions')
    .select(['id', 'site_id'])
    .executeTakeFirstOrThrow();
  await sql`DELETE FROM reports WHERE id = ${reportId}`.execute(store.db);
  const sites = store.db.selectFrom('sites').select('id').where('id', '=', siteId);
  const remove = () => store.db.transaction().execute((trx) => removeEmptySite(trx, siteId));
  await remove();
  assert.equal((await sites.execute()).length, 1);
  await undoDecision(store.db, id);
  await applyToTheEnd();
  await remove();
  assert.deepEqual(await sites.execute(), []);
});

test('pages with many occurrences are decided in several transactions, and a decision that fails lets others go first', async () => {
  const { reportId } = await reportWithPages(store);
  const [issue] = fc.sample(whole, { numRuns: 1, seed: 7 });
  assert.ok(issue);
  const many = 15_000;
  const crowded = identified({
    ...issue,
    howMany: many,
    occurrences: Array.from({ length: many }, (_, nth) => ({ html: `<i id=${nth}>` })),
  });
  await save('html', [crowded], 3);
  await decideAbout(reportId, 0, 'rule', 'not_an_error');
  let steps = 0;
  for (; await applyNextDecision(store.db); steps += 1);
  // Two pages at a time, the last one, and the end.
  assert.equal(steps, 3);
  await assertCountsAddUp(store.db, reportId);
  assert.equal(await assertDecided(reportId), 3 * many);

  await decideAbout(reportId, 0, 'rule', 'later');
  await decideAbout(reportId, 0, 'cause', 'error');
  const broken = store.db.selectFrom('decisions').select('id').where('scope', '=', 'rule').executeTakeFirstOrThrow();
  await sql`ALTER TABLE replaced_issues ADD CONSTRAINT refused CHECK (issue_id < 0) NOT VALID`.execute(store.db);
  await assert.rejects(applyNextDecision(store.db));
  const next = store.db.selectFrom('decisions').select('id').where('walk_pending', '=', true).orderBy('walked_at');
  assert.notEqual((await next.executeTakeFirstOrThrow()).id, (await broken).id);
  await sql`ALTER TABLE replaced_issues DROP CONSTRAINT refused`.execute(store.db);
  await applyToTheEnd();
  await assertDecided(reportId);
});

test('a decision about a pair of colors applies to the causes of all style rules that set it', async () => {
  const { reportId } = await reportWithPages(store);
  const summary = (colors: string): string => `Element has insufficient color contrast of 3 (${colors})`;
  const [pale, other] = [
    'foreground color: #888888, background color: #ffffff',
    'foreground color: #999999, background color: #ffffff',
  ];
  const issue = identified({
    ...{
      type: 'error',
      subType: null,
      message: 'Contrast',
      ruleId: 'color-contrast',
      helpUrl: null,
      impact: 'serious',
    },
    ...{ tags: [], url: 'http://site.test/0', howMany: 3 },
    occurrences: [pale, other, pale].map((colors) => ({ html: '<p>', failure_summary: summary(colors) })),
  });
  const clusters = Buffer.from('0123456789abcdef0123456789abcdefaaaaaaaaaaaaaaaa', 'hex');
  const found = { ...issue, identity: { ...issue.identity, clusters } };
  await save('a11y', [found]);
  const before = await stored(reportId);
  const [cluster] = clustersByPair(issue.identity.kind, found.occurrences);
  const { site_id } = await store.db.selectFrom('reports').select('site_id').executeTakeFirstOrThrow();
  const id = await decide(store.db, {
    ...{
      site_id: site_id ?? '',
      scope: 'cause',
      kind: 'a11y',
      verdict: 'not_an_error',
      page_url: null,
      fingerprint: null,
    },
    type_fingerprint: Buffer.from(issue.identity.kind, 'hex'),
    cluster: Buffer.from(cluster ?? '', 'hex'),
    ...{ note: '', assessor: 'A', message: '', rule_id: 'color-contrast', impact: null, markup: '' },
    since_report: reportId,
  });
  const decided = async () =>
    (await store.db.selectFrom('issues').select(['decision_id', 'found_positions']).orderBy('how_many').execute()).map(
      ({ decision_id: decision, found_positions: positions }) => [decision, positions],
    );
  await applyToTheEnd();
  const expected = [
    [null, [1]],
    [id, [0, 2]],
  ];
  assert.deepEqual(await decided(), expected, 'in existing reports');
  await assertCountsAddUp(store.db, reportId);
  await undoDecision(store.db, id);
  await applyToTheEnd();
  assert.deepEqual(await stored(reportId), before);
});
