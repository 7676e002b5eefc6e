import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { sql } from 'kysely';
import { claimChecks } from '../../src/queue/claims.ts';
import { applyNextBatch, createMuting, deleteMuting } from '../../src/reports/apply-mutings.ts';
import { compareWith } from '../../src/reports/compute-insights.ts';
import { diffReports } from '../../src/reports/diff-reports.ts';
import { saveDiff } from '../../src/store/diffs/diffs.ts';
import { stateOf } from '../../src/store/diffs/pending-insights.ts';
import { type IdentifiedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPages } from '../../src/store/rechecks/page-recheck.ts';
import { previousReport } from '../../src/store/reports/previous-report.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { newReport, openTestStore } from '../helpers/crawler.ts';
import { foundIssue, refetch, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';

/** Comparisons of reports do not change when their pages are re-checked, or issues are muted, after their end. */

const store = await openTestStore();
after(() => store.close());
afterEach(async () => {
  await sql`TRUNCATE mutings, muting_totals, reports CASCADE`.execute(store.db);
});

/** What the checks of each kind find on four pages; null for a check that fails. */
type Results = readonly (readonly IdentifiedIssue[] | null)[];
const page = fc.option(fc.array(foundIssue, { maxLength: 4 }), { freq: 6 });
const results: fc.Arbitrary<Results> = fc.array(page, { minLength: 8, maxLength: 8 });

type Step =
  | { readonly do: 'recheck'; readonly pages: readonly number[]; readonly results: Results; readonly isGone: boolean }
  | { readonly do: 'mute'; readonly message: string }
  | { readonly do: 'unmute' };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('recheck' as const),
    pages: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
    results,
    isGone: fc.boolean(),
  }),
  fc.record({ do: fc.constant('mute' as const), message: fc.constantFrom('one', 'two', 'nul') }),
  fc.constant({ do: 'unmute' as const }),
);

async function saveAll(reportId: string, outcomes: Results): Promise<void> {
  for (const [nth, kind] of (['html', 'a11y'] as const).entries()) {
    const checks = await claimChecks(store.db, kind, WORKER, 10);
    const saved = checks.map(({ webPageId, claimId }, index) => {
      const issues = outcomes[nth * 4 + index] ?? null;
      const outcome =
        issues === null
          ? { error: { code: 'check_broke_off', params: {} } as const }
          : { issues: issues.map(packIssue), engineVersion: 'engine 1' };
      return { webPageId, claimId, outcome };
    });
    await saveCheckResults(store.db, reportId, kind, saved);
  }
}

async function reportOf(outcomes: Results): Promise<{ readonly id: string; readonly pageIds: readonly number[] }> {
  const { reportId, pageIds } = await reportWithPages(store);
  await saveAll(reportId, outcomes);
  return { id: reportId, pageIds };
}

async function apply(): Promise<void> {
  while (await applyNextBatch(store.db, 1));
}

/** Compares two reports, without what leads to single occurrences now. */
async function comparison(reportId: string, withId: string) {
  const { types } = await diffReports(store.db, reportId, withId, 'end');
  const comparable = types.map(({ sample: _, ...type }) => type);
  return comparable.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

test('comparisons stay as they were at the end of both reports', async () => {
  const seen = { changed: 0, muting: 0 };
  await fc.assert(
    fc.asyncProperty(
      // Often, the newest report finds the same as the one before.
      fc.tuple(results, results, fc.option(results, { freq: 1 })),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(2), step), { minLength: 1, maxLength: 6 }),
      async ([oldest, middle, newest], isMutedBetween, steps) => {
        const mutings: number[] = [];
        const mute = async (message: string) => {
          const rule = { account_id: store.accountId, url_match: '', message, comment: '', expires_at: null };
          mutings.push(await createMuting(store.db, rule));
          await apply();
        };
        const reports = [await reportOf(oldest), await reportOf(middle)];
        if (isMutedBetween) await mute('one');
        reports.push(await reportOf(newest ?? middle));
        const compare = async () => {
          const [first, second, third] = reports.map(({ id }) => id);
          assert.ok(first && second && third);
          return [await comparison(second, first), await comparison(third, second), await comparison(third, first)];
        };
        const atEnd = await compare();
        if (atEnd.flat().some(({ causes }) => (causes.muting ?? 0) > 0)) seen.muting += 1;
        for (const [which, action] of steps) {
          const report = reports[which];
          assert.ok(report);
          if (action.do === 'mute') await mute(action.message);
          else if (action.do === 'unmute') {
            const id = mutings.pop();
            if (id !== undefined) await deleteMuting(store.db, id);
            await apply();
          } else {
            const webPageIds = action.pages.map((index) => report.pageIds[index] ?? 0);
            await recheckPages(store.db, report.id, { webPageIds });
            // In the middle of a re-check, too.
            assert.deepEqual(await compare(), atEnd);
            await refetch(store, report.id, action.isGone ? 0 : 1);
            await saveAll(report.id, action.results);
          }
          assert.deepEqual(await compare(), atEnd);
        }
        const changed = store.db.selectFrom('reports').select('id').where('changed_since_end', '=', true);
        seen.changed += (await changed.execute()).length;
        for (const id of mutings) await deleteMuting(store.db, id);
        await apply();
        await sql`TRUNCATE reports CASCADE`.execute(store.db);
      },
    ),
    { numRuns: 4 },
  );
  assert.ok(seen.changed > 3 && seen.muting > 0, JSON.stringify(seen));
});

