import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { countsBy, type Measure } from '../../packages/client/standards.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { applyNextBatch, createMuting, deleteMuting, startApplyingMutings } from '../../src/reports/apply-mutings.ts';
import { type IdentifiedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import { listReportMutings } from '../../src/store/mutings/mutings.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { measureReport } from '../../src/store/reports/measure.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { foundIssue, refetch, reportWithPages, saveIssues, tagsOf, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';
import { until } from '../helpers/until.ts';

/** The kinds of checks of the reports here. */
const CHECK_KINDS = ['html', 'a11y'] as const;

const store = await openTestStore();
after(() => store.close());
afterEach(async () => {
  await sql`TRUNCATE mutings, muting_totals, reports CASCADE`.execute(store.db);
});

/** Parts of URLs and messages of simulated reports, some of which match everything and some nothing. */
const URL_PARTS = ['http://site.test/1', 'SITE.test', '/2', '/3', 'elsewhere'];
const MESSAGE_PARTS = [
  'one',
  'TWO',
  'o',
  'nul',
  'Nothing of the kind',
  'IMAGE-ALT',
  'image',
  'it\'s "two',
  '‘',
  '“TWO”',
];

interface Rule {
  readonly retroactive?: boolean;
  readonly urlMatch: string;
  readonly message: string;
}
const rule: fc.Arbitrary<Rule> = fc.record({
  urlMatch: fc.constantFrom(...URL_PARTS),
  message: fc.constantFrom(...MESSAGE_PARTS),
  retroactive: fc.boolean(),
});

type Step =
  | { readonly do: 'save'; readonly kind: CheckKind; readonly issues: IdentifiedIssue[] }
  | { readonly do: 'mute'; readonly rule: Rule }
  | { readonly do: 'unmute' | 'recheck' | 'delete'; readonly which: number }
  | { readonly do: 'measure'; readonly measure: Measure }
  | { readonly do: 'apply' };

const EVERYTHING: Measure = { standard: null, best_practices: false };
const measure: fc.Arbitrary<Measure> = fc.record({
  standard: fc.constantFrom(null, 'wcag22-aa', 'en-301-549', 'trusted-tester-5'),
  best_practices: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      kind: fc.constantFrom(...CHECK_KINDS),
      issues: fc.array(foundIssue, { maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('mute' as const), rule }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('unmute', 'unmute', 'recheck', 'delete'), which: fc.nat(7) }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'apply' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('measure' as const), measure }) },
);

/** Changes what a report with results found at its end, which few random steps do. */
const CHANGES_THE_END: Step[] = [
  { do: 'mute', rule: { urlMatch: 'SITE.test', message: 'o', retroactive: true } },
  { do: 'apply' },
  { do: 'measure', measure: { standard: 'trusted-tester-5', best_practices: false } },
  { do: 'save', kind: 'html', issues: [] },
];

const mute = ({ urlMatch, message, retroactive = false }: Rule): Promise<number> =>
  createMuting(store.db, {
    ...{ account_id: store.accountId, url_match: urlMatch, message, comment: '', expires_at: null },
    retroactive,
  });

const save = (kind: CheckKind, issues: readonly IdentifiedIssue[], limit?: number) =>
  saveIssues(store, kind, issues, limit);

/** Applies all pending mutings, a page at a time. */
async function applyToTheEnd(): Promise<void> {
  while (await applyNextBatch(store.db, 1));
}

/** Waits until others have applied all pending mutings. */
const applied = () =>
  until(async () => {
    const pending = await store.db.selectFrom('mutings').select('id').where('walk_pending', '=', true).execute();
    return pending.length === 0;
  });

/**
 * An issue is muted if and only if one of the mutings matches, and the report lists exactly those that match, computed by
 * other means than the database.
 */
