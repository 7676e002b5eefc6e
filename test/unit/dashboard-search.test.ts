import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGE_WORDS } from '../../packages/client/changes.ts';
import { PATHS } from '../../web/src/lib/paths.ts';
import { ISSUE, ISSUES, PAGE, PAGES, SEARCH, searchOn } from '../../web/src/lib/searches.ts';

const kept = (search: object): object =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

test('the search of a screen keeps known values, and drops what the API would refuse', () => {
  const pages = { html: 'with_errors', muted: 'all', recheck: 'fixed', url: 'any text', page: '2' };
  assert.deepEqual(searchOn('/reports/$report/pages', { ...pages, other: 'x' }), pages);
  const bad = { html: 'passes', muted: 'true,all', recheck: 'lost', url: '', page: '-1', sort: '<b>', size: 10 };
  assert.deepEqual(kept(searchOn('/reports/$report/pages', bad)), {});
  // The router would keep a value that is left out.
  assert.ok('html' in searchOn('/reports/$report/pages', bad));
  assert.deepEqual(searchOn('/reports/$report/urls', { outcome: 'robots,failed' }), { outcome: 'robots,failed' });
  assert.deepEqual(kept(searchOn('/reports/$report/html', { impact: 'critical,worse', type: 'critical' })), {});
  assert.deepEqual(kept(searchOn('/account/notifications/$channel', { status: 'finished' })), {});
});

test('a name has the values of its screen', () => {
  assert.deepEqual(searchOn('/stats', { from: '2026-02-28' }), { from: '2026-02-28' });
  assert.deepEqual(kept(searchOn('/stats', { from: 'zz', to: '2026-13-01', group: 'site,tag' })), {});
  assert.deepEqual(searchOn('/reports/new', { from: 'zz' }), { from: 'zz' });
  assert.deepEqual(kept(searchOn('/reports/new', { from: 'zz/changes' })), {});
});

test('a search keeps every change that has a name', () => {
  const change = Object.keys(CHANGE_WORDS).join(',');
  assert.deepEqual(searchOn('/reports/$report/changes', { change }), { change });
});

test('screens with several paths have the same search on each', () => {
  assert.deepEqual(Object.keys(SEARCH).sort(), [...PATHS].sort());
  for (const paths of [PAGES, PAGE, ISSUES, ISSUE])
    assert.equal(new Set(paths.map((path): object => SEARCH[path])).size, 1);
});
