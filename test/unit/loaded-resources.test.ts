import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedResponse } from '../../src/browser/page-load/load-record.ts';
import { createResourceIdentifier } from '../../src/checks/a11y/loaded-resources.ts';

const URL = 'https://example.com/style.css';

const response = (headers: Record<string, string>, isRevalidated: boolean): RecordedResponse => {
  const body = Buffer.from('p { color: red }');
  const bodies = isRevalidated ? [] : [{ bytes: body.length, read: async () => body }];
  return { type: 'stylesheet', status: 200, headers, isRevalidated, bodies };
};

const full = response({ 'content-type': 'text/css', etag: '"a"' }, false);

test('a copy that the browser has confirmed is identified like the response from which it has the copy', async () => {
  const identify = createResourceIdentifier();
  const first = await identify(new Map([[URL, full]]), 'report');
  assert.ok(first?.[0]?.content);
  // A 304 names no content type.
  const confirmed = new Map([[URL, response({ etag: '"a"' }, true)]]);
  assert.deepEqual(await identify(confirmed, 'report'), first);
  const changed = await identify(new Map([[URL, response({ etag: '"b"' }, true)]]), 'report');
  assert.deepEqual([changed?.[0]?.content, changed?.[0]?.headers], [null, {}], 'of another version, nothing is known');
  const elsewhere = await identify(confirmed, 'another report');
  assert.equal(elsewhere?.[0]?.content, null);
});
