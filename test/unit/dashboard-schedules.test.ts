import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FAILING_CHOICES, failingWords, widestIssues } from '../../packages/client/fail-on.ts';
import type { Periodicity } from '../../packages/client/periodicity.ts';
import { CERTAINTIES, IMPACTS } from '../../src/domain/check.ts';
import { countedBy, FAIL_ON, isCounted } from '../../src/domain/fail-on.ts';
import { dateTime } from '../../web/src/lib/formats.ts';
import { hookCalls, runsOf, whenOf } from '../../web/src/lib/schedules.ts';
import { fc } from '../helpers/random.ts';

const TIMES = {
  ...{ id: '019aba5e-8c51-7000-8000-00000000000f', time_of_day: null, time_zone: 'UTC', spread: false },
};

test('runs are shown in the time zone of their schedule', () => {
  const times = { ...TIMES, periodicity: null, time_of_day: '07:30', time_zone: 'Asia/Kathmandu' };
  const runs = ['2026-11-27T01:45:00', '2026-11-28T01:45:00'];
  assert.equal(runsOf(runs, times), 'Fri 27 Nov, 07:30 · Sat 28 Nov, 07:30 (Asia/Kathmandu)');
  const unknown = { ...times, time_zone: 'Europe/Atlantis' };
  assert.equal(runsOf(runs.slice(1), unknown), dateTime('2026-11-28T01:45:00'));
});

test('a periodicity is described in words', () => {
  const words: readonly (readonly [Periodicity | null, string])[] = [
    [null, 'only by its deploy hook'],
    [{ every: 'day' }, 'every day'],
    [{ every: 'week', weekday: 'friday' }, 'every Friday'],
    [{ every: 'month', monthday: 3 }, 'on day 3 of each month'],
  ];
  for (const [periodicity, said] of words) assert.equal(whenOf({ ...TIMES, periodicity }), said);
  const daily = { ...TIMES, periodicity: { every: 'day' }, time_of_day: '07:30' } as const;
  assert.equal(whenOf(daily), 'every day at 07:30 UTC');
  assert.equal(whenOf({ ...daily, time_zone: 'Europe/Berlin' }), 'every day at 07:30 (Europe/Berlin)');
  assert.equal(whenOf({ ...daily, spread: true }), 'every day, 15 min after 07:30 UTC');
  assert.equal(whenOf({ ...daily, periodicity: null }), 'only by its deploy hook');
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
  const issues = CERTAINTIES.flatMap((type) => [null, ...IMPACTS].map((impact) => ({ type, impact })));
  const countedIn = (failOn: readonly (typeof FAIL_ON)[number][]) =>
    issues.filter((issue) => isCounted(issue, countedBy(failOn)));
  const names = FAILING_CHOICES.map(([name]) => name);
  const failing = FAIL_ON.filter((name) => names.includes(name)).sort((a, b) => names.indexOf(a) - names.indexOf(b));
  assert.equal(failing.length, names.length);
  fc.assert(
    fc.property(fc.subarray(failing), (names) => {
      const widest = names.filter((name) => name === widestIssues(names));
      assert.deepEqual(countedIn(widest), countedIn(names));
    }),
  );
  assert.equal(
    failingWords(['error', 'critical', 'unchecked']),
    'errors of any check or pages that could not be checked',
  );
  assert.equal(failingWords(['unchecked']), 'pages that could not be checked');
});
