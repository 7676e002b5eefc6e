import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Failure } from '../../src/domain/failures/failure.ts';
import { recheckMark } from '../../src/issues/diff-recheck.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { applyNextBatch, createMuting, deleteMuting } from '../../src/reports/apply-mutings.ts';
import { type IdentifiedIssue, packIssue } from '../../src/store/issues/packed-issues.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { findWebPage } from '../../src/store/pages/web-pages.ts';
import { listFixedIssues } from '../../src/store/rechecks/former-issues.ts';
import { recheckPages } from '../../src/store/rechecks/page-recheck.ts';
import { findRecheck } from '../../src/store/rechecks/rechecks.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { refetch, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';

/** What re-checks fixed is exact, regardless of earlier results, failures and mutings. */

const store = await openTestStore();
after(() => store.close());

const PAGE = { number: 1, size: 100 };
const MESSAGES = ['One', 'Two', 'Three'] as const;
const KIND = { type: 'error', subType: null, ruleId: null, helpUrl: null, impact: null, tags: [] } as const;
const FAILURE: Failure = { code: 'check_broke_off', params: {} };

/** The occurrences of each message on a page. */
type Found = Readonly<Record<(typeof MESSAGES)[number], readonly number[]>>;
const occurrences = fc.uniqueArray(fc.nat(11), { maxLength: 12 });
const found: fc.Arbitrary<Found> = fc.record({ One: occurrences, Two: occurrences, Three: occurrences });

/** What the next checks of the four pages find; null for a check that fails. Sometimes all pages are gone. */
const round = fc.record({
  outcomes: fc.array(fc.oneof({ weight: 5, arbitrary: found }, { weight: 1, arbitrary: fc.constant(null) }), {
    minLength: 4,
    maxLength: 4,
  }),
  isGone: fc.constantFrom(false, false, false, true),
  /** Whether this message is muted on the first two pages. */
  muted: fc.constantFrom(null, null, 'One'),
  /** Whether that is applied to the results before when the next ones are saved. */
  isApplied: fc.boolean(),
});

/** Sixteen bytes for each occurrence, different for each message. */
function fingerprints(message: string, of: readonly number[]): Buffer {
  return Buffer.concat(of.map((occurrence) => Buffer.alloc(16, 16 * MESSAGES.indexOf(message as 'One') + occurrence)));
}

function issuesOf(of: Found): IdentifiedIssue[] {
  return MESSAGES.flatMap((message) => {
    const count = of[message].length;
    if (count === 0) return [];
    const identity = {
      kind: Buffer.alloc(16, MESSAGES.indexOf(message) + 1).toString('hex'),
      occurrences: fingerprints(message, of[message]),
      clusters: Buffer.alloc(8 * count),
      traces: Buffer.alloc(8 * count),
    };
    const occurrences = of[message].map((n) => ({ n }));
    return [{ ...KIND, message, url: 'http://site.test/frame', howMany: count, occurrences, identity }];
  });
}

/** Saves the results of the waiting checks. Pages whose outcome is null fail. Accessibility checks find nothing. */
async function save(reportId: string, pageIds: readonly number[], outcomes: readonly (Found | null)[]): Promise<void> {
  const checks = await claimChecks(store.db, 'html', WORKER, 10);
  const results = checks.map(({ webPageId, claimId }) => {
    const of = outcomes[pageIds.indexOf(webPageId)] ?? null;
    return { webPageId, claimId, outcome: of === null ? { error: FAILURE } : { issues: issuesOf(of).map(packIssue) } };
  });
  await saveCheckResults(store.db, reportId, 'html', results);
  // A re-check ends when all checks have.
  const others = await claimChecks(store.db, 'a11y', WORKER, 10);
  await saveCheckResults(
    store.db,
    reportId,
    'a11y',
    others.map((check) => ({ ...check, outcome: { issues: [] } })),
  );
}

let mutings: number[] = [];

async function mute(message: string | null, isApplied = true): Promise<void> {
  for (const id of mutings) await deleteMuting(store.db, id);
  mutings = [];
  if (message !== null) {
    for (const urlMatch of ['test/0', 'test/1']) {
      const rule = { account_id: store.accountId, url_match: urlMatch, message, comment: '', expires_at: null };
      mutings.push(await createMuting(store.db, rule));
    }
  }
  while (isApplied && (await applyNextBatch(store.db)));
}

