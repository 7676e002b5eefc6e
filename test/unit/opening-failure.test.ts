import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openingFailure } from '../../src/browser/page-load/show-document.ts';
import { afterFault, FIRST_ATTEMPT } from '../../src/checking/check-retries.ts';

const gotoError = (message: string, name = 'Error') => Object.assign(new Error(`page.goto: ${message}`), { name });
const repeated = (error: Error) => afterFault(openingFailure(error, 20_000), FIRST_ATTEMPT);

test('a page that could not be opened is opened once more, alone: a process of the browser may have ended', () => {
  const alone = { faults: 0, alone: true };
  assert.deepEqual(repeated(gotoError('net::ERR_ABORTED at http://example.com/')), alone);
  assert.deepEqual(repeated(gotoError('Timeout 20000ms exceeded.', 'TimeoutError')), alone);
  assert.equal(afterFault(openingFailure(gotoError('net::ERR_ABORTED at http://example.com/'), 20_000), alone), null);
});

test('a page that is a download, or whose URL is no URL, is not opened again', () => {
  assert.equal(repeated(gotoError('Protocol error (Page.navigate): Cannot navigate to invalid URL')), null);
  assert.equal(repeated(gotoError('Download is starting')), null);
});
