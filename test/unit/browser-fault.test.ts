import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageFailure } from '../../src/browser/browser-fault.ts';

test('an unknown error of a page is shown, unless its message may contain what was entered', () => {
  const error = new Error('fill("hunter2") failed');
  const failureOf = (work: 'check' | 'rendering' | 'login' | 'journey') =>
    pageFailure(error, { work, timeLimitMs: 1_000 }).failure;
  for (const work of ['check', 'rendering'] as const)
    assert.deepEqual(failureOf(work), { code: 'page_work_stopped', params: { work, text: error.message } });
  for (const work of ['login', 'journey'] as const)
    assert.deepEqual(failureOf(work), { code: 'page_given_up', params: {} });
});
