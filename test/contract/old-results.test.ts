import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBaseline } from '../../src/issues/baseline-file.ts';
import { baselineText } from '../../src/reports/baseline.ts';
import { findReport } from '../../src/store/reports.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { seedReport } from '../helpers/seed.ts';

test('results of versions before, which have no fingerprints, are in no baseline', async () => {
  const store = await openTestStore();
  try {
    const issues = [{ kind: { type: 'error', message: 'Old' } as const, occurrences: [null] }];
    const pages = [{ url: 'https://example.com/', checks: { html: { status: 'checked', issues } as const } }];
    const { reportId } = await seedReport(store.db, { account_id: store.accountId }, ['html'], pages);
    const report = await findReport(store.db, reportId);
    assert.ok(report);
    const { kinds, pages: found } = parseBaseline((await Array.fromAsync(baselineText(store.db, report))).join(''));
    assert.deepEqual([kinds.size, found.size], [0, 0]);
  } finally {
    await store.close();
  }
});
