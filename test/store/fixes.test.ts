import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { listFixes } from '../../src/store/issues/fixes.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { A11Y_ISSUE_TYPES, element, HOME } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

const store = await openTestStore();
after(() => store.close());

test('insights of a page are computed even if its texts have NUL and halves of characters', async () => {
  const half = '\u{1f600}'.slice(0, 1);
  const hostile = {
    ...element(`a\0${half}`),
    edited: { markup: `<b title="\0${half}">`, line: null, column: null },
    // As an earlier version stored it.
    style_rule: { selector: `.\0${half}`, url: `https://example.com/\0${half}` },
    background_rule: {
      selector: `.\0${half}`,
      url: null,
      line: 1,
      column: 1,
      property: 'background',
      value: `\0${half}`,
    },
  };
  const issues = [{ kind: A11Y_ISSUE_TYPES.contrast, occurrences: [hostile] }];
  const page = { url: HOME, checks: { a11y: { status: 'checked' as const, issues } } };
  const { reportId } = await seedReport(store.db, { account_id: store.accountId }, ['a11y'], [page]);
  await store.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  assert.equal(await computeNextInsights(store.db), true);
  const rule = { selector: '.\uFFFD\uFFFD' };
  const { rows } = await listFixes(store.db, reportId, ['a11y'], { number: 1, size: 10 });
  assert.deepEqual(
    rows.map(({ markup, cause, selector, style_rule: rule, background_rule: behind }) => ({
      markup,
      cause,
      selector,
      rule,
      behind,
    })),
    [
      {
        markup: '<img class="a\uFFFD\uFFFD">',
        cause: '<b title="\uFFFD\uFFFD">',
        selector: 'a\uFFFD\uFFFD',
        rule: {
          ...rule,
          url: 'https://example.com/\uFFFD\uFFFD',
          property: 'color',
          value: null,
          line: null,
          column: null,
        },
        behind: { ...rule, url: null, property: 'background', value: '\uFFFD\uFFFD', line: 1, column: 1 },
      },
    ],
  );
});
