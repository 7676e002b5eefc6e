import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveredEvent } from '../../src/domain/notifications.ts';
import type { Message, MessageData, ToldReport } from '../../src/notifications/compose-message.ts';
import { messageText } from '../../src/notifications/digest-text.ts';
import { postBody } from '../../src/notifications/post-body.ts';
import { NO_CHANGES } from '../../src/store/diffs/issue-changes.ts';

const BASE = 'https://checks.example';
const NO_CHANGE = {
  new: 0,
  fixed: 0,
  regressed: 0,
  not_checked_before: 0,
  unverified: 0,
  decided: { error: 0, not_an_error: 0, error_before: 0, not_an_error_before: 0 },
  new_errors: 0,
  new_critical: 0,
  broken_pages: 0,
  recovered_pages: 0,
};

function about(type: DeliveredEvent, site: string, change: Partial<typeof NO_CHANGE> = {}, errors = 0): Message {
  const report: ToldReport = {
    ...{ id: site, url: `${BASE}/reports/${site}`, starting_url: `https://${site}/`, schedule_id: 's', errors },
    ...{
      status: 'finished',
      finished_at: null,
      num_pages: 2,
      pages_checked: 2,
      pages_passed: errors > 0 ? 1 : 2,
      standard: null,
      best_practices: false,
      needs_review: 0,
      warnings: 0,
      checks: [{ kind: 'html', pages_checked: 2, pages_with_errors: errors > 0 ? 1 : 0, pages_severe_free: null }],
    },
    ...{
      verdict: null,
      crawl_error: null,
      crawl_error_code: null,
      previous_report_id: 'before',
      new_issues: [],
      fixed_issues: [],
    },
    ...{ omitted_new_issues: 0, omitted_fixed_issues: 0 },
    change: { ...NO_CHANGE, ...change },
    left_out: { new_issues: 0, fixed_issues: 0, fixes: 0 },
    fixes:
      errors > 0
        ? [
            {
              kind: 'html',
              message: 'Fix\nit',
              how_many: 1,
              num_web_pages: 1,
              errors: 1,
              passing_before_plan: 1,
              passing_after_plan: 2,
              also: [],
            },
          ]
        : [],
  };
  return message(type, { report, ...(type === 'schedule.got_worse' && { reasons: ['new_errors'] }) });
}

function message(type: DeliveredEvent, data: MessageData): Message {
  return { type, timestamp: `2026-01-31T02:00:00.${type.length}Z`, data };
}

const digest = (events: readonly Message[], omitted = 0): Message => message('digest', { events, omitted });

test('sixty nightly runs are one message: worst first, each report once', () => {
  const finished = Array.from({ length: 57 }, (_, index) =>
    about('report.finished', `site-${index}.example`, {}, index % 3),
  );
  const { title, sentences, lists, link } = messageText(
    digest([
      ...finished.slice(0, 30),
      about('report.finished', 'worse.example', { new_errors: 2 }, 2),
      about('schedule.got_worse', 'worse.example', { new_errors: 2 }, 2),
      about('schedule.got_worse', 'worst.example', { new_errors: 1, new_critical: 1 }, 1),
      about('report.failed', 'gone.example'),
      message('guest.near_limit', { guest: { id: 'G1', name: 'Ana', current_usage: 4, max_usage: 5 } }),
      message('schedule.out_of_credits', {
        schedule: { id: 's', starting_url: 'https://poor.example/', url: `${BASE}/schedules/s` },
      }),
      ...finished.slice(30),
    ]),
    BASE,
  );
  assert.equal(title, 'Summary: 1 site could not be checked, 2 sites got worse, 1 schedule ran out of credits');
  assert.deepEqual(sentences, ['60 reports since the last summary.']);
  const [worse, others] = lists;
  assert.deepEqual(worse?.items, [
    { text: 'gone.example could not be checked', url: `${BASE}/reports/gone.example` },
    {
      text: 'worst.example got worse: 1 new error (1 critical). Fix first: Fix it',
      url: `${BASE}/reports/worst.example`,
    },
    { text: 'worse.example got worse: 2 new errors. Fix first: Fix it', url: `${BASE}/reports/worse.example` },
    { text: 'No credits for the schedule of poor.example', url: `${BASE}/schedules/s` },
    { text: 'The guest Ana is near the limit: 4 of 5 credits used this month', url: null },
  ]);
  assert.deepEqual([others?.items.length, others?.left], [20, 37]);
  assert.deepEqual(others?.items[0], {
    text: 'site-2.example has 2 errors on 1 of 2 pages',
    url: `${BASE}/reports/site-2.example`,
  });
  assert.deepEqual(link, { text: 'Open dashboard', url: `${BASE}/` });
});

