import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatedIfChanged } from '../../src/checking/repeat-check.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import type { CheckOutcome } from '../../src/store/pages/check-outcome.ts';
import type { ResultBefore } from '../../src/store/pages/result-before.ts';

/** Returns the fingerprints of occurrences, each given as a letter. */
const packed = (occurrences: string): Uint8Array =>
  Buffer.concat([...occurrences].map((occurrence) => Buffer.alloc(16, occurrence)));

const outcome = (occurrences: string, more: Partial<CheckOutcome> = {}): CheckOutcome => ({
  issues: [{ howMany: occurrences.length, identity: { occurrences: packed(occurrences) } }] as never,
  engineVersion: 'axe 1',
  resources: 'r0',
  ...more,
});

const before = (occurrences: string, engineVersion = 'axe 1'): ResultBefore => ({
  engineVersion,
  occurrences: [packed(occurrences)],
});

describe('a check', () => {
  const cases: readonly {
    readonly title: string;
    readonly runs: readonly (CheckOutcome | Error)[];
    readonly earlier: ResultBefore | null;
    /** The position of the run whose result is kept. */
    readonly kept: number;
    readonly isUnsettled?: boolean;
    readonly varies?: boolean;
    readonly isUnconfirmed?: boolean;
  }[] = [
    { title: 'runs once without a result before', runs: [outcome('ab')], earlier: null, kept: 0 },
    { title: 'runs once if it finds the same', runs: [outcome('ab')], earlier: before('ba'), kept: 0 },
    { title: 'runs once after another version', runs: [outcome('ab')], earlier: before('a', 'axe 0'), kept: 0 },
    {
      title: 'runs once if its engine has no version',
      runs: [outcome('ab', { engineVersion: null })],
      earlier: { ...before('a'), engineVersion: null },
      kept: 0,
    },
    {
      title: 'is settled by the result before',
      runs: [outcome('ab'), outcome('a')],
      earlier: before('a'),
      kept: 1,
      varies: true,
    },
    {
      title: 'is settled by the same result',
      runs: [outcome('ab'), outcome('ab')],
      earlier: before('a'),
      kept: 1,
    },
    {
      title: 'is unsettled if all differ',
      runs: [outcome('ab'), outcome('abc')],
      earlier: before('a'),
      kept: 1,
      isUnsettled: true,
    },
    {
      title: 'is unsettled if its resources vary',
      runs: [outcome('ab'), outcome('ab', { resources: 'r1' })],
      earlier: before('a'),
      kept: 1,
      isUnsettled: true,
      varies: false,
    },
    {
      title: 'is unsettled if it fails the second time',
      runs: [outcome('ab'), new CheckFault({ code: 'page_given_up', params: {} }, { permanent: false })],
      earlier: before('a'),
      kept: 0,
      isUnsettled: true,
      varies: false,
      isUnconfirmed: true,
    },
  ];
  for (const { title, runs, earlier, kept, isUnsettled = false, varies, isUnconfirmed } of cases) {
    it(title, async () => {
      let count = 0;
      const run = async (): Promise<CheckOutcome> => {
        const result = runs[count];
        count += 1;
        assert.ok(result !== undefined, 'it ran too often');
        if (result instanceof Error) throw result;
        return result;
      };
      const result = await repeatedIfChanged(run, async () => earlier);
      assert.equal(count, runs.length);
      const unsettled = isUnsettled ? { resources: null, ...(varies !== false && { varies: true }) } : {};
      assert.deepEqual(result, {
        ...runs[kept],
        ...(varies && { varies }),
        ...unsettled,
        ...(isUnconfirmed && { isUnconfirmed }),
      });
    });
  }
});
