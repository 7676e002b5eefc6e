import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limitRequests, TooManyRequests } from '../../src/api/request-rate.ts';

/** Seconds to wait; 0 when the request may be made. */
function waitOf(admit: () => void): number {
  try {
    admit();
    return 0;
  } catch (error) {
    assert.ok(error instanceof TooManyRequests && error.code === 'rate_limited');
    return error.retryAfterSeconds;
  }
}

test("a minute's requests may come at once, then evenly, for each token apart", () => {
  let time = 5_000;
  const admit = limitRequests(3, () => time);
  const wait = (tokenId: number): number => waitOf(() => admit(tokenId));
  assert.deepEqual([wait(1), wait(1), wait(1), wait(1), wait(2)], [0, 0, 0, 20, 0]);
  time += 19_000;
  assert.equal(wait(1), 1);
  time += 1_000;
  assert.deepEqual([wait(1), wait(1)], [0, 20]);
  time += 60_000;
  assert.deepEqual([wait(1), wait(1), wait(1), wait(1)], [0, 0, 0, 20]);
});

test('no limit refuses nothing', () => {
  const admit = limitRequests(null, () => 0);
  for (let request = 0; request < 10_000; request += 1) admit(1);
});

test('who waits as long as is said gets through, and no time sees more than was allowed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 700 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 100 }),
      (perMinute, pauses) => {
        let time = 0;
        const admit = limitRequests(perMinute, () => time);
        let made = 0;
        for (const pause of pauses) {
          time += pause;
          const wait = waitOf(() => admit(1));
          time += wait * 1_000;
          if (wait > 0)
            assert.equal(
              waitOf(() => admit(1)),
              0,
            );
          made += 1;
          assert.ok(made <= perMinute + (time / 60_000) * perMinute + 0.001);
        }
      },
    ),
  );
});

test('quiet tokens are forgotten, busy ones are not', () => {
  let time = 0;
  const admit = limitRequests(1, () => time);
  admit(1);
  time = 30_000;
  for (let tokenId = 2; tokenId <= 20_000; tokenId += 1) admit(tokenId);
  assert.equal(
    waitOf(() => admit(1)),
    30,
  );
});
