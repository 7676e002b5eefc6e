import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  CHANGE_WORDS,
  CHANGES,
  type ChangedOccurrences,
  comparedOf,
  decidedSentence,
  occurrenceWords,
  unexaminedWords,
} from '../../packages/client/changes.ts';
import { CHANGE_CAUSES, TYPE_CHANGES, typeChangeOf } from '../../src/domain/change.ts';
import type { ChangeCount } from '../../src/issues/diff-pages.ts';
import { typeChanges } from '../../src/issues/type-changes.ts';
import { fc } from '../helpers/random.ts';

describe('how an issue type changed', () => {
  const cases: readonly (readonly [ChangedOccurrences, string])[] = [
    [{ new: 2 }, 'new'],
    [{ new: 2, regressed: 1 }, 'regressed'],
    [{ persisting: 4, new: 2 }, 'more'],
    [{ persisting: 4, new: 2, fixed: 1 }, 'more'],
    [{ persisting: 4, fixed: 1 }, 'fewer'],
    [{ new: 1, fixed: 1 }, 'persisting'],
    [{ persisting: 4 }, 'persisting'],
    [{ fixed: 4 }, 'fixed'],
    [{ unverified: 3 }, 'unverified'],
    [{ fixed: 1, unverified: 3 }, 'fewer'],
    [{ new: 1, unverified: 3 }, 'more'],
    [{ persisting: 106, new: 11, fixed: 10, unverified: 3 }, 'more'],
    [{ persisting: 4, unverified: 3 }, 'persisting'],
    [{ not_checked_before: 3 }, 'not_checked_before'],
    [{ not_checked_before: 3, unverified: 1 }, 'not_checked_before'],
    [{ not_checked_before: 3, new: 1 }, 'more'],
    [{ not_checked_before: 3, fixed: 1 }, 'fewer'],
    [{ not_checked_before: 3, persisting: 1 }, 'persisting'],
  ];
  for (const [occurrences, expected] of cases) {
    test(`${JSON.stringify(occurrences)} is ${expected}`, () => assert.equal(typeChangeOf(occurrences), expected));
  }

  test('agrees with the two numbers next to it, which add up to both reports', () => {
    const count = fc.nat({ max: 4 });
    const occurrences = fc.record({
      ...{ new: count, regressed: count, not_checked_before: count },
      ...{ persisting: count, unverified: count, fixed: count },
    });
    fc.assert(
      fc.property(occurrences, (given) => {
        fc.pre(Object.values(given).some((howMany) => howMany > 0));
        const { before, now } = comparedOf(given);
        const agrees = {
          new: before === 0 && now > 0,
          regressed: before === 0 && now > 0,
          not_checked_before: before === 0 && now === 0 && given.not_checked_before > 0,
          more: now > before,
          persisting: now === before && now > 0,
          fewer: now < before,
          unverified: before === 0 && now === 0 && given.unverified > 0,
          fixed: now === 0 && before > 0,
        } satisfies Record<(typeof TYPE_CHANGES)[number], boolean>;
        assert.ok(agrees[typeChangeOf(given)], `${typeChangeOf(given)} ${before} → ${now}`);
        assert.equal(before + given.unverified, given.persisting + given.fixed + given.unverified);
        assert.equal(
          now + given.not_checked_before,
          given.persisting + given.new + given.regressed + given.not_checked_before,
        );
      }),
    );
  });

  test('has the words and the order of docs/numbers.md', () => {
    const page = readFileSync(new URL('../../docs/numbers.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([\w ]+) \| [A-Z]/gm)].map(([, change, words]) => [change, words]);
    assert.deepEqual(
      CHANGES.map((change) => [change, CHANGE_WORDS[change]]),
      rows,
    );
    assert.deepEqual(Object.keys(CHANGE_WORDS).sort(), [...new Set([...CHANGES, ...TYPE_CHANGES])].sort());
    assert.equal(occurrenceWords({ regressed: 1_016, unverified: 54, fixed: 0 }), '1,016 back, 54 not verified');
  });

  test('has one row for each issue type, whose occurrences and causes add up', () => {
    const row = fc.record({
      kind: fc.constantFrom('html', 'a11y'),
      fingerprint: fc.constantFrom('0a', '0b', '0c'),
      change: fc.constantFrom(...CHANGES),
      cause: fc.constantFrom(...CHANGE_CAUSES),
      occurrences: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const counts = rows.map((given): ChangeCount => ({ ...given, effect: null, sample: null, pages: 1 }));
        const types = typeChanges(counts);
        assert.equal(types.length, new Set(rows.map(({ kind, fingerprint }) => `${kind} ${fingerprint}`)).size);
        const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
        for (const change of CHANGES) {
          const given = rows.filter((each) => each.change === change).map(({ occurrences }) => occurrences);
          assert.equal(sum(types.map(({ occurrences }) => occurrences[change] ?? 0)), sum(given));
        }
        for (const { occurrences, causes, cause } of types) {
          const { persisting = 0, ...changed } = occurrences;
          const { decision: byDecision = 0 } = causes;
          const others = sum(Object.values(causes)) - byDecision;
          assert.ok(others <= sum(Object.values(changed)) && sum(Object.values(causes)) >= sum(Object.values(changed)));
          assert.ok(sum(Object.values(causes)) <= sum(Object.values(changed)) + persisting);
          assert.equal(causes[cause] ?? 0, Math.max(0, ...Object.values(causes)));
        }
      }),
    );
  });
});

test('what decisions have changed is named apart from what only one report looked for', () => {
  const decided = { error: 2, not_an_error: 1, error_before: 0, not_an_error_before: 1 };
  assert.equal(decidedSentence(decided), 'By decision: 2 errors, 1 not an error, 1 not an error before.');
  assert.equal(decidedSentence({}), '');
  assert.deepEqual(unexaminedWords({ not_checked_before: 1, unverified: 4 }, decided), [
    '2 occurrences that became errors by decision',
    '1 occurrence of the earlier report that is not an error by decision',
    '1 occurrence that was not an error by decision in the earlier report',
    '3 occurrences of the earlier report that the later one did not look for, or mutes',
  ]);
});
