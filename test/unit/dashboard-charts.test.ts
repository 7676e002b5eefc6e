import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsOf } from '../../web/src/lib/stat-series.ts';
import { ticksTo } from '../../web/src/lib/ticks.ts';
import { fc } from '../helpers/random.ts';

test('an axis has round numbers, from 0 to the largest value or just above', () => {
  assert.deepEqual(ticksTo(100, 4), [0, 50, 100]);
  assert.deepEqual(ticksTo(24, 4), [0, 10, 20, 30]);
  assert.deepEqual(ticksTo(1, 4), [0, 0.5, 1]);
  assert.equal(ticksTo(0, 4)[0], 0);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (largest) => {
      const ticks = ticksTo(largest, 4);
      assert.ok((ticks.at(-1) ?? 0) >= largest * 0.999);
      assert.ok((ticks.at(-2) ?? 0) < largest);
      assert.ok(ticks.length >= 2 && ticks.length <= 6, String(ticks));
    }),
  );
});

test('statistics are grouped by their subject, with a gap for an interval without any', () => {
  const stat = (key: string, interval: string, day: string) => ({
    id: `${key}/${interval}`,
    name: key,
    starts_on: day,
  });
  const { intervals, groups } = groupsOf([
    stat('shop', '2026-W08', '2026-02-16'),
    stat('a/b', '2026-W07', '2026-02-09'),
    stat('shop', '2026-W06', '2026-02-02'),
    stat('a/b', '2026-W06', '2026-02-02'),
  ]);
  assert.deepEqual(intervals, ['2026-02-02', '2026-02-09', '2026-02-16']);
  assert.deepEqual(
    groups.map(({ key, last, stats }) => [key, last.starts_on, stats.map((each) => each?.starts_on ?? null)]),
    [
      ['a/b', '2026-02-09', ['2026-02-02', '2026-02-09', null]],
      ['shop', '2026-02-16', ['2026-02-02', null, '2026-02-16']],
    ],
  );
});