async function assertMuted(reportId: string, mutings: ReadonlyMap<number, Rule>): Promise<void> {
  const issues = await store.db
    .selectFrom('issues')
    .innerJoin('web_pages', 'web_pages.id', 'issues.web_page_id')
    .innerJoin('common_issues', 'common_issues.id', 'issues.common_issue_id')
    .select(['web_pages.url', 'common_issues.message', 'common_issues.rule_id', 'issues.muted', 'issues.how_many'])
    .where('issues.report_id', '=', reportId)
    .execute();
  const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  const straight = (text: string) => text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
  const applied = new Map<number, number>();
  for (const { url, message, rule_id: ruleId, muted, how_many: howMany } of issues) {
    const matching = [...mutings].filter(
      ([, rule]) =>
        has(url, rule.urlMatch) &&
        (has(straight(message), straight(rule.message)) || ruleId?.toLowerCase() === rule.message.toLowerCase()),
    );
    assert.equal(muted, matching.length > 0, `${message} on ${url}`);
    for (const [id] of matching) applied.set(id, (applied.get(id) ?? 0) + howMany);
  }
  const { rows } = await listReportMutings(store.db, reportId, { number: 1, size: 100 });
  assert.deepEqual(
    rows.map(({ id, how_many: howMany }) => [id, howMany]),
    [...applied].sort(([a], [b]) => b - a),
  );
}

/** What the pages of a report had at its end, by page; empty before. Deleted pages are left out. */
async function resultsAtEnd(reportId: string): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; results: string }>`
    SELECT p.id, concat_ws(' ', p.status, p.http_status, p.document_hash, (
        SELECT string_agg(concat_ws(' ', c.kind, c.status, c.error, c.engine_version, (
          SELECT string_agg(concat_ws(' ', i.message, i.type_fingerprint, i.fingerprints, i.muted), ' ' ORDER BY i.fingerprints)
          FROM issues_at_end i WHERE i.web_page_id = p.id AND i.kind = c.kind)), ' ' ORDER BY c.kind)
        FROM checks_at_end c WHERE c.web_page_id = p.id)) AS results
    FROM web_pages_at_end p JOIN reports r ON r.id = p.report_id
    WHERE r.id = ${reportId} AND r.first_finished_at IS NOT NULL ORDER BY p.id`.execute(store.db);
  return new Map(rows.map(({ id, results }) => [id, results]));
}

