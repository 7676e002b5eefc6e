import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, ToldIssue, ToldReport } from '../../src/notifications/compose-message.ts';
import { eventText } from '../../src/notifications/event-text.ts';
import { NO_CHANGES } from '../../src/store/diffs/issue-changes.ts';

const ISSUE: ToldIssue = {
  ...{ kind: 'link', issue_type: 'error', message: 'Link answers 404', impact: null, change: 'fewer' },
  ...{ how_many: 0, how_many_before: 14, num_web_pages: 0, num_web_pages_before: 14, occurrences: NO_CHANGES },
  effect_on_visitors: 'Everyone who follows the link gets an error page.',
};
const REPORT: ToldReport = {
  ...{ id: '1', url: '', starting_url: 'https://a.example/', schedule_id: null, status: 'finished', finished_at: null },
  ...{
    num_pages: 20,
    pages_checked: 20,
    pages_passed: 2,
    errors: 9,
    warnings: 0,
    standard: null,
    best_practices: false,
    needs_review: 0,
    fixes: [],
  },
  ...{ crawl_error: null, crawl_error_code: null, previous_report_id: '0', new_issues: [], fixed_issues: [] },
  ...{ left_out: { new_issues: 0, fixed_issues: 0, fixes: 0 }, checks: [], verdict: null },
  change: {
    ...{ new: 2, regressed: 16, not_checked_before: 0, unverified: 1, fixed: 13, broken_pages: 1, recovered_pages: 0 },
    ...{ new_errors: 18, new_critical: 0 },
    decided: { error: 0, not_an_error: 0, error_before: 0, not_an_error_before: 0 },
  },
};

const told = (report: Partial<ToldReport>) => {
  const message: Message = {
    ...{ type: 'schedule.got_worse', timestamp: '' },
    data: { report: { ...REPORT, ...report }, reasons: ['new_errors'] },
  };
  return eventText(message, '');
};

test('a message calls occurrences new only if no earlier report had them', () => {
  const { title, sentences, lists } = told({ new_issues: [{ ...ISSUE, how_many: 3, num_web_pages: 2 }] });
  assert.equal(title, 'a.example got worse: 18 errors new or back');
  assert.equal(sentences[1], 'Since the last report: 2 new, 16 back, 13 fixed, 1 not verified.');
  assert.equal(lists[0]?.title, 'New or back since the last report');
});

test('a message says how all occurrences of an issue type changed, and on how many pages it was', () => {
  const occurrences = { ...NO_CHANGES, fixed: 13, unverified: 1 };
  const { lists } = told({ fixed_issues: [{ ...ISSUE, occurrences }] });
  assert.deepEqual(
    lists.map(({ title, items }) => [title, ...items.map(({ text }) => text)]),
    [['Fixed since the last report', 'Link answers 404 (error, 13 fixed, 1 not verified, was on 14 pages)']],
  );
});

test('a message shows numbers of occurrences that agree with how they changed', () => {
  const occurrences = { ...NO_CHANGES, persisting: 106, new: 11, fixed: 10, unverified: 3 };
  const issue = { ...ISSUE, how_many: 117, how_many_before: 119, num_web_pages: 32, occurrences };
  const { lists } = told({ new_issues: [issue] });
  assert.equal(
    lists[0]?.items[0]?.text,
    'Link answers 404 (error, 11 new, 10 fixed, 3 not verified, 116 → 117 on 32 pages). Everyone who follows the link gets an error page.',
  );
});
