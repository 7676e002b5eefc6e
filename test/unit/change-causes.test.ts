import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeCause } from '../../src/domain/change.ts';
import { ChangeTally, type CheckedPage } from '../../src/issues/diff-pages.ts';
import { diffRecheck } from '../../src/issues/diff-recheck.ts';

/** The causes of changed results. */

const result = (occurrence: string, more: Partial<CheckedPage> = {}): CheckedPage => ({
  document: 'd0 text/html',
  engineVersion: 'axe-core 4',
  resources: 'r0',
  issues: [{ fingerprint: 'f0', occurrences: ['stays', occurrence], traces: Buffer.alloc(16) }],
  occurrences: new Set(['stays', occurrence]),
  ...more,
});

interface Diff {
  readonly title: string;
  readonly now: CheckedPage;
  readonly looksTheSame?: boolean;
  readonly cause: ChangeCause;
}

const COMPARISONS: readonly Diff[] = [
  { title: 'another document', now: result('b', { document: 'd1 text/html' }), cause: 'site' },
  { title: 'the same bytes with another media type', now: result('b', { document: 'd0 text/plain' }), cause: 'site' },
  { title: 'another engine', now: result('b', { engineVersion: 'axe-core 5' }), cause: 'engine' },
  { title: 'other settings', now: result('b'), looksTheSame: false, cause: 'settings' },
  { title: 'other resources', now: result('b', { resources: 'r1' }), cause: 'site' },
  { title: 'resources that vary', now: result('b', { resources: null }), cause: 'measurement' },
  { title: 'no known difference', now: result('b'), cause: 'measurement' },
];

describe('the cause of a change', () => {
  for (const { title, now, looksTheSame = true, cause } of COMPARISONS) {
    test(`with ${title} is ${cause}`, () => {
      const tally = new ChangeTally(looksTheSame);
      tally.add('a11y', { now, before: result('a'), notBefore: null }, new Set());
      assert.deepEqual(
        tally.counts().map((count) => [count.change, count.cause]),
        [
          ['persisting', 'site'],
          ['new', cause],
          ['fixed', cause],
        ],
      );
      if (looksTheSame) assert.equal(diffRecheck('a11y', now, result('a')).result.cause, cause);
    });
  }

  test('is a decision if it makes an occurrence count, or an error, in only one report', () => {
    const decided = (errors: readonly string[], without: readonly string[]): CheckedPage => {
      const all = ['stays', 'error', 'without'];
      const counted = all.filter((occurrence) => !without.includes(occurrence));
      const issue = (occurrences: string[]) => ({ fingerprint: 'f0', occurrences, traces: Buffer.alloc(24) });
      return result('', {
        issues: [issue(counted), { ...issue([...without]), muted: true }],
        occurrences: new Set(all),
        uncounted: new Map(without.map((occurrence) => [occurrence, 'decision'])),
        decidedErrors: new Set(errors),
      });
    };
    const changesOf = (now: CheckedPage, before: CheckedPage) => {
      const tally = new ChangeTally(true);
      tally.add('a11y', { now, before, notBefore: null }, new Set());
      return tally.counts().map(({ change, cause, effect, occurrences }) => [change, cause, effect, occurrences]);
    };
    const [none, some] = [decided([], []), decided(['error'], ['without'])];
    assert.deepEqual(changesOf(some, none), [
      ['persisting', 'site', null, 1],
      ['persisting', 'decision', 'error', 1],
      ['unverified', 'decision', 'not_an_error', 1],
    ]);
    assert.deepEqual(changesOf(none, some), [
      ['persisting', 'site', null, 1],
      ['persisting', 'decision', 'error_before', 1],
      ['not_checked_before', 'decision', 'not_an_error_before', 1],
    ]);
    assert.deepEqual(changesOf(some, some), [['persisting', 'site', null, 2]]);
  });

  test('is the site for a check without a version, which asks other addresses', () => {
    const { result: found } = diffRecheck(
      'link',
      result('b', { engineVersion: null }),
      result('a', { engineVersion: null }),
    );
    assert.equal(found.cause, 'site');
  });

  test('is the site if nothing changed', () => {
    assert.equal(diffRecheck('a11y', result('a'), result('a')).result.cause, 'site');
  });
});