test('counts add up after every step, finally follow the remaining mutings, and stay as at the end', async () => {
  const seen = { changed: 0, past: 0, measured: 0 };
  const situation = fc.record({ endsFirst: fc.boolean(), isRetroactive: fc.boolean() });
  const steps = fc.array(step, { minLength: 6, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(situation, steps, async ({ endsFirst, isRetroactive }, all) => {
      const actions = isRetroactive ? all : all.map(notRetroactive);
      const { reportId, pageIds } = await reportWithPages(store);
      const mutings = new Map<number, Rule>();
      if (endsFirst) {
        for (const kind of CHECK_KINDS) {
          for (const issues of fc.sample(fc.array(foundIssue, { maxLength: 5 }), { numRuns: 4, seed: 7 }))
            await save(kind, issues);
        }
      }
      const first = await resultsAtEnd(reportId);
      let atEnd = first;
      assert.equal(atEnd.size, endsFirst ? 4 : 0);
      for (const [count, action] of actions.entries()) {
        await perform(action, { reportId, pageIds, mutings, count });
        await assertCountsAddUp(store.db, reportId);
        const now = await resultsAtEnd(reportId);
        const differs = [...now].some(([id, results]) => results !== (atEnd.get(id) ?? results));
        if (action.do === 'measure') {
          await measureReport(store.db, reportId, action.measure);
          if (measured(await resultsAtEnd(reportId)) !== measured(now)) seen.measured += 1;
          await assertCountsAddUp(store.db, reportId);
          await assertMeasured(reportId, action.measure);
          atEnd = await resultsAtEnd(reportId);
          continue;
        }
        if (differs) seen.past += 1;
        assert.ok(isRetroactive || !differs, 'only retroactive mutings change the past');
        atEnd = now;
      }
      const { changed_since_end: isChanged } = await store.db
        .selectFrom('reports')
        .select('changed_since_end')
        .where('id', '=', reportId)
        .executeTakeFirstOrThrow();
      if (isChanged) seen.changed += 1;
      await applyToTheEnd();
      await measureReport(store.db, reportId, EVERYTHING);
      await assertCountsAddUp(store.db, reportId);
      await assertMuted(reportId, mutings);
      if (!endsFirst) await deleteReport(store.db, reportId);
      for (const id of mutings.keys()) await deleteMuting(store.db, id);
      await applyToTheEnd();
      const left = [...(await resultsAtEnd(reportId))];
      if (endsFirst)
        assert.deepEqual(
          left,
          left.map(([id]) => [id, first.get(id)]),
          'as before all mutings',
        );
      await deleteReport(store.db, reportId);
      assert.deepEqual(await store.db.selectFrom('mutings').selectAll().execute(), []);
    }),
    { numRuns: 7, examples: [[{ endsFirst: true, isRetroactive: true }, CHANGES_THE_END]] },
  );
  assert.ok(seen.changed > 0 && seen.past > 0 && seen.measured > 0, JSON.stringify(seen));
});

function notRetroactive(action: Step): Step {
  return action.do === 'mute' ? { ...action, rule: { ...action.rule, retroactive: false } } : action;
}

interface Situation {
  readonly reportId: string;
  readonly pageIds: readonly number[];
  readonly mutings: Map<number, Rule>;
  readonly count: number;
}

/** Exactly the issues of rules outside of the standard are outside, including issues of replaced results. */
async function assertMeasured(reportId: string, by: Measure): Promise<void> {
  const { rows } = await sql<{ rule_id: string | null; outside: boolean; muted: boolean }>`
    SELECT rule_id, outside_standard AS outside, muted FROM issues_at_end WHERE report_id = ${reportId}
    UNION ALL SELECT c.rule_id, c.outside_standard, i.muted
    FROM issues i JOIN common_issues c ON c.id = i.common_issue_id WHERE i.report_id = ${reportId}`.execute(store.db);
  for (const { rule_id: ruleId, outside, muted } of rows) {
    assert.equal(outside, !countsBy(by, tagsOf(ruleId)), `${ruleId}`);
    assert.ok(muted || !outside);
  }
}

const measured = (results: ReadonlyMap<number, string>): string => JSON.stringify([...results]);

async function perform(action: Step, { reportId, pageIds, mutings, count }: Situation): Promise<void> {
  if (action.do === 'save') return save(action.kind, action.issues);
  if (action.do === 'measure') return;
  if (action.do === 'apply') return void (await applyNextBatch(store.db, 1));
  if (action.do === 'mute') return void mutings.set(await mute(action.rule), action.rule);
  if (action.do === 'unmute') {
    const id = [...mutings.keys()][action.which];
    if (id === undefined) return;
    mutings.delete(id);
    return deleteMuting(store.db, id);
  }
  // One page stays, and with it the report.
  const page = pageIds[action.which % 3] ?? 0;
  if (action.do === 'delete') return deletePage(store.db, reportId, page);
  await recheckPage(store.db, reportId, page);
  return refetch(store, reportId, count);
}

test('counts add up at every moment while mutings change during checks, re-checks and deletions', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const issues = fc.sample(foundIssue, { numRuns: 60, seed: 42 });
  const rules = fc.sample(rule, { numRuns: 20, seed: 43 });
  const left = new Map<number, Rule>();
  let isDone = false;
  const watch = (async () => {
    let looks = 0;
    for (; !isDone; looks += 1) await assertCountsAddUp(store.db, reportId);
    return looks;
  })();
  const applier = async () => {
    while (!isDone) if (!(await applyNextBatch(store.db, 1))) await new Promise((done) => setTimeout(done, 1));
  };
  const appliers = [applier(), applier(), applier()];
  const checker = async (kind: CheckKind) => {
    for (let round = 0; round < 12; round += 1) await save(kind, issues.slice(round, round + 5), 2);
  };
  const owner = async (own: readonly Rule[]) => {
    const ids: number[] = [];
    for (const next of own) {
      ids.push(await mute(next));
      left.set(ids.at(-1) ?? 0, next);
      if (ids.length < 4) continue;
      const oldest = ids.shift() ?? 0;
      await deleteMuting(store.db, oldest);
      left.delete(oldest);
    }
  };
  const person = async () => {
    for (let round = 0; round < 12; round += 1) {
      await recheckPage(store.db, reportId, pageIds[round % 3] ?? 0);
      await refetch(store, reportId, 1);
    }
    await deletePage(store.db, reportId, pageIds[3] ?? 0);
  };
  const work = [checker('html'), checker('a11y'), checker('html')];
  try {
    await Promise.all([...work, owner(rules.slice(0, 10)), owner(rules.slice(10)), person()]);
    await applied();
  } finally {
    isDone = true;
  }
  await Promise.all(appliers);
  assert((await watch) > 0);
  await assertCountsAddUp(store.db, reportId);
  assert.equal(left.size, 6);
  await assertMuted(reportId, left);
  const { muted } = await store.db
    .selectFrom('issues')
    .select((eb) => eb.fn.countAll<number>().filterWhere('muted', '=', true).as('muted'))
    .where('report_id', '=', reportId)
    .executeTakeFirstOrThrow();
  assert(muted > 0, 'something is muted');
});

