import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Box, cropAround, percentIn } from '../../web/src/lib/crop.ts';
import { leftOf, neighborOf, verdictsIn } from '../../web/src/lib/triage.ts';

const PAGE = { width: 1280, height: 3000 };

describe('the crop of a screenshot', () => {
  test('shows an element with its surroundings, in the middle', () => {
    assert.deepEqual(cropAround([600, 1000, 80, 40], PAGE), [400, 900, 480, 240]);
  });

  test('stays inside the page', () => {
    assert.deepEqual(cropAround([0, 0, 80, 40], PAGE), [0, 0, 480, 240]);
    assert.deepEqual(cropAround([1200, 2960, 80, 40], PAGE), [800, 2760, 480, 240]);
    assert.deepEqual(cropAround([10, 10, 80, 40], { width: 320, height: 200 }), [0, 0, 320, 200]);
  });

  test('shows the start of an element that is higher than it may be', () => {
    const [x, y, width, height] = cropAround([0, 500, 1280, 2500], PAGE) ?? [];
    assert.deepEqual([x, y, width, height], [0, 452, 1280, 960]);
  });

  test('is absent for elements outside of the screenshot', () => {
    for (const box of [
      [0, 3000, 10, 10],
      [1280, 0, 10, 10],
      [-20, 0, 10, 10],
      [0, -20, 10, 10],
    ] satisfies Box[])
      assert.equal(cropAround(box, PAGE), null);
  });

  test('gives positions in percent of itself', () => {
    assert.deepEqual(percentIn([600, 1000, 80, 40], [400, 900, 400, 200]), {
      ...{ left: '50%', top: '50%' },
      ...{ width: '20%', height: '20%' },
    });
  });
});

describe('the queue of a review', () => {
  const CAUSES = [
    { key: 'a 1', rule: 'a', howMany: 2 },
    { key: 'a 2', rule: 'a', howMany: 1 },
    { key: 'b 1', rule: 'b', howMany: 1 },
  ];
  const decided = (key: string, scope: 'occurrence' | 'cause' | 'rule', verdict: 'error' | 'later' = 'error') => ({
    ...{ key, scope, verdict },
    rule: key.charAt(0),
  });
  const left = (...made: ReturnType<typeof decided>[]) => leftOf(CAUSES, made).map(({ key }) => key);

  test('is without the causes that are decided', () => {
    assert.deepEqual(left(), ['a 1', 'a 2', 'b 1']);
    assert.deepEqual(left(decided('a 1', 'cause')), ['a 2', 'b 1']);
    assert.deepEqual(left(decided('a 2', 'rule')), ['b 1']);
    assert.deepEqual(left(decided('a 1', 'occurrence')), ['a 1', 'a 2', 'b 1']);
    assert.deepEqual(left(decided('a 1', 'occurrence'), decided('a 1', 'occurrence')), ['a 2', 'b 1']);
  });

  test('goes on after the current cause, around its end, and back', () => {
    const open = leftOf(CAUSES, [decided('a 2', 'cause')]);
    const next = (at: string | undefined, step?: 1 | -1) => neighborOf(CAUSES, open, at, step)?.key;
    assert.equal(next(undefined), 'a 1');
    assert.equal(next('a 1'), 'b 1');
    assert.equal(next('a 2'), 'b 1');
    assert.equal(next('b 1'), 'a 1');
    assert.equal(next('b 1', -1), 'a 1');
    assert.equal(next('a 1', -1), 'b 1');
    assert.equal(neighborOf(CAUSES, [], 'a 1'), undefined);
    const [only] = CAUSES;
    assert.equal(neighborOf(CAUSES, only === undefined ? [] : [only], 'a 1')?.key, 'a 1');
  });

  test('counts what was decided by verdict', () => {
    const made = [decided('a 1', 'cause'), decided('a 2', 'cause', 'later'), decided('b 1', 'rule')];
    assert.deepEqual(
      [...verdictsIn(made)],
      [
        ['error', 2],
        ['later', 1],
      ],
    );
  });
});
