import assert from 'node:assert/strict';
import { afterEach, beforeEach, it, mock } from 'node:test';
import { createRestTimer } from '../../src/platform/rest-timer.ts';

let rests = 0;
const countRest = (): void => {
  rests += 1;
};

beforeEach(() => {
  rests = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

it('calls back once, after the last of the pieces of work has ended', () => {
  const timer = createRestTimer(1_000, countRest);
  const [first, second] = [timer.begin(), timer.begin()];
  first();
  mock.timers.tick(5_000);
  assert.equal(rests, 0);
  second();
  mock.timers.tick(999);
  assert.equal(rests, 0);
  mock.timers.tick(1);
  assert.equal(rests, 1);
  mock.timers.tick(5_000);
  assert.equal(rests, 1);
});

it('waits anew after more work', () => {
  const timer = createRestTimer(1_000, countRest);
  timer.begin()();
  mock.timers.tick(900);
  const ended = timer.begin();
  mock.timers.tick(900);
  ended();
  mock.timers.tick(900);
  assert.equal(rests, 0);
  mock.timers.tick(100);
  assert.equal(rests, 1);
});

it('never calls back if there is no time, or when it is stopped', () => {
  createRestTimer(0, countRest).begin()();
  const stopped = createRestTimer(1_000, countRest);
  stopped.begin()();
  stopped.stop();
  mock.timers.tick(5_000);
  assert.equal(rests, 0);
});