/** The occurrences as strings, except occurrences of a muted message. */
function keysOf(of: Found, hidden: string | null): Set<string> {
  return new Set(
    MESSAGES.filter((message) => message !== hidden).flatMap((m) => of[m].map((occurrence) => `${m} ${occurrence}`)),
  );
}

interface Marked {
  readonly key: string;
  readonly mark: 'still' | 'new' | null;
}

async function marksOf(page: number): Promise<Marked[]> {
  const rows = await store.db
    .selectFrom('issues')
    .innerJoin('common_issues as c', 'c.id', 'issues.common_issue_id')
    .select(['c.message', 'issues.fingerprints', 'issues.new_occurrences', 'issues.muted'])
    .where('issues.web_page_id', '=', page)
    .where('issues.kind', '=', 'html')
    .where('issues.muted', '=', false)
    .execute();
  return rows.flatMap(({ message, fingerprints: packed, new_occurrences: bits }) =>
    Array.from({ length: (packed?.length ?? 0) / 16 }, (_, at) => ({
      key: `${message} ${(packed?.[16 * at] ?? 0) - 16 * MESSAGES.indexOf(message as 'One')}`,
      mark: recheckMark(bits, at),
    })),
  );
}

test('occurrences are fixed, still there or new as the results before and after say, for each page and for all', async () => {
  await fc.assert(
    fc.asyncProperty(found, fc.array(round, { minLength: 2, maxLength: 5 }), async (first, rounds) => {
      const { reportId, pageIds } = await reportWithPages(store);
      await save(reportId, pageIds, [first, first, null, first]);
      const isHidden = (page: number, muted: string | null) => (page < 2 ? muted : null);
      /** What each page had when it was last checked; null if it never was. */
      let before: (Found | null)[] = [first, first, null, first];
      for (const [number, { outcomes, isGone, muted, isApplied }] of rounds.entries()) {
        await mute(muted, isApplied);
        const id = await recheckPages(store.db, reportId, { webPageIds: pageIds });
        await refetch(store, reportId, isGone ? 2 * number : 2 * number + 1);
        if (!isGone) await save(reportId, pageIds, outcomes);
        const results = isGone ? [null, null, null, null] : outcomes;

        const sums = { fixed: 0, still: 0, new: 0 };
        let [failed, uncompared] = [0, 0];
        for (const [page, pageId] of pageIds.entries()) {
          const [result = null, then = null] = [results[page], before[page]];
          const hidden = isHidden(page, muted);
          const { recheck } = (await findWebPage(store.db, reportId, pageId))?.checks['html'] ?? {};
          const listed = await listFixedIssues(store.db, pageId, ['html'], PAGE);
          if (result === null) failed += 1;
          else if (then === null) uncompared += 1;
          const marks = await marksOf(pageId);
          if (result === null || then === null) {
            assert.equal(recheck, null);
            assert.deepEqual(listed, { total: 0, rows: [], occurrences: 0 });
            assert.ok(marks.every(({ mark }) => mark === null));
            continue;
          }
          const now = keysOf(result, hidden);
          // What is muted now counts neither before nor now.
          const shown = keysOf(then, hidden);
          const { fixed = -1, still = -1, new: added = -1, cause } = recheck ?? {};
          assert.deepEqual([fixed + still, still + added], [shown.size, now.size]);
          assert.deepEqual([still, cause], [now.intersection(shown).size, 'site']);
          assert.deepEqual(
            marks.map(({ key, mark }) => `${key} ${mark}`).sort(),
            [...now].map((key) => `${key} ${shown.has(key) ? 'still' : 'new'}`).sort(),
          );
          const gone = Map.groupBy(shown.difference(now), (key) => key.split(' ')[0]);
          assert.deepEqual(
            listed.rows.map(({ message, how_many: howMany }) => [message, howMany]).sort(),
            [...gone].map(([message, keys]) => [message, keys.length]).sort(),
          );
          assert.equal(listed.occurrences, fixed);
          sums.fixed += fixed;
          sums.still += still;
          sums.new += added;
        }
        const recheck = await findRecheck(store.db, reportId, id ?? '', ['html']);
        assert.ok(recheck);
        const { pending, checked, occurrences: all, finishedAt } = recheck;
        assert.deepEqual([pending, checked, recheck.failed], [0, pageIds.length - failed, failed]);
        assert.deepEqual([all, recheck.uncompared], [sums, uncompared]);
        assert.ok(finishedAt);
        // A page that failed keeps what it had.
        before = before.map((found, page) => results[page] ?? found);
      }
      await deleteReport(store.db, reportId);
      await mute(null);
    }),
    { numRuns: 6 },
  );
});