test('a muting created between interpreting and saving results applies to them', async () => {
  const { reportId } = await reportWithPages(store);
  const [found] = fc.sample(foundIssue, { numRuns: 1, seed: 7 });
  assert(found !== undefined);
  const waiting = async (count: number) => {
    const { rows } = await sql`
      SELECT pid FROM pg_locks l JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND NOT granted`.execute(store.db);
    return rows.length >= count;
  };
  const own = { urlMatch: 'site.test', message: found.message.slice(0, 3) };
  const { saved, applied, made } = await store.db.transaction().execute(async (trx) => {
    // Issues can be read but not written, so the results have been matched when saving waits.
    await sql`LOCK TABLE issues IN SHARE MODE`.execute(trx);
    const saved = save('html', [found], 4);
    await until(() => waiting(1));
    const made = await mute(own);
    const applied = applyToTheEnd();
    await Promise.race([applied, until(() => waiting(2))]);
    return { saved, applied, made };
  });
  await Promise.all([saved, applied]);
  await assertCountsAddUp(store.db, reportId);
  await assertMuted(reportId, new Map([[made, own]]));
});

test('a muting with a selector applies to pages that are checked later, until it is deleted', async () => {
  const { reportId } = await reportWithPages(store);
  const [first, second] = await claimChecks(store.db, 'html', WORKER, 2);
  assert.deepEqual([first?.mutedSelectors, second?.mutedSelectors], [[], []]);
  const of = { account_id: store.accountId, url_match: '', message: 'One', comment: '', expires_at: null };
  const id = await createMuting(store.db, { ...of, selector: '.banner' });
  await applyToTheEnd();
  const [later] = await claimChecks(store.db, 'html', WORKER, 1);
  assert.deepEqual(later?.mutedSelectors, ['.banner']);
  const [found] = fc.sample(
    foundIssue.filter(({ message }) => message === 'One'),
    { numRuns: 1, seed: 7 },
  );
  assert(found !== undefined && later !== undefined);
  const issues = [{ ...found, selectors: ['.banner'] }, found].map(packIssue);
  const { webPageId, claimId } = later;
  await saveCheckResults(store.db, reportId, 'html', [{ webPageId, claimId, outcome: { issues } }]);
  const muted = async () => {
    await assertCountsAddUp(store.db, reportId);
    const rows = store.db.selectFrom('issues').select('muted').where('report_id', '=', reportId).orderBy('position');
    return (await rows.execute()).map((row) => row.muted);
  };
  assert.deepEqual(await muted(), [true, false]);
  await mute({ urlMatch: '', message: 'nothing' });
  await applyToTheEnd();
  assert.deepEqual(await muted(), [true, false], 'applying another muting keeps what the selector matched');
  await deleteMuting(store.db, id);
  await applyToTheEnd();
  assert.deepEqual(await muted(), [false, false]);
});

