import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGE_WORDS } from '../../packages/client/changes.ts';
import { only } from '../../web/src/lib/search.ts';

test('a search keeps known values, and drops what the API would refuse', () => {
  const read = only('html', 'muted', 'impact', 'outcome', 'status', 'text');
  const good = { html: 'with_errors', muted: 'all', impact: 'critical,serious', outcome: 'robots', status: 'held' };
  assert.deepEqual(read({ ...good, text: 'any text' }), { ...good, text: 'any text' });
  const bad = { html: 'passes', muted: 'only', impact: 'critical,worse', outcome: 'lost', status: 'ended' };
  assert.deepEqual(
    Object.values(read(bad)).filter((value) => value !== undefined),
    [],
  );
});

test('a search keeps every change that has a name', () => {
  const change = Object.keys(CHANGE_WORDS).join(',');
  assert.deepEqual(only('change')({ change }), { change });
});
