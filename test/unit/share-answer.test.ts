import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { shareAnswer } from '../../src/platform/share-answer.ts';

test('a part is probed once for all waiting requests, and again when the result is old', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const asked: PromiseWithResolvers<number>[] = [];
    const ask = shareAnswer(() => {
      const answer = Promise.withResolvers<number>();
      asked.push(answer);
      return answer.promise;
    }, 2_000);
    const waiting = Promise.all(Array.from({ length: 300 }, ask));
    mock.timers.tick(60_000);
    assert.equal(asked.length, 1, 'however long it takes');
    asked[0]?.resolve(1);
    assert.deepEqual(new Set(await waiting), new Set([1]));
    mock.timers.tick(1_999);
    assert.equal(await ask(), 1);
    mock.timers.tick(1);
    const next = ask();
    asked[1]?.resolve(2);
    assert.equal(await next, 2);
    assert.equal(asked.length, 2);
  } finally {
    mock.timers.reset();
  }
});

test('an error goes to the waiting requests, and is not cached', async () => {
  let times = 0;
  const ask = shareAnswer(async () => {
    times += 1;
    if (times === 1) throw new Error('not there');
    return times;
  }, 60_000);
  await Promise.all([1, 2].map(() => assert.rejects(ask(), { message: 'not there' })));
  assert.equal(await ask(), 2);
});
