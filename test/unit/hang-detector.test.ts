import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createHangDetector, type HangDetector } from '../../src/browser/page-load/show-document.ts';

/** When a page counts as a page whose script never ends. The clock is set by hand. */

const limitMs = 30_000;
const never = new Promise<never>(() => undefined);

function detectorWithClock({ mock }: TestContext): { hangs: HangDetector; pass: (ms: number) => void } {
  let now = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
  const pass = (ms: number): void => {
    now += ms;
    mock.timers.tick(ms);
  };
  return { hangs: createHangDetector(limitMs), pass };
}

describe('a page whose script never ends', () => {
  it('owes a response for as long as the limit, across several requests', async (context) => {
    const { hangs, pass } = detectorWithClock(context);
    const first = hangs.watch(never);
    pass(limitMs - 1_000);
    const second = hangs.watch(never);
    pass(1_000);
    const isHang = { failure: { code: 'script_without_end', params: {} } };
    await Promise.all([first, second].map((answer) => assert.rejects(answer, isHang)));
  });

  it('is not a page without a request for longer', async (context) => {
    const { hangs, pass } = detectorWithClock(context);
    assert.equal(await hangs.watch(Promise.resolve('first')), 'first');
    pass(limitMs + 10_000);
    const late = Promise.withResolvers<string>();
    const answer = hangs.watch(late.promise);
    pass(limitMs - 1);
    late.resolve('second');
    assert.equal(await answer, 'second');
  });
});
