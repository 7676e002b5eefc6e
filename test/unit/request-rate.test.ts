import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitRequests } from '../../src/api/http/request-rate.ts';
import { RetryLater } from '../../src/platform/errors.ts';
import { fc } from '../helpers/random.ts';

/** Seconds to wait; 0 when the request may be made. */
function waitOf(admit: () => void): number {
  try {
    admit();
    return 0;
  } catch (error) {
    assert.ok(error instanceof RetryLater && error.code === 'rate_limited');
    return error.retryAfterSeconds;
  }
}

test('each token may make the allowed number of requests in any minute', () => {
  let time = 5_000;
  const admit = limitRequests<number>(3, 'API token', { now: () => time });
  const wait = (tokenId: number): number => waitOf(() => admit(tokenId));
  assert.deepEqual([wait(1), wait(1), wait(2)], [0, 0, 0]);
  time += 30_000;
  assert.deepEqual([wait(1), wait(1), wait(2)], [0, 30, 0]);
  time += 29_999.5;
  assert.equal(wait(1), 1);
  time += 0.5;
  assert.deepEqual([wait(1), wait(1), wait(1)], [0, 0, 30]);
  time += 60_000;
  assert.deepEqual([wait(1), wait(1), wait(1), wait(1)], [0, 0, 0, 60]);
});

test('no limit allows everything', () => {
  const admit = limitRequests<number>(null, 'API token', { now: () => 0 });
  for (let request = 0; request < 10_000; request += 1) admit(1);
});

test('waiting for Retry-After is enough, and no minute has more than allowed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constant(0)), { maxLength: 100 }),
      (perMinute, pauses) => {
        let time = 0;
        const admit = limitRequests<number>(perMinute, 'API token', { now: () => time });
        const made: number[] = [];
        for (const pause of pauses) {
          time += pause;
          const wait = waitOf(() => admit(1));
          if (wait > 0) {
            // A second less would not do.
            time += (wait - 1) * 1_000;
            assert.equal(
              waitOf(() => admit(1)),
              1,
            );
            time += 1_000;
            assert.equal(
              waitOf(() => admit(1)),
              0,
            );
          }
          made.push(time);
          const inLastMinute = made.filter((moment) => moment > time - 60_000);
          assert.ok(inLastMinute.length <= perMinute);
        }
      },
    ),
  );
});

test('forgetting idle tokens does not forget busy ones', () => {
  let time = 0;
  const admit = limitRequests<number>(1, 'API token', { now: () => time });
  for (let tokenId = 1; tokenId <= 20_000; tokenId += 1) admit(tokenId);
  time = 60_000;
  admit(1);
  time = 119_000;
  admit(2);
  time = 121_000;
  admit(1);
  assert.equal(
    waitOf(() => admit(2)),
    58,
  );
});
