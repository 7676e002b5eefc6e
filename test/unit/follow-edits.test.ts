import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangeTally, type CheckedPage, changeOf } from '../../src/issues/diff-pages.ts';
import { followEdits } from '../../src/issues/follow-edits.ts';
import { TRACE_BYTES, TRACE_PATH_BYTES } from '../../src/issues/identity.ts';
import { fc } from '../helpers/random.ts';

/** An occurrence whose element was edited stays the same occurrence. */

/** Occurrences with the same last number are equal. A path of 0 is none. */
type Occurrence = readonly [kind: string, fingerprint: string, path: number, equal?: number];

function page(...occurrences: Occurrence[]): CheckedPage {
  const issues = [...Map.groupBy(occurrences, ([kind]) => kind)].map(([fingerprint, found]) => {
    const traces = Buffer.alloc(TRACE_BYTES * found.length);
    for (const [index, [, , path, equal = 0]] of found.entries()) {
      traces.writeUIntBE(path, TRACE_BYTES * index, TRACE_PATH_BYTES);
      traces.writeUIntBE(equal, TRACE_BYTES * index + TRACE_PATH_BYTES, TRACE_BYTES - TRACE_PATH_BYTES);
    }
    return { fingerprint, occurrences: found.map(([, occurrence]) => occurrence), traces };
  });
  const all = new Set(occurrences.map(([, occurrence]) => occurrence));
  return { document: '', engineVersion: null, resources: null, issues, occurrences: all };
}

const occurrencesAfter = (now: CheckedPage, before: CheckedPage): string[] =>
  followEdits(now, before).issues.flatMap(({ occurrences }) => occurrences);

describe('an edited occurrence', () => {
  const before = page(['k', 'old', 7], ['k', 'same', 1]);

  it('persists if one element of each result has its path', () => {
    assert.deepEqual(occurrencesAfter(page(['k', 'same', 1], ['k', 'edited', 7]), before), ['edited', 'same']);
  });

  it('is fixed, and another one is new, if the path or the issue type differs or is unknown', () => {
    for (const other of [
      ['k', 'edited', 8],
      ['other', 'edited', 7],
      ['k', 'edited', 0],
    ] as const) {
      assert.equal(followEdits(page(['k', 'same', 1], other), before), before);
    }
    assert.deepEqual(occurrencesAfter(page(['k', 'new', 0]), page(['k', 'old', 0])), ['old']);
  });

  it('is not distinguished from others with its path', () => {
    const twice = page(['k', 'a', 7], ['k', 'b', 7]);
    assert.equal(followEdits(twice, before), before);
    assert.equal(followEdits(page(['k', 'edited', 7]), twice), twice);
  });

  it('is one of several equal ones, of which the last number is gone', () => {
    const three = page(['k', 'equal 0', 1, 5], ['k', 'equal 1', 2, 5], ['k', 'equal 2', 3, 5]);
    // The first one was edited: the other two are numbers 0 and 1 now.
    const now = page(['k', 'edited', 1, 6], ['k', 'equal 0', 2, 5], ['k', 'equal 1', 3, 5]);
    assert.deepEqual(occurrencesAfter(now, three), ['equal 0', 'equal 1', 'edited']);
  });

  it('is found once for each of very many equal ones', () => {
    const equal = (count: number, from: number): Occurrence[] =>
      Array.from({ length: count }, (_, index) => ['k', `equal ${index}`, from + index, 5]);
    const half = 5_000;
    const edited = Array.from({ length: half }, (_, index): Occurrence => ['k', `edited ${index}`, 1 + index, 6]);
    const occurrences = occurrencesAfter(page(...edited, ...equal(half, 1 + half)), page(...equal(2 * half, 1)));
    assert.deepEqual(new Set(occurrences), new Set([...edited, ...equal(half, 1)].map(([, occurrence]) => occurrence)));
  });

  it('is not followed if others moved to its path', () => {
    // A list of news: a new entry on top, and the last one is gone.
    const news = page(['k', 'monday', 1, 1], ['k', 'tuesday', 2, 2]);
    assert.equal(followEdits(page(['k', 'sunday', 1, 3], ['k', 'monday', 2, 1]), news), news);
  });
});

describe('occurrences of two results', () => {
  const occurrencesOf = (name: string): fc.Arbitrary<Occurrence[]> =>
    fc
      .uniqueArray(fc.record({ at: fc.nat(9), path: fc.nat(4), equal: fc.nat(1), isEdited: fc.boolean() }), {
        selector: ({ at, isEdited }) => `${at} ${isEdited}`,
        maxLength: 12,
      })
      .map((found) =>
        found.map(({ at, path, equal, isEdited }) => [`k${at % 2}`, isEdited ? `${name} ${at}` : `${at}`, path, equal]),
      );

  it('add up, and each of them has the change that is counted', () => {
    fc.assert(
      fc.property(occurrencesOf('now'), occurrencesOf('before'), (nowOccurrences, beforeOccurrences) => {
        const [now, then] = [page(...nowOccurrences), page(...beforeOccurrences)];
        const before = followEdits(now, then);
        const tally = new ChangeTally(true);
        tally.add('html', { now, before, notBefore: null }, NONE);
        const count = (change: string): number =>
          tally.counts().reduce((sum, counted) => sum + (counted.change === change ? counted.occurrences : 0), 0);
        assert.equal(count('new') + count('persisting'), nowOccurrences.length);
        assert.equal(count('fixed') + count('persisting'), beforeOccurrences.length);
        const changes = nowOccurrences.map(([, occurrence]) => changeOf(occurrence, { before, notBefore: null }, NONE));
        assert.equal(changes.filter((change) => change === 'persisting').length, count('persisting'));
        // Nothing that persists without edits is lost, and each kind has as many occurrences as before.
        assert.ok(now.occurrences.intersection(then.occurrences).isSubsetOf(before.occurrences));
        assert.equal(before.occurrences.size, then.occurrences.size);
        assert.deepEqual(
          before.issues.map(({ fingerprint, occurrences }) => [fingerprint, new Set(occurrences).size]),
          then.issues.map(({ fingerprint, occurrences }) => [fingerprint, occurrences.length]),
        );
      }),
    );
  });
});

const NONE: ReadonlySet<string> = new Set();