test('a comparison that a re-check has overtaken is made again', async () => {
  const [issue] = fc.sample(foundIssue, { numRuns: 1, seed: 3 });
  assert.ok(issue);
  const all: Results = Array.from({ length: 8 }, () => [issue]);
  const none: Results = Array.from({ length: 8 }, () => []);
  const [before, now] = [await reportOf(all), await reportOf(all)];
  for (const rechecked of [now, before]) {
    const found = await diffReports(store.db, now.id, before.id, 'end');
    await recheckPages(store.db, rechecked.id, { webPageIds: rechecked.pageIds });
    const states = { reportState: await state(now.id), withState: await state(before.id) };
    const compared = { withId: before.id, isPrevious: true, at: 'end', ...states } as const;
    const save = () => reportTransaction(store.db, now.id, (change) => saveDiff(change, compared, found));
    assert.equal(await save(), false);
    await refetch(store, rechecked.id, 1);
    await saveAll(rechecked.id, none);
    await compareWith(store.db, { id: now.id }, before.id, 'end', 'owner');
    const { persisting, fixed } = await store.db
      .selectFrom('diffs')
      .select(['persisting', 'fixed'])
      .where('report_id', '=', now.id)
      .where('is_end', '=', true)
      .executeTakeFirstOrThrow();
    assert.deepEqual({ persisting, fixed }, { persisting: 8 * issue.howMany, fixed: 0 });
  }
});

async function state(reportId: string): Promise<string> {
  return (await stateOf(store.db, reportId, 'end')) ?? '';
}

test('a retroactive muting that was active when a report ended is withdrawn from it', async () => {
  const [issue] = fc.sample(foundIssue, { numRuns: 1, seed: 3 });
  assert.ok(issue);
  const rule = { account_id: store.accountId, url_match: '', message: issue.message.slice(0, 3), comment: '' };
  const [retroactive, other] = [
    await createMuting(store.db, { ...rule, expires_at: null, retroactive: true }),
    await createMuting(store.db, { ...rule, url_match: '/1', expires_at: null }),
  ];
  await apply();
  const { id } = await reportOf(Array.from({ length: 8 }, () => [issue]));
  const shown = async () => {
    const counts = store.db.selectFrom('report_checks_at_end').select(['errors', 'warnings']);
    const rows = await counts.where('report_id', '=', id).execute();
    return rows.reduce((sum, { errors, warnings }) => sum + errors + warnings, 0) / issue.howMany;
  };
  assert.equal(await shown(), 0);
  await deleteMuting(store.db, retroactive);
  await apply();
  assert.equal(await shown(), 6, 'one of four pages is still muted');
  await deleteMuting(store.db, other);
  await apply();
  assert.equal(await shown(), 6);
  await assertCountsAddUp(store.db, id);
});

test('a failed report that is being re-checked is not compared with', async () => {
  const failed = await newReport(store, 'http://history.test/', {});
  const next = await newReport(store, 'http://history.test/', {});
  const ended = { status: 'checking', finished_at: new Date(), crawl_pending: false } as const;
  await store.db.updateTable('reports').set(ended).where('id', '=', failed).execute();
  assert.equal(await previousReport(store.db, next), undefined);
});