test('a report lists mutings that match results saved later', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const mutings = new Map<number, Rule>();
  for (const own of [{ urlMatch: '/', message: '' }, ...fc.sample(rule, { numRuns: 10, seed: 44 })]) {
    mutings.set(await mute(own), own);
  }
  await applyToTheEnd();
  await save('html', fc.sample(foundIssue, { numRuns: 3, seed: 9 }), 4);
  await assertMuted(reportId, mutings);
  // The record goes with the page, and another one must be found.
  await deletePage(store.db, reportId, pageIds.at(-1) ?? 0);
  await assertMuted(reportId, mutings);
});

test('a re-check replaces muted issues', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const issues = fc.sample(foundIssue, { numRuns: 3, seed: 9 });
  await save('html', issues, 4);
  await mute({ urlMatch: '/', message: 'e' });
  await mute({ urlMatch: '/', message: 'o' });
  await applyToTheEnd();
  const [page = 0] = pageIds;
  const { errors, warnings } = await store.db
    .selectFrom('checks')
    .select(['errors', 'warnings'])
    .where('web_page_id', '=', page)
    .where('kind', '=', 'html')
    .executeTakeFirstOrThrow();
  assert.deepEqual([errors, warnings], [0, 0]);
  const found = () => store.db.selectFrom('issues').select('id').where('web_page_id', '=', page).execute();
  assert.equal((await found()).length, 3);
  await recheckPage(store.db, reportId, page);
  await refetch(store, reportId, 1);
  await save('html', issues.slice(0, 1));
  assert.equal((await found()).length, 1);
  await assertCountsAddUp(store.db, reportId);
});

test('workers apply mutings to the reports of the account, and to no others', async (context) => {
  const other = await store.db
    .insertInto('accounts')
    .values({ email: 'other@example.com' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const mine = [await reportWithPages(store), await reportWithPages(store)];
  const theirs = await reportWithPages(store);
  await store.db.updateTable('reports').set({ account_id: other.id }).where('id', '=', theirs.reportId).execute();
  const [found] = fc.sample(foundIssue, { numRuns: 1, seed: 8 });
  assert(found !== undefined);
  await save('html', [found], 100);
  const log = pino({ level: 'silent' });
  const workers = [
    await joinWorkers(store.connectionString, store.db, log),
    await joinWorkers(store.connectionString, store.db, log),
  ];
  const applying = workers.map((worker) => startApplyingMutings({ db: store.db, worker, log }));
  context.after(async () => {
    await Promise.all(applying.map((task) => task.stop()));
    await Promise.all(workers.map((worker) => worker.close()));
  });
  const mutedIn = async (reportId: string) => {
    const rows = await store.db.selectFrom('issues').select('muted').where('report_id', '=', reportId).execute();
    assert.equal(rows.length, 4);
    return rows.filter((row) => row.muted).length;
  };
  const first = await mute({ urlMatch: 'site.test', message: found.message.slice(0, 3) });
  const second = await mute({ urlMatch: 'site.test/', message: found.message.slice(0, 2) });
  await applied();
  for (const { reportId } of mine) assert.equal(await mutedIn(reportId), 4);
  assert.equal(await mutedIn(theirs.reportId), 0);
  await deleteMuting(store.db, first);
  await applied();
  for (const { reportId } of mine) assert.equal(await mutedIn(reportId), 4, 'the second still mutes them');
  await deleteMuting(store.db, second);
  await applied();
  for (const { reportId } of mine) assert.equal(await mutedIn(reportId), 0);
});
