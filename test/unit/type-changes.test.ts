import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CHANGE_CAUSES, CHANGES, type ChangedOccurrences, typeChangeOf } from '../../src/domain/change.ts';
import type { ChangeCount } from '../../src/issues/compare-pages.ts';
import { typeChanges } from '../../src/issues/type-changes.ts';
import { fc } from '../helpers/random.ts';

describe('what became of an issue type', () => {
  const cases: readonly (readonly [ChangedOccurrences, string])[] = [
    [{ new: 2 }, 'new'],
    [{ new: 2, regressed: 1 }, 'regressed'],
    [{ persisting: 4, new: 2 }, 'more'],
    [{ persisting: 4, new: 2, fixed: 1 }, 'more'],
    [{ persisting: 4, fixed: 1 }, 'fewer'],
    [{ new: 1, fixed: 1 }, 'persisting'],
    [{ persisting: 4 }, 'persisting'],
    [{ fixed: 4 }, 'fixed'],
    [{ fixed: 1, unverified: 3 }, 'unverified'],
    [{ new: 1, unverified: 3 }, 'more'],
  ];
  for (const [occurrences, expected] of cases) {
    test(`${JSON.stringify(occurrences)} is ${expected}`, () => assert.equal(typeChangeOf(occurrences), expected));
  }

  test('has one row for each issue type, whose occurrences and causes add up', () => {
    const row = fc.record({
      kind: fc.constantFrom('html', 'a11y'),
      fingerprint: fc.constantFrom('0a', '0b', '0c'),
      change: fc.constantFrom(...CHANGES),
      cause: fc.constantFrom(...CHANGE_CAUSES),
      places: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const counts = rows.map((given): ChangeCount => ({ ...given, sample: null, pages: 1 }));
        const types = typeChanges(counts);
        assert.equal(types.length, new Set(rows.map(({ kind, fingerprint }) => `${kind} ${fingerprint}`)).size);
        const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
        for (const change of CHANGES) {
          const given = rows.filter((each) => each.change === change).map(({ places }) => places);
          assert.equal(sum(types.map(({ occurrences }) => occurrences[change] ?? 0)), sum(given));
        }
        for (const { occurrences, causes, cause } of types) {
          const { persisting = 0, ...changed } = occurrences;
          assert.equal(sum(Object.values(causes)), sum(Object.values(changed)));
          assert.equal(causes[cause] ?? 0, Math.max(0, ...Object.values(causes)));
        }
      }),
    );
  });
});
