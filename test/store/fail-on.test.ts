import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { useBudgets } from '../../src/commands/budget-use.ts';
import { parseFailOn } from '../../src/commands/fail-on.ts';
import { verdictFor } from '../../src/commands/verdict.ts';
import { type Certainty, IMPACTS, type Impact } from '../../src/domain/check.ts';
import type { CheckFailOn } from '../../src/domain/fail-on.ts';
import type { NewIssue } from '../../src/reports/diff-with-baseline.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { type SeedIssue, seedReport } from '../helpers/seed.ts';

let store: TestStore;
let reportId: string;

/** Powers of two, so that each sum shows its terms. */
const occurrences = (bit: number): readonly null[] => new Array(2 ** bit).fill(null);

function graded(type: Certainty, firstBit: number): SeedIssue[] {
  return IMPACTS.map((impact, index) => ({
    kind: { type, message: `${impact} ${type}`, ruleId: impact, impact },
    occurrences: occurrences(firstBit + index),
  }));
}

before(async () => {
  store = await openTestStore();
  const issues: readonly SeedIssue[] = [
    { kind: { type: 'error', message: 'error' }, occurrences: occurrences(0) },
    { kind: { type: 'warning', message: 'warning' }, occurrences: occurrences(1) },
    { kind: { type: 'error', message: 'muted' }, occurrences: occurrences(10) },
  ];
  const failed = { status: 'failed', error: ANSWERED_404 } as const;
  const checked = (found: readonly SeedIssue[]) => ({ status: 'checked', issues: found }) as const;
  const seeded = await seedReport(
    store.db,
    { account_id: store.accountId },
    ['html', 'a11y'],
    [
      {
        url: 'https://example.com/',
        checks: { html: checked(issues), a11y: checked([...graded('error', 2), ...graded('warning', 6)]) },
      },
      { url: 'https://example.com/both', checks: { html: failed, a11y: failed } },
      { url: 'https://example.com/one', checks: { html: checked([]), a11y: failed } },
    ],
  );
  reportId = seeded.reportId;
  await store.db
    .updateTable('common_issues')
    .set((eb) => ({ muted_how_many: eb.ref('how_many'), how_many: 0 }))
    .where('message', '=', 'muted')
    .execute();
});
after(async () => {
  await store?.close();
});

const htmlError = 2 ** 0;
const htmlWarning = 2 ** 1;
/** Of minor, moderate, serious and critical ones. */
const violations = [2 ** 2, 2 ** 3, 2 ** 4, 2 ** 5] as const;
const reviews = 2 ** 6 + 2 ** 7 + 2 ** 8 + 2 ** 9;
const [minor, moderate, serious, critical] = violations;
const errors = htmlError + minor + moderate + serious + critical;

const EXPECTED: Readonly<Record<string, number>> = {
  error: errors,
  warning: errors + htmlWarning + reviews,
  critical,
  serious: serious + critical,
  moderate: moderate + serious + critical,
  minor: minor + moderate + serious + critical,
  unchecked: 2,
  // Issues that several levels count are counted once.
  'error,critical': errors,
  'critical,minor': minor + moderate + serious + critical,
  'warning,error,serious': errors + htmlWarning + reviews,
  'serious, unchecked': serious + critical + 2,
};

const verdict = async (failOn: readonly CheckFailOn[], maxIssues: number, added: readonly NewIssue[] = []) =>
  verdictFor(store.db, reportId, { failOn, maxIssues, added, budgets: await useBudgets(store.db, reportId, []) });

for (const [names, count] of Object.entries(EXPECTED)) {
  test(`--fail-on ${names} counts ${count}`, async () => {
    const failOn = parseFailOn(names, false);
    const [allowed, tooMany] = [await verdict(failOn, count), await verdict(failOn, count - 1)];
    assert.deepEqual([allowed.isPassed, tooMany.isPassed], [true, false]);
  });
}

test('the result says what counted', async () => {
  const sentence = async (names: string, max: number) => (await verdict(parseFailOn(names, false), max)).sentence;
  assert.equal(await sentence('error', 0), 'Failed: 61 errors (0 allowed)');
  assert.equal(
    await sentence('critical,unchecked', 40),
    'Passed: 32 critical errors and 2 unchecked pages (40 allowed)',
  );
  assert.equal(await sentence('unchecked', 1), 'Failed: 2 unchecked pages (1 allowed)');
  assert.equal(await sentence('never', 0), 'Passed (--fail-on never)');
});

test('new issues count in addition to issues that count anyway', async () => {
  const added = (type: Certainty, impact: Impact | null, howMany: number): NewIssue => ({
    ...{ id: 1, fingerprint: '', rank: 1, kind: 'a11y', pages: 1, occurrences: [] },
    ...{ type, impact, howMany },
  });
  const news = [
    added('error', 'critical', 1),
    added('error', 'minor', 2),
    added('warning', 'serious', 4),
    added('error', null, 8),
  ];
  const sentence = async (names: string | undefined) => (await verdict(parseFailOn(names, true), 0, news)).sentence;
  assert.equal(await sentence(undefined), 'Failed: 15 new issues (0 allowed)');
  assert.equal(await sentence('new,error'), 'Failed: 61 errors and 4 other new issues (0 allowed)');
  assert.equal(
    await sentence('serious,new,unchecked'),
    'Failed: 48 errors of serious impact or worse, 14 other new issues and 2 unchecked pages (0 allowed)',
  );
  assert.equal(await sentence('error'), 'Failed: 61 errors (0 allowed)');
});
