import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead, average } from '../../web/src/lib/formats.ts';
import { marksOf } from '../../web/src/lib/run-marks.ts';

/** The words with which the dashboard describes sites. */

test('an average has one decimal, and only none is 0', () => {
  const shown = [0, 0.001, 0.0999, 0.1, 0.96, 2, 12.345, 1234.5].map(average);
  assert.deepEqual(shown, ['0', '<0.1', '<0.1', '0.1', '1.0', '2.0', '12.3', '1,234.5']);
});

test('a future time is relative for two weeks', () => {
  const now = new Date('2026-02-01T12:00:00Z');
  const shown = ['T12:00:30', 'T12:59:00', 'T15:10:00'].map((time) => ahead(`2026-02-01${time}`, now));
  assert.deepEqual(shown, ['within a minute', 'in 59 min', 'in 3 h']);
  assert.equal(ahead('2026-02-03T11:00:00', now), 'in 47 h');
  assert.equal(ahead('2026-02-05T13:00:00', now), 'in 4 days');
  assert.equal(ahead('2026-03-01T11:00:00', now), '1 Mar 2026');
});

test('marks are a few words, and versions end at the first number that differs', () => {
  assert.deepEqual(marksOf({}), []);
  assert.deepEqual(marksOf({ deployed: false, changed_settings: [], changed_mutings: { added: 0, removed: 0 } }), []);
  const engine = (before: string, now: string) =>
    marksOf({ changed_engines: [{ name: 'vnu', before, now }] }).map(({ words }) => words);
  assert.deepEqual(engine('26.9.27 (c6ba02c)', '26.10.2 (a1b2c3d)'), ['vnu 26.9 → 26.10']);
  assert.deepEqual(engine('156.0.8078.73', '157.0.1.1'), ['vnu 156 → 157']);
  assert.deepEqual(engine('26.9.27 (c6ba02c)', '26.9.27 (a1b2c3d)'), ['vnu 26.9.27 (c6ba02c) → 26.9.27 (a1b2c3d)']);
  assert.deepEqual(engine('1.2.3', '1.2'), ['vnu 1.2.3 → 1.2']);
  const all = marksOf({
    deployed: true,
    changed_settings: ['max_pages', 'device'],
    changed_mutings: { added: 2, removed: 1 },
    changed_decisions: 1,
  });
  assert.deepEqual(
    all.map(({ name, words }) => [name, words]),
    [
      ['deployed', 'Deployed'],
      ['settings', 'Settings: Maximum pages, Device'],
      ['mutings', '2 mutings added, 1 removed'],
      ['decisions', '1 decision'],
    ],
  );
  assert.equal(marksOf({ changed_mutings: { added: 0, removed: 1 } })[0]?.words, '1 muting removed');
});