test('a night without anything worse says so, with the number of events not shown', () => {
  const { title, sentences, lists } = messageText(digest([about('report.finished', 'fine.example')], 7), BASE);
  assert.equal(title, 'Summary: nothing got worse');
  assert.deepEqual(sentences, ['1 report since the last summary.', '7 more events not shown.']);
  assert.deepEqual(
    lists.map((list) => list.title),
    ['Finished'],
  );
});

test('a long digest has room in the messages of Slack and Teams', () => {
  const long = `${'long-'.repeat(60)}.example`;
  const events = Array.from({ length: 100 }, (_, index) =>
    about('schedule.got_worse', `${index}.${long}`, { new_errors: 1 }, 1),
  );
  const slack = JSON.parse(postBody('slack', digest(events), BASE));
  assert.ok(slack.blocks.length > 3 && slack.blocks.length <= 50);
  for (const { text } of slack.blocks) assert.ok(text.text.length <= 3_000);
  const teams = postBody('teams', digest(events), BASE);
  assert.ok(Buffer.byteLength(teams) <= 28_000);
  // Slack has 40 of the 100, Teams fewer; both say how many that leaves out.
  assert.match(JSON.stringify(slack), /and 60 more>/);
  const shown = teams.match(/"• \d+\.long-/g)?.length ?? 0;
  assert.ok(shown > 0 && shown < 40, String(shown));
  assert.equal(Number(/"• and (\d+) more"/.exec(teams)?.[1]), 100 - shown);
});

test('each list of a message says how many items it leaves out', () => {
  const finished = about('report.finished', 'long.example', {}, 3);
  const { report } = finished.data;
  assert.ok(report !== undefined);
  const [fix] = report.fixes;
  assert.ok(fix !== undefined);
  const fixes = [{ ...fix, also: [{ kind: 'a11y', message: 'Fix it, too' }] }];
  const fixed = {
    ...({ kind: 'html', issue_type: 'error', message: 'Gone', impact: null, change: 'fixed', how_many: 0 } as const),
    ...{
      effect_on_visitors: null,
      how_many_before: 1,
      num_web_pages: 0,
      num_web_pages_before: 1,
      occurrences: { ...NO_CHANGES, fixed: 1 },
    },
  };
  const long = {
    ...report,
    ...{ fixes, fixed_issues: [fixed], left_out: { new_issues: 0, fixed_issues: 2, fixes: 1_234 } },
  };
  const slack = postBody('slack', { ...finished, data: { report: long } }, BASE);
  const [, gone, first] = JSON.parse(slack).blocks.map(({ text }: { text: { text: string } }) => text.text);
  assert.equal(
    gone,
    `*Fixed since the last report*\n• Gone (error, 1 fixed, was on 1 page)\n• <${report.url}/changes|and 2 more>`,
  );
  assert.equal(
    first,
    '*Fix first*\n• Fix it (1 occurrence on 1 page, also found by the accessibility check; 1 → 2 of 2 pages pass)\n' +
      `• <${report.url}|and 1,234 more>`,
  );
});

test('a run that its schedule counts as failed says so, and needs attention', () => {
  const finished = about('report.finished', 'strict.example', {}, 2);
  const { report } = finished.data;
  assert.ok(report !== undefined);
  const verdict = { passed: false, how_many: 2, fail_on: ['error', 'unchecked'] } as const;
  const failed = message('report.finished', { report: { ...report, verdict } });
  const { title, sentences } = messageText(failed, BASE);
  assert.equal(title, 'strict.example did not pass: 2 errors on 1 of 2 pages');
  assert.equal(
    sentences[2],
    'Runs of the schedule fail on errors of any check or pages that could not be checked; this run has 2.',
  );
  const summary = messageText(digest([about('report.finished', 'fine.example'), failed]), BASE);
  assert.equal(summary.title, 'Summary: 1 site did not pass');
  assert.deepEqual(
    summary.lists.map((list) => [list.title, list.items.length]),
    [
      ['Needs attention', 1],
      ['Finished', 1],
    ],
  );
});

test('errors are on the pages that each kind of check has checked', () => {
  const { report } = about('report.finished', 'partial.example', {}, 2).data;
  assert.ok(report !== undefined);
  const partial: ToldReport = {
    ...report,
    ...{ num_pages: 3, pages_checked: 1, pages_passed: 1, crawl_error_code: 'report_stopped' },
    checks: [
      { kind: 'html', pages_checked: 3, pages_with_errors: 1, pages_severe_free: null },
      { kind: 'a11y', pages_checked: 1, pages_with_errors: 0, pages_severe_free: null },
    ],
  };
  const { title, sentences } = messageText(message('report.finished', { report: partial }), BASE);
  assert.equal(
    title,
    'partial.example was stopped early, and has 2 errors (HTML check: 1 of 3 pages, accessibility check: 0 of 1 page)',
  );
  assert.equal(sentences[0], '3 pages found, 1 checked, 2 not fully checked.');
});
