import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { COMPARED_OCCURRENCES_MAX as MAX } from '../../src/issues/diff-pages.ts';
import { FINGERPRINT_BYTES, TRACE_BYTES } from '../../src/issues/identity.ts';
import { chooseFixes } from '../../src/reports/choose-fixes.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { diffReports } from '../../src/reports/diff-reports.ts';
import { markOccurrences } from '../../src/reports/mark-occurrences.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { type PageOfOccurrences, seedOccurrences } from '../helpers/seed-occurrences.ts';

/** The insights of reports whose pages have more occurrences than an honest page. */

const store = await openTestStore();
after(() => store.close());

const url = (path: string): string => `https://example.com/${path}`;
const page = (path: string, from: number, to: number): PageOfOccurrences => ({
  url: url(path),
  occurrences: [from, to],
});

/** The occurrences of each change. */
async function compared(before: readonly PageOfOccurrences[], now: readonly PageOfOccurrences[]): Promise<unknown> {
  const withId = await seedOccurrences(store, before);
  const { types } = await diffReports(store.db, await seedOccurrences(store, now), withId);
  return types[0]?.occurrences;
}

/** The issues of a report in the order of their URLs, as they are marked. */
function issuesOf(reportId: string) {
  return store.db
    .selectFrom('issues')
    .innerJoin('common_issues', 'common_issues.id', 'issues.common_issue_id')
    .innerJoin('web_pages', 'web_pages.id', 'issues.web_page_id')
    .where('issues.report_id', '=', reportId)
    .orderBy('web_pages.url')
    .select(['web_pages.url as pageUrl', 'common_issues.fingerprint'])
    .select(['issues.fingerprints', 'issues.new_occurrences', 'issues.muted'])
    .execute();
}

describe('the comparison of pages with many occurrences', () => {
  it('is exact up to the limit, in any number of batches', async () => {
    const before = ['a', 'b', 'c'].map((path) => page(path, 0, MAX));
    const now = ['a', 'b', 'c'].map((path) => page(path, 10, MAX + 10));
    assert.deepEqual(await compared(before, now), { new: 30, persisting: 3 * (MAX - 10), fixed: 30 });
  });

  it('leaves the occurrences of a page above the limit unverified, and compares the other pages', async () => {
    const before = [page('a', 0, MAX + 1), page('b', 0, 7), page('small', 0, 3), page('gone', 0, MAX + 2)];
    const now = [page('a', 0, 5), page('b', 0, MAX + 1), page('small', 2, 4)];
    assert.deepEqual(await compared(before, now), {
      unverified: 2 * MAX + 10,
      new: 1,
      persisting: 1,
      fixed: 2,
    });
  });

  it('finds occurrences again that only an earlier report has', async () => {
    await seedOccurrences(store, [page('a', 0, 2 * MAX)]);
    const previous = await seedOccurrences(store, [page('a', 0, 1)]);
    const id = await seedOccurrences(store, [page('a', 2 * MAX - 3, 2 * MAX + 4)]);
    const { types } = await diffReports(store.db, id, previous);
    assert.deepEqual(
      types.map(({ occurrences }) => occurrences),
      [{ fixed: 1, new: 4, regressed: 3 }],
    );
  });

  it('counts no change that the page does not show', async () => {
    await seedOccurrences(store, [page('a', 0, MAX + 1), page('b', 0, 1)]);
    const id = await seedOccurrences(store, [page('a', 0, 1), page('b', 0, 1)]);
    await store.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', id).execute();
    while (await computeNextInsights(store.db));
    const issues = await issuesOf(id);
    const marks = await markOccurrences(store.db, id, 'html', issues);
    assert.deepEqual(
      marks.map(([occurrence]) => occurrence?.change),
      [null, 'persisting'],
    );
  });

  it('reads some pages at a time to mark occurrences, and none with too many', async () => {
    const crowded = [page('crowd', 0, MAX + 1), page('mob', 0, MAX + 1)];
    const ordinary = (shift: number) => ['p', 'q'].map((path) => page(path, shift, MAX + shift));
    await seedOccurrences(store, [...crowded, ...ordinary(0)]);
    const id = await seedOccurrences(store, [...crowded, ...ordinary(3)]);
    await store.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', id).execute();
    while (await computeNextInsights(store.db));
    const issues = await issuesOf(id);
    const read: number[] = [];
    const measured = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const buffers = result.rows.flatMap((row) => Object.values(row).filter((value) => Buffer.isBuffer(value)));
        // A single fingerprint belongs to an issue type.
        const ofOccurrences = buffers.filter(({ length }) => length > FINGERPRINT_BYTES);
        read.push(ofOccurrences.reduce((sum, { length }) => sum + length, 0));
        return result;
      },
    });
    const marks = await markOccurrences(measured, id, 'html', issues);
    const added = marks.map((occurrences) => occurrences.filter(({ change }) => change === 'new').length);
    assert.deepEqual(added, [0, 0, 3, 3]);
    const occurrenceBytes = FINGERPRINT_BYTES + TRACE_BYTES;
    assert.deepEqual(Math.max(...read), 2 * MAX * occurrenceBytes, 'one page of both reports');
    assert.equal(
      read.reduce((sum, bytes) => sum + bytes),
      4 * MAX * occurrenceBytes,
    );
  });
});

describe('the fixes of a report with a hostile page', () => {
  it('leave room for the causes on other pages', async () => {
    const hostile = { ...page('a', 0, 20_000), clusters: 20_000 };
    const id = await seedOccurrences(store, [hostile, { ...page('b', 500_000, 500_004), clusters: 1_000_000 }]);
    const { fixes, leftOut } = await chooseFixes(store.db, id);
    assert.deepEqual(
      fixes.slice(0, 4).map(({ how_many, num_web_pages }) => [how_many, num_web_pages]),
      [
        [1, 1],
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    );
    assert.deepEqual(
      fixes.slice(0, 5).map(({ passing_after_plan }) => passing_after_plan),
      [0, 0, 0, 1, 1],
    );
    assert.deepEqual([fixes.length, leftOut.get('html')], [1_000, 4]);
  });
});
