import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IMPACTS, ISSUE_TYPES } from '../../src/domain/check.ts';
import { countedBy, FAIL_ON, isCounted } from '../../src/domain/fail-on.ts';
import { WEEKDAYS } from '../../src/domain/periodicity.ts';
import { nextRun } from '../../src/schedules/next-run.ts';
import {
  FAILING_ISSUES,
  failingWords,
  hookCalls,
  nextRuns,
  type Periodicity,
  timeOfDayMs,
  whenOf,
  widestIssues,
} from '../../web/src/lib/schedules.ts';
import { fc } from '../helpers/random.ts';

const PERIODICITIES = fc.oneof(
  fc.constant({ every: 'day' as const }),
  fc.record({ every: fc.constant('week' as const), weekday: fc.constantFrom(...WEEKDAYS) }),
  fc.record({ every: fc.constant('month' as const), monthday: fc.integer({ min: 1, max: 28 }) }),
);
const MINUTE_MS = 60_000;

test('the next runs that are shown are those of the service', () => {
  fc.assert(
    fc.property(
      PERIODICITIES,
      fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
      fc.integer({ min: 0, max: 1_439 }),
      (periodicity, now, minutes) => {
        const shown = nextRuns(periodicity, now, minutes * MINUTE_MS, 3);
        let shifted = new Date(now.getTime() - minutes * MINUTE_MS);
        for (const run of shown) {
          shifted = nextRun(periodicity, shifted);
          assert.equal(run.toISOString(), new Date(shifted.getTime() + minutes * MINUTE_MS).toISOString());
        }
        assert.equal(shown.length, 3);
      },
    ),
  );
  assert.deepEqual(nextRuns(null, new Date(), 0, 3), []);
});

test('a rhythm is told in words', () => {
  const words: readonly (readonly [Periodicity, string])[] = [
    [null, 'only by its deploy hook'],
    [{ every: 'day' }, 'every day'],
    [{ every: 'week', weekday: 'friday' }, 'every Friday'],
    [{ every: 'month', monthday: 3 }, 'on day 3 of each month'],
  ];
  for (const [periodicity, said] of words) assert.equal(whenOf(periodicity), said);
});

test('only the curl line contains the secret address of a deploy hook', () => {
  const url = 'https://sitewarden.example/schedule/0198/secret/fire';
  const [curl, ...others] = hookCalls(url);
  assert.ok(curl?.text.includes(url));
  for (const { text, before } of others) {
    assert.ok(!text.includes('secret/fire'));
    assert.match(before ?? '', /SITEWARDEN_HOOK/);
  }
});

test('each choice of what makes a run fail includes those before it, so that one says what several do', () => {
  const issues = ISSUE_TYPES.flatMap((type) => [null, ...IMPACTS].map((impact) => ({ type, impact })));
  const countedIn = (failOn: readonly (typeof FAIL_ON)[number][]) =>
    issues.filter((issue) => isCounted(issue, countedBy(failOn)));
  fc.assert(
    fc.property(fc.subarray(FAILING_ISSUES.map(([name]) => name)), (names) => {
      const widest = names.filter((name) => name === widestIssues(names));
      assert.deepEqual(countedIn(widest), countedIn(names));
    }),
  );
  const others = FAIL_ON.filter((name) => !FAILING_ISSUES.some(([known]) => known === name));
  assert.deepEqual(others, ['unchecked', 'never']);
  assert.equal(
    failingWords(['error', 'critical', 'unchecked']),
    'errors of any check or pages that could not be checked',
  );
  assert.equal(failingWords(['unchecked']), 'pages that could not be checked');
  assert.equal(timeOfDayMs('03:30'), 12_600_000);
});
