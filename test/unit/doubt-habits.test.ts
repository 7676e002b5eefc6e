import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDoubtHabits } from '../../src/logins/doubt-habits.ts';
import { doubtsRestMs, missingFollowedEach, vainDoubtsMax, vainDoubtsOfSortMax } from '../../src/logins/limits.ts';

test('doubts that are in vain again and again are ignored, or followed only now and then', () => {
  let time = 0;
  const habits = createDoubtHabits(() => time);
  const at = (path: string) => [{ sign: 'status' as const, url: `https://example.com${path}` }];
  for (let turn = 0; turn < vainDoubtsMax; turn += 1) habits.learn('1', at('/api'), true);
  assert.deepEqual([habits.areVain('1', at('/api')), habits.areVain('1', at('/other'))], [true, false]);
  // Each page asks at another address.
  for (let turn = vainDoubtsMax; turn < vainDoubtsOfSortMax; turn += 1) habits.learn('1', at(`/api/${turn}`), true);
  assert.deepEqual([habits.areVain('1', at('/other')), habits.areVain('2', at('/other'))], [true, false]);
  assert.equal(habits.areVain('1', [...at('/other'), { sign: 'redirect', url: 'https://example.com/login' }]), false);
  time += doubtsRestMs;
  assert.deepEqual([habits.areVain('1', at('/api')), habits.areVain('1', at('/other'))], [true, false]);
  habits.learn('1', at('/other'), false);
  assert.equal(habits.areVain('1', at('/api')), false);
});

test('of missing pages, some are followed, because nothing else may show the end of a session', () => {
  const habits = createDoubtHabits(() => 0);
  const missing = [{ sign: 'missing' as const, url: 'https://example.com/gone' }];
  for (let turn = 0; turn < vainDoubtsMax; turn += 1) habits.learn('1', missing, true);
  const areVain = Array.from({ length: 2 * missingFollowedEach }, () => habits.areVain('1', missing));
  assert.deepEqual(
    areVain.flatMap((isVain, index) => (isVain ? [] : [index + 1])),
    [missingFollowedEach, 2 * missingFollowedEach],
  );
});
